import { toFolderKey } from '@waybill/protocol';
import type { JSX } from 'preact';
import { sortByPath } from '../../present/texts/file-order.ts';
import { isolate, oneLine } from '../../present/texts/plain.ts';
import { type Scanned, summarizeScans } from '../../present/texts/scan-texts.ts';
import type { Translator } from '../../present/texts/translator.ts';
import { useTranslator } from '../../present/texts/translator-context.ts';
import { DownloadLimit } from '../links/link-landing-page.tsx';
import { ActionBar } from '../shared/components/action-bar.tsx';
import { AskForm, type Asking } from '../shared/components/ask-form.tsx';
import { Button, ButtonLink } from '../shared/components/button.tsx';
import { Card, Fields } from '../shared/components/card.tsx';
import { DoneForm } from '../shared/components/done-form.tsx';
import { describeFile, FileRow } from '../shared/components/file-row.tsx';
import { DownloadFolder, FolderList } from '../shared/components/folder-list.tsx';
import { Icon } from '../shared/components/icon.tsx';
import { ListHead } from '../shared/components/list-head.tsx';
import { Message } from '../shared/components/message.tsx';
import { Moment } from '../shared/components/moment.tsx';
import { OwnReceipt } from '../shared/components/own-receipt.tsx';
import { Rows } from '../shared/components/rows.tsx';
import { ScanNote, ScanSummary } from '../shared/components/scan-note.tsx';
import { fromField, type Sender } from '../shared/components/sender.tsx';
import { Subtitle } from '../shared/components/subtitle.tsx';

export interface DownloadFile extends Scanned {
  readonly id: string;
  /** The path in the folder that was sent, ending with the name. */
  readonly path: string;
  readonly sizeBytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly href: string;
  /** Whether all of it was sent to this receiver. */
  readonly complete: boolean;
}

export interface DownloadPageProps {
  readonly sender: Sender;
  /** The reference that people use for the drop. */
  readonly reference: string;
  /** That the sender gave it. */
  readonly title?: string | null;
  readonly message: string;
  readonly files: readonly DownloadFile[];
  readonly totalBytes: number;
  /** All files as one ZIP. */
  readonly allHref?: string | undefined;
  /** Below this, the files of each folder as a ZIP, by the folder's key. */
  readonly foldersHref: string;
  /** The checksums of all files, for `sha256sum`. */
  readonly sumsHref: string;
  /** Returns the ids of the files that were sent in full, for the script. */
  readonly deliveredHref: string;
  readonly deadline: Date;
  /** When the last file was sent in full; undefined before. */
  readonly completedAt?: Date | undefined;
  /** The receiver's receipt, without the ending of the file. Nobody in particular has none. */
  readonly receiptHref?: string | undefined;
  /** Whether it is a link for anybody, and for how many downloads. */
  readonly shared?: { readonly maxDownloads: number | null } | undefined;
  readonly asking?: Asking | undefined;
  /** Ends the session of this browser. */
  readonly doneAction: string;
}

export function downloadTitle(translator: Translator, { sender }: Pick<DownloadPageProps, 'sender'>): string {
  return translator.t('download.title', { sender: isolate(sender.name) });
}

export function DownloadPage(props: DownloadPageProps): JSX.Element {
  const translator = useTranslator();
  const { completedAt } = props;
  const files = sortByPath(props.files, translator.locale, ({ path }) => path);
  const sender = isolate(props.sender.name);
  const about = { count: files.length, sender };
  const until = <Moment at={props.deadline} show="deadline" />;
  if (files.length === 0) return <MessagePage {...props} />;
  return (
    <Card
      columns
      icon={completedAt ? 'check' : 'download'}
      tone={completedAt ? 'good' : 'calm'}
      reference={props.reference}
      postmarked={completedAt !== undefined}
      title={translator.t(completedAt ? 'download.doneHeading' : 'download.heading', about)}
      about={
        <>
          {props.title && <Subtitle>{props.title}</Subtitle>}
          {completedAt && <p class="quiet">{translator.t('download.doneText', about)}</p>}
          <Fields
            fields={
              completedAt
                ? [
                    [translator.t('download.done'), <Moment at={completedAt} />],
                    [translator.t('common.until'), until],
                  ]
                : [...fromField(translator, props.sender), [translator.t('common.until'), until]]
            }
          />
          {props.shared && <DownloadLimit {...props.shared} />}
          <DownloadBar {...props} />
          <Message>{props.message}</Message>
        </>
      }
    >
      <FileList {...props} files={files} />
      <p class="unseen" role="status" />
      <div class="asides">
        <Verify files={files} sumsHref={props.sumsHref} />
        {props.receiptHref && <OwnReceipt path={props.receiptHref} text={translator.t('receipt.yoursText')} />}
        {props.asking && <AskForm {...props.asking} />}
      </div>
      <DoneForm action={props.doneAction} />
    </Card>
  );
}

/** A drop without files. */
function MessagePage(props: DownloadPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <Card
      icon="mail"
      reference={props.reference}
      title={translator.t('download.messageHeading', { sender: isolate(props.sender.name) })}
      about={
        <>
          {props.title && <Subtitle>{props.title}</Subtitle>}
          <Fields
            fields={[
              ...fromField(translator, props.sender),
              [translator.t('common.until'), <Moment at={props.deadline} show="deadline" />],
            ]}
          />
          <Message>{props.message}</Message>
        </>
      }
    >
      {props.receiptHref && <OwnReceipt path={props.receiptHref} text={translator.t('receipt.yoursText')} />}
      {props.asking && <AskForm {...props.asking} />}
      <DoneForm action={props.doneAction} />
    </Card>
  );
}

/** Downloads everything: all files as a ZIP, or the only file. */
function DownloadBar({ files, totalBytes, allHref, completedAt }: DownloadPageProps): JSX.Element | null {
  const translator = useTranslator();
  const [only] = files;
  const isOne = files.length === 1;
  const href = isOne ? only?.href : allHref;
  if (href === undefined) return null;
  const size = translator.formatSize(totalBytes);
  const progress = (done: string) => translator.t('download.progress', { count: files.length, done });
  const done = files.filter(({ complete }) => complete).length;
  const count = translator.t('sent.count', { count: files.length });
  return (
    <ActionBar
      title={
        <span data-progress={progress('#')} class={done > 0 ? 'news' : undefined}>
          {done > 0 ? progress(translator.formatNumber(done)) : count}
        </span>
      }
      detail={size}
      note={isOne ? describeFile(only?.path ?? '', size) : translator.t('download.allNote', { size })}
    >
      <ButtonLink look={completedAt ? 'quiet' : 'main'} icon="download" href={href} download>
        {translator.t(completedAt ? 'download.again' : isOne ? 'download.one' : 'download.all')}
      </ButtonLink>
    </ActionBar>
  );
}

function FileList({ files, totalBytes, deliveredHref, foldersHref }: DownloadPageProps): JSX.Element {
  const translator = useTranslator();
  const { differs } = summarizeScans(files);
  return (
    <section data-delivered={deliveredHref}>
      <ListHead count={files.length} sizeBytes={totalBytes}>
        <p class="small quiet">
          <ScanSummary files={files} hrefOf={({ id }) => `#file-${id}`} />
        </p>
      </ListHead>
      <FolderList
        files={files}
        isNoteworthy={differs}
        isDone={({ complete }) => complete}
        actions={(folder) => {
          const [inside] = folder.all;
          return (
            inside && <DownloadFolder folder={folder} href={`${foldersHref}/${toFolderKey(folder.path, inside)}`} />
          );
        }}
        row={(file, name) => (
          <FileRow
            key={file.id}
            id={file.id}
            isLinked={differs(file)}
            path={name}
            size={translator.formatSize(file.sizeBytes)}
            href={file.href}
          >
            {file.complete && <DoneMark />}
            {differs(file) && <ScanNote {...file} />}
          </FileRow>
        )}
      />
      <template>
        <DoneMark />
      </template>
    </section>
  );
}

/** The script copies it into the row of each file that is complete after the page was drawn. */
function DoneMark(): JSX.Element {
  return (
    <span class="done">
      <Icon name="check" small />
      {useTranslator().t('download.done')}
    </span>
  );
}

/** Folded at first, because few people need it. */
function Verify({ files, sumsHref }: Pick<DownloadPageProps, 'files' | 'sumsHref'>): JSX.Element {
  const translator = useTranslator();
  return (
    <details class="verify small">
      <summary>{translator.t('download.verify')}</summary>
      <p class="quiet">{translator.t('download.verifyText')}</p>
      <dl data-copied={translator.t('download.copied')}>
        <Rows items={files} row={(file) => <Checksum key={file.id} {...file} />} />
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

function Checksum({ path, sha256 }: DownloadFile): JSX.Element {
  const translator = useTranslator();
  const name = oneLine(path);
  return (
    <div>
      <dt>
        <bdi>{name}</bdi>
      </dt>
      <dd>
        <code dir="ltr">{sha256}</code>
        {/* Shown by the script, which copies the text before it. */}
        <Button look="plain" type="button" hidden data-copy>
          {translator.t('download.copy')} <bdi class="unseen">{name}</bdi>
        </Button>
      </dd>
    </div>
  );
}
