import type { JSX } from 'preact';
import { AskForm, type Asking } from '../components/ask-form.tsx';
import { Button, ButtonLink } from '../components/button.tsx';
import { Card, Fields } from '../components/card.tsx';
import { DoneForm } from '../components/done-form.tsx';
import { FileRow } from '../components/file-row.tsx';
import { Icon } from '../components/icon.tsx';
import { Message } from '../components/message.tsx';
import { Moment } from '../components/moment.tsx';
import { ScanNote } from '../components/scan-note.tsx';
import type { ScanState } from '../components/scan-texts.ts';
import { useTranslator } from '../components/translator-context.ts';
import { isolate, oneLine } from '../plain.ts';
import type { Translator } from '../translator.ts';

export interface DownloadFile {
  readonly id: string;
  /** The path in the folder that was sent, ending with the name. */
  readonly path: string;
  readonly sizeBytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly href: string;
  readonly scan: ScanState;
  /** Whether all of it was sent to this receiver. */
  readonly complete: boolean;
}

export interface DownloadPageProps {
  readonly sender: string;
  /** The reference that people use for the drop. */
  readonly reference: string;
  readonly message: string;
  readonly files: readonly DownloadFile[];
  readonly totalBytes: number;
  /** All files as one ZIP. */
  readonly allHref?: string | undefined;
  /** The checksums of all files, for `sha256sum`. */
  readonly sumsHref: string;
  /** Returns the ids of the files that were sent in full, for the script. */
  readonly deliveredHref: string;
  readonly deadline: Date;
  readonly asking?: Asking | undefined;
  /** Ends the session of this browser. */
  readonly doneAction: string;
}

export function downloadTitle(translator: Translator, { sender }: Pick<DownloadPageProps, 'sender'>): string {
  return translator.t('download.title', { sender: isolate(sender) });
}

export function DownloadPage(props: DownloadPageProps): JSX.Element {
  const translator = useTranslator();
  const { files } = props;
  const size = translator.formatSize(props.totalBytes);
  return (
    <Card
      wide
      icon="download"
      title={translator.t('download.heading', { count: files.length })}
      about={
        <>
          <Fields
            fields={[
              [translator.t('common.from'), oneLine(props.sender)],
              [translator.t('common.until'), <Moment at={props.deadline} show="deadline" />],
              [translator.t('common.size'), size],
              [translator.t('common.reference'), props.reference],
            ]}
          />
          <Message>{props.message}</Message>
        </>
      }
    >
      {props.allHref !== undefined && files.length > 1 && (
        <div class="all">
          <ButtonLink look="main" icon="download" href={props.allHref} download>
            {translator.t('download.all')}
          </ButtonLink>
          <p class="quiet small">{translator.t('download.allNote', { size })}</p>
        </div>
      )}
      <ul class="files" data-delivered={props.deliveredHref}>
        {files.map((file) => (
          <DownloadRow key={file.href} file={file} main={files.length === 1} />
        ))}
      </ul>
      <p class="unseen" role="status" />
      <Verify files={files} sumsHref={props.sumsHref} />
      {props.asking && <AskForm {...props.asking} />}
      <DoneForm action={props.doneAction} />
    </Card>
  );
}

function DownloadRow({ file, main }: { file: DownloadFile; main: boolean }): JSX.Element {
  const translator = useTranslator();
  return (
    <FileRow
      id={file.id}
      path={file.path}
      action={
        <ButtonLink look={main ? 'main' : 'quiet'} icon="download" href={file.href} download>
          <span class="button-text">{translator.t('download.one')}</span> <bdi class="unseen">{oneLine(file.path)}</bdi>
        </ButtonLink>
      }
    >
      <span>{translator.formatSize(file.sizeBytes)}</span>
      <span class="done" hidden={!file.complete}>
        <Icon name="check" small />
        {translator.t('download.done')}
      </span>
      <ScanNote scan={file.scan} />
    </FileRow>
  );
}

/** Folded at first, because few people need it. */
function Verify({ files, sumsHref }: Pick<DownloadPageProps, 'files' | 'sumsHref'>): JSX.Element {
  const translator = useTranslator();
  return (
    <details class="verify small">
      <summary>{translator.t('download.verify')}</summary>
      <p class="quiet">{translator.t('download.verifyText')}</p>
      <dl>
        {files.map((file) => (
          <div key={file.id}>
            <dt>
              <bdi>{oneLine(file.path)}</bdi>
            </dt>
            <dd>
              <code dir="ltr">{file.sha256}</code>
              {/* Shown by the script, which does the copying. */}
              <Button
                look="plain"
                type="button"
                hidden
                data-copy={file.sha256}
                data-copied={translator.t('download.copied')}
              >
                {translator.t('download.copy')} <bdi class="unseen">{oneLine(file.path)}</bdi>
              </Button>
            </dd>
          </div>
        ))}
      </dl>
      <p>
        <a href={sumsHref} download>
          {translator.t('download.sums')}
        </a>
      </p>
      <p class="quiet">
        {translator.t('download.sumsNote')} <code dir="ltr">sha256sum -c SHA256SUMS</code>
      </p>
    </details>
  );
}
