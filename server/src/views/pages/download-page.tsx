import type { JSX } from 'preact';
import { Card, Fields } from '../components/card.tsx';
import { DoneForm } from '../components/done-form.tsx';
import { Icon } from '../components/icon.tsx';
import { Message } from '../components/message.tsx';
import { type ScanState, scanTexts } from '../components/scan-words.ts';
import { useWords } from '../components/words-context.ts';
import { isolate, oneLine } from '../plain.ts';
import type { Words } from '../words.ts';

export interface DownloadFile {
  readonly name: string;
  readonly sizeBytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly href: string;
  readonly scan: ScanState;
  /** All of it was sent to this receiver. */
  readonly complete: boolean;
}

export interface DownloadPageProps {
  readonly sender: string;
  readonly message: string;
  readonly files: readonly DownloadFile[];
  readonly totalBytes: number;
  /** All files as one ZIP. */
  readonly allHref?: string | undefined;
  readonly deadline: Date;
  /** Ends the session of this browser. */
  readonly doneAction: string;
}

export function downloadTitle(words: Words, { sender }: Pick<DownloadPageProps, 'sender'>): string {
  return words.t('download.title', { sender: isolate(sender) });
}

export function DownloadPage(props: DownloadPageProps): JSX.Element {
  const words = useWords();
  const { files } = props;
  const size = words.formatSize(props.totalBytes);
  return (
    <Card
      wide
      icon="download"
      title={words.t('download.heading', { count: files.length })}
      about={
        <>
          <Fields
            fields={[
              [words.t('common.from'), oneLine(props.sender)],
              [words.t('common.until'), words.formatDate(props.deadline)],
              [words.t('common.size'), size],
            ]}
          />
          <Message>{props.message}</Message>
        </>
      }
    >
      {props.allHref !== undefined && files.length > 1 && (
        <div class="all">
          <a class="button button-main" href={props.allHref} download>
            <Icon name="download" />
            {words.t('download.all')}
          </a>
          <p class="quiet small">{words.t('download.allNote', { size })}</p>
        </div>
      )}
      <ul class="files">
        {files.map((file) => (
          <FileRow key={file.href} file={file} main={files.length === 1} />
        ))}
      </ul>
      <details class="help small">
        <summary>{words.t('download.checksumHelp')}</summary>
        <p class="quiet">{words.t('download.checksumText')}</p>
      </details>
      <DoneForm action={props.doneAction} />
    </Card>
  );
}

function FileRow({ file, main }: { file: DownloadFile; main: boolean }): JSX.Element {
  const words = useWords();
  const name = oneLine(file.name);
  return (
    <li class="file">
      <span class="kind" aria-hidden="true">
        {extension(name)}
      </span>
      <div class="file-about">
        <p class="file-name">
          <bdi>{name}</bdi>
        </p>
        <div class="file-meta small">
          <span class="quiet">{words.formatSize(file.sizeBytes)}</span>
          {file.complete && (
            <span class="done">
              <Icon name="check" />
              {words.t('download.done')}
            </span>
          )}
          <details class="checksum">
            <summary>SHA-256</summary>
            <code dir="ltr">{file.sha256}</code>
          </details>
          <span class={file.scan === 'clean' ? 'scan quiet' : 'scan'}>
            <Icon name={file.scan === 'clean' ? 'shield' : 'alert'} />
            {words.t(scanTexts[file.scan])}
          </span>
        </div>
      </div>
      <a class={`button ${main ? 'button-main' : 'button-quiet'}`} href={file.href} download>
        <Icon name="download" />
        <span class="button-text">{words.t('download.one')}</span> <bdi class="unseen">{name}</bdi>
      </a>
    </li>
  );
}

function extension(name: string): string {
  return /[^.]\.([a-z0-9]{1,4})$/i.exec(name)?.[1]?.toUpperCase() ?? '';
}
