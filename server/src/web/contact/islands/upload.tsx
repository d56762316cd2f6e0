import { render, type VNode } from 'preact';
import { Upload } from 'tus-js-client';
import type { FoundFile } from '../../../domain/requests/find-wanted.ts';
import { TranslatorContext } from '../../../present/texts/translator-context.ts';
import { GonePage, goneTitle } from '../../shared/gone-page.tsx';
import { islandTranslator } from '../../shared/islands/island-translator.ts';
import '../../shared/islands/gesture.ts';
import { sendFiles, type WantedUpload } from '../../shared/islands/send-files.ts';
import { type Remembered, SendIntent } from '../../shared/islands/send-intent.ts';
import { removeUpload, serverFiles } from '../../shared/islands/server-files.ts';
import { parseUploadId } from '../../shared/islands/upload-item.ts';
import { UploadQueue } from '../../shared/islands/upload-queue.ts';
import { numberWanted } from '../wanted-files.tsx';
import { type Before, UploadForm, type UploadSettings } from './upload-form.tsx';
import { type Places, toPath } from './wanted-picker.tsx';

function start(root: HTMLElement, json: string): void {
  const translator = islandTranslator(json);
  const data = root.dataset;
  const settings: UploadSettings = {
    tusEndpoint: data['tusEndpoint'] ?? '',
    filesEndpoint: data['filesEndpoint'] ?? '',
    sendAction: data['sendAction'] ?? '',
    sentHref: data['sentHref'] ?? '',
    draftKey: data['draft'] ?? '',
    maxFiles: Number(data['maxFiles']),
    maxFileBytes: Number(data['maxFileBytes']),
    sizeReason: data['sizeReason'] as UploadSettings['sizeReason'],
    once: data['once'] === 'true',
    wanted: numberWanted(JSON.parse(data['wanted'] ?? '[]') as FoundFile[]),
  };
  const after = (milliseconds: number, then: () => void) => void setTimeout(then, milliseconds);
  const memory = linkMemory<Remembered>(() => localStorage, `waybill:send:${settings.draftKey}`);
  const placesMemory = linkMemory<Places>(() => localStorage, `waybill:wanted:${settings.draftKey}`);
  const remembered = memory.read();
  let places = placesMemory.read() ?? {};
  const queue = new UploadQueue(
    settings,
    {
      newUpload: (file, options) => new Upload(file, options),
      remove: (url) => removeUpload(url),
      files: () => serverFiles(settings.filesEndpoint),
      isOnline: () => navigator.onLine,
      now: () => performance.now(),
      after,
    },
    remembered?.files,
  );
  const typed = root.querySelector('textarea')?.value ?? '';
  const written = typed || (remembered?.written ?? '');
  const intent = new SendIntent(
    {
      queue,
      send: (message) => sendFiles(settings.sendAction, message, toWanted(queue, places)),
      remember: memory.write,
      after,
    },
    // Texts that were typed before the script was loaded are new: "Send" was not pressed for them.
    { written, pressed: (remembered?.pressed ?? false) && written === remembered?.written },
  );
  // The next user of this device must not find the message.
  document.querySelector('.done-here')?.addEventListener('submit', () => {
    memory.write(undefined);
    placesMemory.write(undefined);
  });
  const before: Before = {
    problems: Array.from(root.querySelectorAll('.banner'), (problem) => problem.textContent ?? ''),
    picker: root.querySelector<HTMLInputElement>('input[type=file]'),
    focusedId: root.contains(document.activeElement) ? (document.activeElement?.id ?? '') : undefined,
  };
  const turnInto = (page: VNode, title: string) => {
    const host = document.createElement('div');
    host.className = 'host';
    root.closest('main')?.replaceWith(host);
    render(null, root);
    render(<TranslatorContext.Provider value={translator}>{page}</TranslatorContext.Provider>, host);
    // The brand at the end of the title stays.
    document.title = title + document.title.slice(document.title.lastIndexOf(' · '));
    host.querySelector('h1')?.focus();
  };
  root.replaceChildren();
  render(
    <TranslatorContext.Provider value={translator}>
      <UploadForm
        settings={settings}
        queue={queue}
        intent={intent}
        before={before}
        places={places}
        onPlaces={(chosen) => {
          places = chosen;
          placesMemory.write(chosen);
        }}
        onEnded={() => turnInto(<GonePage reason="expired" />, goneTitle(translator, { reason: 'expired' }))}
      />
    </TranslatorContext.Provider>,
    root,
  );
}

/** The uploads of which the contact has said what they are. */
function toWanted({ entries }: Pick<UploadQueue, 'entries'>, places: Places): WantedUpload[] {
  return entries.flatMap((entry) => {
    const number = places[toPath(entry)];
    return number === undefined || entry.state !== 'ready' ? [] : [{ id: parseUploadId(entry.url), number }];
  });
}

interface LinkMemory<Value> {
  read(): Value | undefined;
  write(value: Value | undefined): void;
}

/** Stores something in this browser, by link. If a browser stores nothing, each visit starts from the beginning. */
function linkMemory<Value>(storage: () => Storage, key: string): LinkMemory<Value> {
  return {
    read() {
      try {
        return (JSON.parse(storage().getItem(key) ?? 'null') as Value | null) ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(value) {
      try {
        if (value) storage().setItem(key, JSON.stringify(value));
        else storage().removeItem(key);
      } catch {
        // Storage may be forbidden or full; everything else works without it.
      }
    },
  };
}

const root = document.getElementById('upload');
const json = document.getElementById('upload-words')?.textContent;
if (root && json) start(root, json);
