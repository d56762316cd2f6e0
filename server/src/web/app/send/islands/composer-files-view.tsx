import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { useTranslator } from '../../../../present/texts/translator-context.ts';
import { Banner } from '../../../shared/components/banner.tsx';
import { Button, ButtonLink } from '../../../shared/components/button.tsx';
import { type Picked, readPickedFiles } from '../../../shared/islands/dropped-files.ts';
import { askToRead, mayRead } from '../../../shared/islands/file-handles.ts';
import type { SendIntent } from '../../../shared/islands/send-intent.ts';
import { type Entry, isStopped } from '../../../shared/islands/upload-entry.ts';
import { UploadList } from '../../../shared/islands/upload-list.tsx';
import type { UploadQueue } from '../../../shared/islands/upload-queue.ts';
import { type FileLimits, useUploadFiles } from '../../../shared/islands/use-upload-files.tsx';
import { DropArea } from '../drop-area.tsx';
import type { ComposerServer } from './composer-server.ts';

export function ComposerFilesView(props: {
  queue: UploadQueue;
  intent: SendIntent;
  server: ComposerServer;
  limits: FileLimits;
  /** Chosen before the script was loaded. */
  chosen: readonly Picked[];
  picker: HTMLInputElement | null;
  say: (text: string) => void;
  onChange: () => void;
  onDrawn: () => void;
}): JSX.Element {
  const { queue, intent, server, limits, say, onChange } = props;
  const translator = useTranslator();
  const files = useUploadFiles({ queue, intent, limits, say, onChange, keepsHandles: true, problems: [] });
  /** How many kept files the browser asks about before this page may read them again. */
  const [unreadable, setUnreadable] = useState(0);

  const restore = async () => {
    await queue.known;
    const readable = await findReadable(queue);
    if (readable.length > 0) await files.add(readable);
    setUnreadable((await findUnreadable(queue)).length);
  };
  useLayoutEffect(() => {
    const { chosen, picker } = props;
    if (chosen.length > 0) void files.add(chosen);
    // The dialog may still be open.
    picker?.addEventListener('change', () => void files.add(readPickedFiles(picker.files)));
    void restore();
  }, [queue]);
  useLayoutEffect(() => props.onDrawn());

  const { entries } = queue;
  const sendable = entries.filter((entry) => !isStopped(entry)).length;
  return (
    <div class={`stack upload-form composer-files${files.isOver ? ' drop-over' : ''}`}>
      {files.inputs}
      {entries.length === 0 ? (
        <DropArea {...limits}>
          <Button icon="plus" type="button" onClick={() => files.choose('files')}>
            {translator.t('island.chooseFiles')}
          </Button>
          <Button icon="folder" class="choose-folder" type="button" onClick={() => files.choose('folder')}>
            {translator.t('island.chooseFolder')}
          </Button>
        </DropArea>
      ) : (
        <div class="list-head">
          <h2 ref={files.heading} tabIndex={-1}>
            {translator.t('composerFiles.count', { count: sendable })}
          </h2>
          <p class="quiet">{translator.formatSize(queue.total.sizeBytes)}</p>
        </div>
      )}
      {server.signedOut ? (
        <Banner
          tone="warn"
          id="signed-out"
          announced
          action={
            <ButtonLink look="plain" href={`/sign-in?next=${encodeURIComponent(location.pathname)}`} target="_blank">
              {translator.t('composerFiles.signIn')}
            </ButtonLink>
          }
        >
          {translator.t('composerFiles.signedOut')}
        </Banner>
      ) : (
        files.banners
      )}
      {unreadable > 0 && (
        <Banner
          tone="warn"
          id="permission"
          action={
            <Button
              type="button"
              onClick={() =>
                void requestReading(queue).then(() => {
                  setUnreadable(0);
                  return restore();
                })
              }
            >
              {translator.t('composerFiles.continue')}
            </Button>
          }
        >
          {translator.t('composerFiles.permission', { count: unreadable })}
        </Banner>
      )}
      {entries.length > 0 && (
        <>
          <UploadList
            entries={entries}
            row={files.row}
            onRemoveFolder={files.removeFolder}
            onRemoveInterrupted={() => {
              queue.removeAll('interrupted');
              intent.remember();
            }}
          />
          <div class="drop-buttons add-files">
            <Button icon="plus" type="button" onClick={() => files.choose('files')}>
              {translator.t('composerFiles.add')}
            </Button>
            <Button
              look="plain"
              icon="folder"
              class="choose-folder"
              type="button"
              onClick={() => files.choose('folder')}
            >
              {translator.t('composerFiles.folder')}
            </Button>
            <span class="quiet small">{translator.t('composerFiles.anywhere')}</span>
          </div>
        </>
      )}
    </div>
  );
}

type Queue = Pick<UploadQueue, 'entries' | 'discardKept' | 'remove'>;

const isWaiting = ({ state, kept }: Entry) => state === 'interrupted' && kept !== undefined;

/** Reads the interrupted files that this browser kept and may read without asking the person. */
export async function findReadable(queue: Queue): Promise<Picked[]> {
  const found: Picked[] = [];
  for (const entry of queue.entries.filter(isWaiting)) {
    const { kept } = entry;
    if (kept === undefined || (!(kept instanceof File) && !(await mayRead(kept)))) continue;
    const file = kept instanceof File ? kept : await kept.getFile().catch(() => undefined);
    // It was moved or deleted.
    if (!file) queue.discardKept(entry.key);
    // It was changed: what has arrived of it is of no use.
    if (file && file.size !== entry.sizeBytes) void queue.remove(entry.key);
    if (file) found.push({ file, path: entry.path ?? file.name, kept });
  }
  return found;
}

/** Returns the interrupted files that this browser may read once the person allows it. */
export async function findUnreadable(queue: Queue): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const entry of queue.entries.filter(isWaiting)) {
    if (entry.kept && !(entry.kept instanceof File) && !(await mayRead(entry.kept))) found.push(entry);
  }
  return found;
}

/** Asks the person. Files that may not be read have to be chosen again. */
export async function requestReading(queue: Queue): Promise<void> {
  for (const entry of await findUnreadable(queue)) {
    const { kept } = entry;
    if (kept && !(kept instanceof File) && !(await askToRead(kept).catch(() => false))) queue.discardKept(entry.key);
  }
}
