import type { JSX } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { ActionBar } from '../components/action-bar.tsx';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { TextArea } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { limitsText } from '../components/limits-text.ts';
import { useTranslator, type ViewTranslator } from '../components/translator-context.ts';
import { sortByPath } from '../file-order.ts';
import { type Picked, readDroppedFiles, readPickedFiles } from './dropped-files.ts';
import { foldSubject } from './fold-subject.ts';
import { obstacleText, type SizeReason } from './obstacle-text.ts';
import { needsFiles, SendBar, sendHint } from './send-bar.tsx';
import type { SendIntent } from './send-intent.ts';
import { SendWithout } from './send-without.tsx';
import { type Entry, isStopped } from './upload-entry.ts';
import type { News } from './upload-item.ts';
import { UploadList } from './upload-list.tsx';
import type { UploadQueue } from './upload-queue.ts';
import { StoppedRow, UploadRow } from './upload-row.tsx';

export interface UploadSettings {
  readonly tusEndpoint: string;
  readonly filesEndpoint: string;
  readonly sendAction: string;
  readonly sentHref: string;
  readonly draftKey: string;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** Which limit a file of more bytes exceeds. */
  readonly sizeReason: SizeReason;
  /** Whether files can be sent only once. */
  readonly once: boolean;
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
  /** The first of the files that were added last, from which the person sees that choosing had an effect. */
  const [latest, setLatest] = useState(0);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const choose = useRef<HTMLButtonElement>(null);
  const textarea = useRef<HTMLTextAreaElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const question = useRef<HTMLDialogElement>(null);

  const add = async (picked: readonly Picked[]) => {
    await queue.known;
    const lastKey = queue.entries.at(-1)?.key ?? 0;
    const { count, tooMany } = queue.add(sortByPath(picked, translator.locale, ({ path }) => path));
    setProblems(tooMany ? [translator.t('island.tooMany', { count: settings.maxFiles })] : []);
    if (count > 0) {
      const stopped = queue.entries.filter(isStopped).length;
      const cannot = stopped > 0 ? ` ${translator.t('island.cannot', { count: stopped })}.` : '';
      say(translator.t('island.added', { count }) + cannot);
      setLatest(queue.entries.find(({ key }) => key > lastKey)?.key ?? 0);
    }
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
      const text = newsText(translator, news, settings, queue, intent);
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
    const isLeavingOut = settings.once && queue.entries.some(isStopped);
    if (isLeavingOut) question.current?.showModal();
    else sendRest();
  };
  const sendRest = () => {
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
  /** Files of a folder are found again only with their folder. */
  const chooseAgain = (wanted: readonly Entry[]) =>
    (wanted.every(({ path }) => path !== undefined) ? folder : files).current?.click();
  const { entries } = queue;
  const stopped = entries.filter(isStopped).length;
  const sendable = entries.length - stopped;
  const isEmpty = entries.length === 0;

  // Before the browser draws: choosing files moves the page once.
  useLayoutEffect(() => foldSubject(!isEmpty), [isEmpty]);
  useLayoutEffect(() => {
    if (latest === 0) return;
    // The button that was pressed may be gone.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
    showRow(latest, heading.current);
  }, [latest]);

  const chooseButton = (
    <Button ref={choose} look="main" type="button" onClick={() => files.current?.click()}>
      {translator.t('island.chooseFiles')}
    </Button>
  );
  const row = (entry: Entry) => {
    const shown = {
      key: entry.key,
      entry,
      onPause: () => queue.pause(entry.key),
      onResume: () => queue.resume(entry.key),
      onRemove: () => void remove(entry),
      onChooseAgain: () => chooseAgain([entry]),
    };
    return isStopped(entry) ? (
      <StoppedRow {...shown} why={obstacleText(translator, entry.obstacle, settings)} />
    ) : (
      <UploadRow {...shown} />
    );
  };

  return (
    <div class={`stack upload-form${over ? ' drop-over' : ''}`}>
      <input ref={files} type="file" multiple hidden onChange={(event) => take(event.currentTarget)} />
      <input ref={folder} type="file" {...wholeFolder} hidden onChange={(event) => take(event.currentTarget)} />
      {isEmpty ? (
        <div class="drop">
          <Icon name="upload" />
          <p class="drop-hint">{translator.t('island.drop')}</p>
          <div class="drop-buttons">
            {chooseButton}
            <FolderButton onClick={() => folder.current?.click()} />
          </div>
          <p class="quiet small">{limitsText(translator, settings)}</p>
        </div>
      ) : (
        <div class="list-head">
          <h2 ref={heading} tabIndex={-1}>
            {translator.t('island.toSend', { count: sendable })}
          </h2>
          <div class="drop-buttons">
            <FolderButton onClick={() => folder.current?.click()} />
            {sendable > 0 && (
              <Button icon="plus" type="button" onClick={() => files.current?.click()}>
                {translator.t('island.addMore')}
              </Button>
            )}
          </div>
        </div>
      )}
      {problems.map((problem, index) => (
        <Banner key={problem} tone="bad" id={`problem-${index}`}>
          {problem}
        </Banner>
      ))}
      {!queue.reachable && (
        <Banner tone="warn" id="connection">
          {translator.t(navigator.onLine ? 'island.unreachable' : 'island.offline')}
        </Banner>
      )}
      {intent.state !== 'none' && sendable > 0 && (
        <Banner
          tone={stopped > 0 ? 'warn' : 'calm'}
          id="intent"
          action={
            <Button look="plain" type="button" disabled={intent.state === 'sending'} onClick={cancel}>
              {translator.t('island.cancel')}
            </Button>
          }
        >
          {stopped === 0 && (
            <strong>{translator.t(needsFiles(queue, intent) ? 'island.needsYou' : 'island.sendSoon')} </strong>
          )}
          {sendHint(translator, queue, intent)}
        </Banner>
      )}
      {!isEmpty && (
        <UploadList
          entries={entries}
          row={row}
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
      {!isEmpty && (
        <div class="quiet small">
          <p>{limitsText(translator, { ...settings, once: false })}</p>
          <p id="send-hint">{intent.state === 'none' && sendHint(translator, queue, intent)}</p>
        </div>
      )}
      {sendable > 0 && (
        <SendBar
          queue={queue}
          intent={intent}
          once={settings.once}
          onSend={send}
          onChooseAgain={() => chooseAgain(entries.filter(({ state }) => state === 'interrupted'))}
        />
      )}
      {settings.once && stopped > 0 && <SendWithout dialog={question} count={stopped} onSend={sendRest} />}
      {!isEmpty && sendable === 0 && <ActionBar title={translator.t('island.nothing')}>{chooseButton}</ActionBar>}
      <p class="unseen" role="status" aria-live="polite">
        {said}
      </p>
    </div>
  );
}

function FolderButton({ onClick }: { onClick: () => void }): JSX.Element {
  return (
    <Button class="choose-folder" type="button" onClick={onClick}>
      {useTranslator().t('island.chooseFolder')}
    </Button>
  );
}

/** Scrolls to a row unless it can be seen; to the head of the list if the row is folded. */
function showRow(key: number, heading: HTMLElement | null): void {
  const row = document.querySelector(`[data-key="${key}"]`) ?? heading;
  const { top = 0, bottom = 0 } = row?.getBoundingClientRect() ?? {};
  const barHeight = document.querySelector<HTMLElement>('.bar')?.offsetHeight ?? 0;
  if (top < 0 || bottom > innerHeight - barHeight) row?.scrollIntoView({ block: 'center' });
}

/** Announces single files only if they need the person; the arrival of one of many is not worth announcing. */
function newsText(
  translator: ViewTranslator,
  news: readonly News[],
  settings: UploadSettings,
  queue: UploadQueue,
  intent: SendIntent,
): string {
  const bad = news.flatMap(({ name, obstacle }) =>
    obstacle
      ? translator.t('common.labelled', { label: name, value: obstacleText(translator, obstacle, settings) })
      : [],
  );
  const isWorthAHint = bad.length > 0 || (queue.ready && intent.state === 'none');
  return [...bad.slice(0, namesTold), ...(isWorthAHint ? [sendHint(translator, queue, intent)] : [])].join(' ');
}

const namesTold = 3;

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
