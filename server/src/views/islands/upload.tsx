import { type JSX, render } from 'preact';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { Upload } from 'tus-js-client';
import { Problem } from '../components/card.tsx';
import type { PlainFile } from '../components/plain-files.tsx';
import { useWords, WordsContext } from '../components/words-context.ts';
import { SentPage, sentTitle } from '../pages/sent-page.tsx';
import { droppedFiles, type Picked, pickedFiles } from './dropped-files.ts';
import { islandWords } from './island-words.ts';
import { type ServerFile, UploadQueue } from './upload-queue.ts';
import { Total, UploadRow } from './upload-row.tsx';

interface Settings {
  readonly tusEndpoint: string;
  readonly filesEndpoint: string;
  readonly sendAction: string;
  readonly sender: string;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
}

/** Known to every browser, and not to the types. */
const wholeFolder = { webkitdirectory: true };

function UploadForm(props: {
  settings: Settings;
  queue: UploadQueue;
  onSent: (files: PlainFile[]) => void;
}): JSX.Element {
  const { settings, queue } = props;
  const words = useWords();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [said, say] = useState('');
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [over, setOver] = useState(false);
  const [sending, setSending] = useState(false);
  const [message, setMessage] = useState('');
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);

  const add = (picked: readonly Picked[]) => {
    const { count, tooLarge, tooMany } = queue.add(picked);
    const size = words.formatSize(settings.maxFileBytes);
    setProblems([
      ...tooLarge.map((name) => words.t('island.tooLarge', { name, size })),
      ...(tooMany ? [words.t('island.tooMany', { count: settings.maxFiles })] : []),
    ]);
    if (count > 0) say(words.t('island.added', { count }));
  };

  useEffect(() => {
    queue.onChange = () => redraw(undefined);
    queue.onSettled = (name, state) => {
      say(words.t(state === 'complete' ? 'island.completed' : 'island.failed', { name }));
      if (queue.ready) say(words.t('island.sendReady'));
    };
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
      if (queue.busy) event.preventDefault();
    };
    window.addEventListener('offline', offline);
    window.addEventListener('online', online);
    document.addEventListener('dragover', dragged);
    document.addEventListener('dragleave', left);
    document.addEventListener('drop', dropped);
    window.addEventListener('beforeunload', leaving);
    void knownFiles(settings.filesEndpoint).then((known) => queue.known(known));
    return () => {
      queue.onChange = () => {};
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
    try {
      props.onSent(await sendFiles(settings.sendAction, message));
    } catch {
      setSending(false);
      setProblems([words.t('island.sendFailed')]);
    }
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
          <button class="button button-main" type="button" onClick={() => files.current?.click()}>
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
                onRemove={() => {
                  say(words.t('island.removed', { name: entry.name }));
                  void queue.remove(entry.key);
                }}
              />
            ))}
          </ul>
          {!queue.ready && <Total {...queue.total} moving={queue.busy} />}
        </section>
      )}
      <div class="field">
        <label for="message">{words.t('upload.message')}</label>
        <textarea
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
          {words.t(queue.ready ? 'island.sendReady' : 'island.sendWait')}
        </p>
      </div>
      <p class="unseen" role="status" aria-live="polite">
        {said}
      </p>
    </div>
  );
}

async function knownFiles(endpoint: string): Promise<ServerFile[]> {
  try {
    const answer = await fetch(endpoint, { headers: { accept: 'application/json' } });
    return answer.ok ? ((await answer.json()) as ServerFile[]) : [];
  } catch {
    return [];
  }
}

async function sendFiles(action: string, message: string): Promise<PlainFile[]> {
  const answer = await fetch(action, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ message }),
  });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  const { files } = (await answer.json()) as { files: PlainFile[] };
  return files;
}

function start(root: HTMLElement, json: string): void {
  const words = islandWords(json);
  const data = root.dataset;
  const settings: Settings = {
    tusEndpoint: data['tusEndpoint'] ?? '',
    filesEndpoint: data['filesEndpoint'] ?? '',
    sendAction: data['sendAction'] ?? '',
    sender: data['sender'] ?? '',
    maxFiles: Number(data['maxFiles']),
    maxFileBytes: Number(data['maxFileBytes']),
  };
  const queue = new UploadQueue(settings, {
    newUpload: (file, options) => new Upload(file, options),
    remove: (url) => Upload.terminate(url, { retryDelays: [500, 2000] }),
    isOnline: () => navigator.onLine,
    now: () => performance.now(),
    after: (milliseconds, then) => void setTimeout(then, milliseconds),
  });
  const sent = (files: PlainFile[]) => {
    const host = document.createElement('div');
    host.className = 'host';
    root.closest('main')?.replaceWith(host);
    render(
      <WordsContext.Provider value={words}>
        <SentPage sender={settings.sender} files={files} />
      </WordsContext.Provider>,
      host,
    );
    document.title = sentTitle(words);
    host.querySelector('h1')?.focus();
  };
  root.replaceChildren();
  render(
    <WordsContext.Provider value={words}>
      <UploadForm settings={settings} queue={queue} onSent={sent} />
    </WordsContext.Provider>,
    root,
  );
}

const root = document.getElementById('upload');
const json = document.getElementById('upload-words')?.textContent;
if (root && json) start(root, json);
