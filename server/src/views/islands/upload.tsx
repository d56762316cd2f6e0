import { render, type VNode } from 'preact';
import { Upload } from 'tus-js-client';
import { WordsContext } from '../components/words-context.ts';
import { GonePage, goneTitle } from '../pages/gone-page.tsx';
import { SentPage, sentTitle } from '../pages/sent-page.tsx';
import { islandWords } from './island-words.ts';
import { removeUpload, serverFiles } from './server-files.ts';
import { type Before, UploadForm, type UploadSettings } from './upload-form.tsx';
import { UploadQueue } from './upload-queue.ts';

function start(root: HTMLElement, json: string): void {
  const words = islandWords(json);
  const data = root.dataset;
  const settings: UploadSettings = {
    tusEndpoint: data['tusEndpoint'] ?? '',
    filesEndpoint: data['filesEndpoint'] ?? '',
    sendAction: data['sendAction'] ?? '',
    sender: data['sender'] ?? '',
    maxFiles: Number(data['maxFiles']),
    maxFileBytes: Number(data['maxFileBytes']),
  };
  const queue = new UploadQueue(settings, {
    newUpload: (file, options) => new Upload(file, options),
    remove: removeUpload,
    files: () => serverFiles(settings.filesEndpoint),
    isOnline: () => navigator.onLine,
    now: () => performance.now(),
    after: (milliseconds, then) => void setTimeout(then, milliseconds),
  });
  const before: Before = {
    problems: Array.from(root.querySelectorAll('.problem'), (problem) => problem.textContent ?? ''),
    message: root.querySelector('textarea')?.value ?? '',
    picker: root.querySelector<HTMLInputElement>('input[type=file]'),
    focusedId: root.contains(document.activeElement) ? (document.activeElement?.id ?? '') : undefined,
  };
  const turnInto = (page: VNode, title: string) => {
    const host = document.createElement('div');
    host.className = 'host';
    root.closest('main')?.replaceWith(host);
    render(null, root);
    render(<WordsContext.Provider value={words}>{page}</WordsContext.Provider>, host);
    // The brand at its end stays.
    document.title = title + document.title.slice(document.title.lastIndexOf(' · '));
    host.querySelector('h1')?.focus();
  };
  root.replaceChildren();
  render(
    <WordsContext.Provider value={words}>
      <UploadForm
        settings={settings}
        queue={queue}
        before={before}
        onSent={(files) =>
          turnInto(
            <SentPage sender={settings.sender} files={files} doneAction={data['doneAction'] ?? ''} />,
            sentTitle(words),
          )
        }
        onEnded={() => turnInto(<GonePage reason="expired" />, goneTitle(words, { reason: 'expired' }))}
      />
    </WordsContext.Provider>,
    root,
  );
}

const root = document.getElementById('upload');
const json = document.getElementById('upload-words')?.textContent;
if (root && json) start(root, json);
