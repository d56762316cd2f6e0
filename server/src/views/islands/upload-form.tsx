import type { JSX } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { Problem } from '../components/card.tsx';
import type { PlainFile } from '../components/plain-files.tsx';
import { useWords, type ViewWords } from '../components/words-context.ts';
import { droppedFiles, type Picked, pickedFiles } from './dropped-files.ts';
import { sendFiles } from './send-files.ts';
import { type Entry, isDelivered } from './upload-entry.ts';
import type { News } from './upload-item.ts';
import type { UploadQueue } from './upload-queue.ts';
import { Total, UploadRow } from './upload-row.tsx';

export interface UploadSettings {
  readonly tusEndpoint: string;
  readonly filesEndpoint: string;
  readonly sendAction: string;
  readonly sender: string;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
}

/** What was in the form that the script replaces. */
export interface Before {
  readonly problems: readonly string[];
  readonly message: string;
  /** On a slow connection people choose files before the script is there, or while it starts. */
  readonly picker: HTMLInputElement | null;
  /** Of the element that had the keyboard's focus. */
  readonly focusedId: string | undefined;
}

/** Known to every browser, and not to the types. */
const wholeFolder = { webkitdirectory: true };

export function UploadForm(props: {
  settings: UploadSettings;
  queue: UploadQueue;
  before: Before;
  onSent: (files: readonly PlainFile[]) => void;
  onEnded: () => void;
}): JSX.Element {
  const { settings, queue } = props;
  const words = useWords();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [said, say] = useState('');
  const [problems, setProblems] = useState(props.before.problems);
  const [over, setOver] = useState(false);
  const [sending, setSending] = useState(false);
  const [message, setMessage] = useState(props.before.message);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const choose = useRef<HTMLButtonElement>(null);
  const textarea = useRef<HTMLTextAreaElement>(null);

  const add = (picked: readonly Picked[]) => {
    const { count, tooLarge, tooMany } = queue.add(picked);
    const size = words.formatSize(settings.maxFileBytes);
    setProblems([
      ...tooLarge.map((name) => words.t('island.tooLarge', { name, size })),
      ...(tooMany ? [words.t('island.tooMany', { count: settings.maxFiles })] : []),
    ]);
    if (count > 0) say(words.t('island.added', { count }));
  };

  // Before anybody can press anything.
  useLayoutEffect(() => {
    queue.onChange = () => redraw(undefined);
    queue.onNews = (news) => say(newsText(words, news, queue));
    queue.onEnded = props.onEnded;
    const offline = () => {
      queue.offline();
      say(words.t('island.offline'));
    };
    const online = () => {
      queue.online();
      say(words.t('island.online'));
    };
    // Wherever on the page it is dropped: a browser would otherwise leave the page and open the file.
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
      void droppedFiles(event.dataTransfer).then(add);
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
    if (picker?.files?.length) add(pickedFiles(picker.files));
    // Its dialog may still be open.
    picker?.addEventListener('change', () => add(pickedFiles(picker.files)));
    // Whoever is writing a message goes on writing it.
    if (focusedId === 'message') textarea.current?.focus();
    else if (focusedId !== undefined) choose.current?.focus();
    return () => {
      queue.onChange = () => {};
      queue.end();
      window.removeEventListener('offline', offline);
      window.removeEventListener('online', online);
      document.removeEventListener('dragover', dragged);
      document.removeEventListener('dragleave', left);
      document.removeEventListener('drop', dropped);
      window.removeEventListener('beforeunload', leaving);
    };
  }, [queue]);

  const send = async () => {
    setSending(true);
    setProblems([]);
    const answer = await sendFiles(settings.sendAction, message);
    if (answer === 'ended') {
      props.onEnded();
    } else if (typeof answer === 'object') {
      // The answer to a repetition names none: then it is what was in the list.
      props.onSent(answer.files.length > 0 ? answer.files : queue.entries.filter(({ state }) => state === 'ready'));
    } else {
      setSending(false);
      if (answer === 'not_ready') {
        queue.recheck();
        say(words.t('island.sendWait'));
      } else {
        setProblems([words.t('island.sendFailed')]);
      }
    }
  };
  const remove = async ({ key, name }: Entry) => {
    say(words.t('island.removed', { name }));
    if (!(await queue.remove(key))) setProblems([words.t('island.removeFailed', { name })]);
  };
  const take = (input: HTMLInputElement) => {
    add(pickedFiles(input.files));
    input.value = '';
  };
  const { entries } = queue;

  return (
    <div class="stack">
      <div class={`drop${over ? ' drop-over' : ''}`}>
        <p class="drop-hint">{words.t('island.drop')}</p>
        <div class="drop-buttons">
          <button ref={choose} class="button button-main" type="button" onClick={() => files.current?.click()}>
            {words.t('island.chooseFiles')}
          </button>
          <button class="button button-quiet choose-folder" type="button" onClick={() => folder.current?.click()}>
            {words.t('island.chooseFolder')}
          </button>
        </div>
        <p class="quiet small">
          {words.t('upload.limits', { count: settings.maxFiles, size: words.formatSize(settings.maxFileBytes) })}
        </p>
        <input ref={files} type="file" multiple hidden onChange={(event) => take(event.currentTarget)} />
        <input ref={folder} type="file" {...wholeFolder} hidden onChange={(event) => take(event.currentTarget)} />
      </div>
      {problems.map((problem, index) => (
        <Problem key={problem} id={`problem-${index}`}>
          {problem}
        </Problem>
      ))}
      {entries.length > 0 && (
        <section aria-labelledby="upload-list">
          <h2 id="upload-list">{words.t('island.list')}</h2>
          <ul class="uploads">
            {entries.map((entry) => (
              <UploadRow
                key={entry.key}
                entry={entry}
                onPause={() => queue.pause(entry.key)}
                onResume={() => queue.resume(entry.key)}
                onRemove={() => void remove(entry)}
              />
            ))}
          </ul>
          {!entries.every(isDelivered) && <Total {...queue.total} moving={queue.busy} />}
        </section>
      )}
      <div class="field">
        <label for="message">{words.t('upload.message')}</label>
        <textarea
          ref={textarea}
          id="message"
          rows={4}
          maxLength={5000}
          value={message}
          onInput={(event) => setMessage(event.currentTarget.value)}
        />
      </div>
      <div class="send">
        <button
          class="button button-main"
          type="button"
          disabled={!queue.ready || sending}
          aria-describedby="send-hint"
          onClick={() => void send()}
        >
          {sending ? words.t('island.sending') : words.t('upload.send')}
        </button>
        <p id="send-hint" class="quiet small">
          {words.t(sendHint(queue))}
        </p>
      </div>
      <p class="unseen" role="status" aria-live="polite">
        {said}
      </p>
    </div>
  );
}

function sendHint(queue: UploadQueue): string {
  const refused = queue.entries.filter(({ state }) => state === 'refused').length;
  if (queue.ready) return refused > 0 ? 'island.sendRest' : 'island.sendReady';
  return refused > 0 && refused === queue.entries.length ? 'island.sendNone' : 'island.sendWait';
}

/** What is refused is told in any case; that one of many is ready is not worth a word when all are. */
function newsText(words: ViewWords, news: readonly News[], queue: UploadQueue): string {
  const told = queue.ready ? news.filter(({ state }) => state !== 'ready') : news;
  return [
    ...told.map(({ name, state }) => words.t(newsTexts[state], { name })),
    ...(queue.ready ? [words.t(sendHint(queue))] : []),
  ].join(' ');
}

const newsTexts: Record<News['state'], string> = {
  checking: 'island.checking',
  ready: 'island.ready',
  refused: 'island.refused',
  failed: 'island.failed',
};
