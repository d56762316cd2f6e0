import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Banner } from '../components/banner.tsx';
import { Button, ButtonLink } from '../components/button.tsx';
import { DropArea } from '../components/drop-area.tsx';
import { useTranslator } from '../components/translator-context.ts';
import type { ComposerServer } from './composer-server.ts';
import { type Picked, readPickedFiles } from './dropped-files.ts';
import { findReadable, findUnreadable, requestReading } from './kept-files.ts';
import type { SendIntent } from './send-intent.ts';
import { isStopped } from './upload-entry.ts';
import { UploadList } from './upload-list.tsx';
import type { UploadQueue } from './upload-queue.ts';
import { type FileLimits, useUploadFiles } from './use-upload-files.tsx';

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
