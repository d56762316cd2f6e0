import type { JSX } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { TextArea } from '../components/field.tsx';
import { useTranslator, type ViewTranslator } from '../components/translator-context.ts';
import { type Picked, readDroppedFiles, readPickedFiles } from './dropped-files.ts';
import { SendBar, sendHint } from './send-bar.tsx';
import type { SendIntent } from './send-intent.ts';
import type { Entry } from './upload-entry.ts';
import type { News } from './upload-item.ts';
import { UploadList } from './upload-list.tsx';
import type { UploadQueue } from './upload-queue.ts';
import { UploadRow } from './upload-row.tsx';

export interface UploadSettings {
  readonly tusEndpoint: string;
  readonly filesEndpoint: string;
  readonly sendAction: string;
  readonly sentHref: string;
  readonly draftKey: string;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
}

/** The content of the form that the script replaces. */
export interface Before {
  readonly problems: readonly string[];
  /** On a slow connection, people choose files before the script is loaded, or while it starts. */
  readonly picker: HTMLInputElement | null;
  /** The id of the element that had the keyboard focus. */
  readonly focusedId: string | undefined;
}

/** Known to every browser, but missing from the types. */
const wholeFolder = { webkitdirectory: true };

export function UploadForm(props: {
  settings: UploadSettings;
  queue: UploadQueue;
  intent: SendIntent;
  before: Before;
  onEnded: () => void;
}): JSX.Element {
  const { settings, queue, intent } = props;
  const translator = useTranslator();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [said, say] = useState('');
  const [problems, setProblems] = useState(props.before.problems);
  const [over, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const choose = useRef<HTMLButtonElement>(null);
  const textarea = useRef<HTMLTextAreaElement>(null);

  const add = async (picked: readonly Picked[]) => {
    await queue.known;
    const { count, tooLarge, tooMany } = queue.add(picked);
    const size = translator.formatSize(settings.maxFileBytes);
    setProblems([
      ...tooLarge.map((name) => translator.t('island.tooLarge', { name, size })),
      ...(tooMany ? [translator.t('island.tooMany', { count: settings.maxFiles })] : []),
    ]);
    if (count > 0) say(translator.t('island.added', { count }));
    intent.remember();
  };

  // Runs before anything can be pressed.
  useLayoutEffect(() => {
    const draw = oncePerFrame(() => redraw(undefined));
    queue.onChange = () => {
      intent.check();
      draw();
    };
    queue.onNews = (news) => {
      const text = newsText(translator, news, queue, intent);
      if (text !== '') say(text);
    };
    queue.onReachable = (reachable) =>
      say(translator.t(reachable ? 'island.online' : navigator.onLine ? 'island.unreachable' : 'island.offline'));
    queue.onEnded = props.onEnded;
    intent.onChange = draw;
    intent.onSent = () => location.replace(settings.sentHref);
    intent.onEnded = props.onEnded;
    intent.onFailed = () => setProblems([translator.t('island.sendFailed')]);
    const offline = () => queue.offline();
    const online = () => queue.online();
    // Handles a drop anywhere on the page, because otherwise the browser would leave the page and open the file.
    const dragged = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    };
    const left = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const dropped = (event: DragEvent) => {
      if (!event.dataTransfer) return;
      event.preventDefault();
      setOver(false);
      void readDroppedFiles(event.dataTransfer).then(add);
    };
    const leaving = (event: BeforeUnloadEvent) => {
      if (queue.busy || queue.entries.some((entry) => entry.state === 'checking')) event.preventDefault();
    };
    window.addEventListener('offline', offline);
    window.addEventListener('online', online);
    document.addEventListener('dragover', dragged);
    document.addEventListener('dragleave', left);
    document.addEventListener('drop', dropped);
    window.addEventListener('beforeunload', leaving);
    queue.begin();
    const { picker, focusedId } = props.before;
    if (picker?.files?.length) void add(readPickedFiles(picker.files));
    // The dialog may still be open.
    picker?.addEventListener('change', () => void add(readPickedFiles(picker.files)));
    // A person who is writing a message can continue to write it.
    if (focusedId === 'message') textarea.current?.focus();
    else if (focusedId !== undefined) choose.current?.focus();
    return () => {
      queue.onChange = () => {};
      intent.onChange = () => {};
      queue.end();
      window.removeEventListener('offline', offline);
      window.removeEventListener('online', online);
      document.removeEventListener('dragover', dragged);
      document.removeEventListener('dragleave', left);
      document.removeEventListener('drop', dropped);
      window.removeEventListener('beforeunload', leaving);
    };
  }, [queue]);

  const send = () => {
    setProblems([]);
    intent.press();
    if (intent.state === 'waiting') say(translator.t('island.sendSoon'));
  };
  const cancel = () => {
    intent.cancel();
    say(translator.t('island.cancelled'));
  };
  const remove = async ({ key, name }: Entry) => {
    say(translator.t('island.removed', { name }));
    const removal = queue.remove(key);
    intent.remember();
    if (!(await removal)) setProblems([translator.t('island.removeFailed', { name })]);
  };
  const take = (input: HTMLInputElement) => {
    void add(readPickedFiles(input.files));
    input.value = '';
  };
  const { entries } = queue;

  return (
    <div class="stack">
      <div class={`drop${over ? ' drop-over' : ''}`}>
        <p class="drop-hint">{translator.t('island.drop')}</p>
        <div class="drop-buttons">
          <Button ref={choose} look="main" type="button" onClick={() => files.current?.click()}>
            {translator.t('island.chooseFiles')}
          </Button>
          <Button class="choose-folder" type="button" onClick={() => folder.current?.click()}>
            {translator.t('island.chooseFolder')}
          </Button>
        </div>
        <p class="quiet small">
          {translator.t('upload.limits', {
            count: settings.maxFiles,
            size: translator.formatSize(settings.maxFileBytes),
          })}
        </p>
        <input ref={files} type="file" multiple hidden onChange={(event) => take(event.currentTarget)} />
        <input ref={folder} type="file" {...wholeFolder} hidden onChange={(event) => take(event.currentTarget)} />
      </div>
      {problems.map((problem, index) => (
        <Banner key={problem} tone="bad" id={`problem-${index}`}>
          {problem}
        </Banner>
      ))}
      {entries.length > 0 && (
        <UploadList
          entries={entries}
          row={(entry) => (
            <UploadRow
              key={entry.key}
              entry={entry}
              onPause={() => queue.pause(entry.key)}
              onResume={() => queue.resume(entry.key)}
              onRemove={() => void remove(entry)}
            />
          )}
          onRemoveInterrupted={() => {
            queue.removeAll('interrupted');
            intent.remember();
          }}
        />
      )}
      <TextArea
        ref={textarea}
        id="message"
        label={translator.t('upload.message')}
        maxLength={5000}
        value={intent.message}
        readOnly={intent.state === 'sending'}
        onInput={(event) => intent.write(event.currentTarget.value)}
      />
      {/* The key changes with the first file: a new bar appears in its new place, instead of the old one moving. */}
      <SendBar
        key={entries.length > 0}
        queue={queue}
        intent={intent}
        isOnline={navigator.onLine}
        onSend={send}
        onCancel={cancel}
      />
      <p class="unseen" role="status" aria-live="polite">
        {said}
      </p>
    </div>
  );
}

/** Announces single files only if they need the person; the arrival of one of many is not worth announcing. */
function newsText(translator: ViewTranslator, news: readonly News[], queue: UploadQueue, intent: SendIntent): string {
  const bad = news.flatMap(({ name, state }) => {
    const text = state === 'refused' || state === 'failed' || state === 'full' ? newsTexts[state] : undefined;
    return text === undefined ? [] : translator.t(text, { name });
  });
  const isWorthAHint = bad.length > 0 || (queue.ready && intent.state === 'none');
  return [...bad.slice(0, namesTold), ...(isWorthAHint ? [sendHint(translator, queue, intent)] : [])].join(' ');
}

const namesTold = 3;
const newsTexts = { refused: 'island.refused', failed: 'island.failed', full: 'island.full' } as const;

/** Draws at most once per frame, because progress is reported many times a second. */
function oncePerFrame(draw: () => void): () => void {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      draw();
    });
  };
}
