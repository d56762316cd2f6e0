import type { ComponentChildren, JSX } from 'preact';
import type { FollowedFile } from '../../../domain/drops/sent-drop-store.ts';
import type { UnscannedReason } from '../../../domain/files/file-store.ts';
import type { QueuedEntry } from '../../../domain/inbox/inbox-store.ts';
import type { FoundFile } from '../../../domain/requests/find-wanted.ts';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { summarizeScans } from '../../../present/texts/scan-texts.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Breakable, Heading } from '../../shared/components/breakable.tsx';
import { Button, ButtonLink } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { FileRow } from '../../shared/components/file-row.tsx';
import { DownloadFolder } from '../../shared/components/folder-list.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { Message } from '../../shared/components/message.tsx';
import { Moment } from '../../shared/components/moment.tsx';
import { ScanNote, ScanSummary } from '../../shared/components/scan-note.tsx';
import { Subtitle } from '../../shared/components/subtitle.tsx';
import { Avatar } from '../components/avatar.tsx';
import { type FolderPlace, FolderViewList, keyOf, toFolderView } from '../components/folder-view.tsx';
import { KeyValues } from '../components/key-values.tsx';
import { namePerson, type Person } from '../components/person.tsx';
import { type ListProps, toHref } from '../shared/list-props.ts';

export interface InboxFile extends Pick<FollowedFile, 'id' | 'path' | 'sizeBytes' | 'scan'> {
  readonly unscannedReason?: UnscannedReason | null;
  /** Which of the wanted files it is; null if none of them. */
  readonly wanted?: number | null;
  /** Whether it was sent in full to a member of the account. */
  readonly isDownloaded: boolean;
}

/** An entry of the inbox with its files. */
export interface InboxEntryProps
  extends Pick<QueuedEntry, 'id' | 'title' | 'message' | 'receivedAt' | 'expiresAt' | 'state' | 'isUnsolicited'> {
  readonly sender: Person;
  /** The request through which a contact sent it. */
  readonly request: { readonly id: string; readonly reference: string } | null;
  /** The files that the request wants, and which of them the sender has sent. */
  readonly wanted: readonly FoundFile[];
  readonly files: readonly InboxFile[];
  /** The part of them that is shown. */
  readonly place?: FolderPlace | undefined;
  /** Whether every file is selected at first (`?select=all`). */
  readonly selectsAll: boolean;
  /** Where the sender can be reported or blocked. */
  readonly reportHref?: string | undefined;
}

type Kept = Readonly<Record<string, string | undefined>>;

/** The entry of the inbox beside the list. */
export function InboxEntryDetail(
  props: Pick<ListProps, 'base' | 'csrf' | 'canChange'> & {
    entry: InboxEntryProps;
    backHref: string;
    /** The place in the list, which the entry's own links keep. */
    kept: Kept;
  },
): JSX.Element {
  const translator = useTranslator();
  const { base, csrf, canChange, entry, backHref } = props;
  const path = `${base}inbox/${entry.id}`;
  const isDone = entry.state === 'acknowledged';
  return (
    <article class="panel" aria-labelledby="entry-title">
      <div class="panel-head">
        <a class="button button-plain back" href={backHref}>
          <Icon name="before" />
          {translator.t('frame.inbox')}
        </a>
        {canChange && (
          <form method="post" class="actions push">
            <CsrfField csrf={csrf} />
            <ButtonLink look="plain" icon="send" href={toHref(base, { to: entry.sender.email })}>
              {translator.t('inbox.reply')}
            </ButtonLink>
            {entry.state === 'parked' && (
              <Button icon="retry" formAction={`${path}/release`}>
                {translator.t('inbox.release')}
              </Button>
            )}
            {isDone ? (
              <Button icon="undo" formAction={`${path}/reopen`}>
                {translator.t('inbox.reopen')}
              </Button>
            ) : (
              <Button icon="check" formAction={`${path}/done`}>
                {translator.t('inbox.done')}
              </Button>
            )}
          </form>
        )}
      </div>
      <div class="panel-body">
        <div class="entry-head">
          <Avatar name={namePerson(entry.sender)} />
          <h2 class="title" id="entry-title" tabIndex={-1}>
            <Heading>{translator.t('inbox.from', { name: isolate(namePerson(entry.sender)) })}</Heading>
          </h2>
          <p class="quiet">
            <bdi>
              <Breakable>{oneLine(entry.sender.email)}</Breakable>
            </bdi>
          </p>
        </div>
        {entry.title !== null && <Subtitle>{entry.title}</Subtitle>}
        {entry.isUnsolicited && <Banner tone="warn">{translator.t('inbox.unsolicitedText')}</Banner>}
        {entry.state === 'claimed' && <Banner tone="calm">{translator.t('inbox.claimedText')}</Banner>}
        {entry.state === 'parked' && <Banner tone="warn">{translator.t('inbox.parkedText')}</Banner>}
        <KeyValues
          values={[
            [translator.t('inbox.arrived'), <Moment at={entry.receivedAt} />],
            ...(entry.request
              ? [
                  [
                    translator.t('inbox.repliesTo'),
                    <>
                      <a href={`${base}requests/${entry.request.id}`}>{translator.t('inbox.yourRequest')}</a>{' '}
                      <span class="reference">{entry.request.reference}</span>
                    </>,
                  ] as const,
                ]
              : []),
            [translator.t('inbox.keptUntil'), <Moment at={entry.expiresAt} />],
          ]}
        />
        <Message>{entry.message}</Message>
        {entry.wanted.length > 0 && <WantedFound {...entry} />}
      </div>
      {entry.files.length > 0 && <EntryFiles entry={entry} path={path} kept={props.kept} />}
      <div class="panel-foot">
        <p>{describeDownloads(entry.files, translator.t)}</p>
        {canChange && (
          <a class="push" href={toHref(`${base}requests/new`, { to: entry.sender.email })}>
            {translator.t('requests.ask')}
          </a>
        )}
        {entry.reportHref !== undefined && <a href={entry.reportHref}>{translator.t('inbox.report')}</a>}
      </div>
    </article>
  );
}

/** The files that were asked for, of which the missing ones come first. */
function WantedFound({ wanted, files }: Pick<InboxEntryProps, 'wanted' | 'files'>): JSX.Element {
  const translator = useTranslator();
  const missing = wanted.filter(({ found }) => !found).length;
  const numbered = wanted.map((file, number) => ({ ...file, number }));
  return (
    <section class="wanted" aria-labelledby="wanted-title">
      <h3 id="wanted-title">
        {missing === 0
          ? translator.t('inbox.wanted.all', { count: wanted.length })
          : translator.t('inbox.wanted.missing', { count: missing, of: translator.formatNumber(wanted.length) })}
      </h3>
      <ul>
        {[...numbered.filter(({ found }) => !found), ...numbered.filter(({ found }) => found)].map((file) => (
          <li key={file.number} class={file.found ? 'wanted-found' : undefined}>
            {file.found ? <Icon name="check" small /> : <span class="wanted-mark" />}
            <div class="wanted-about">
              <span dir="auto">{oneLine(file.name)}</span>
              <span class="quiet small">
                {file.found
                  ? files
                      .filter(({ wanted: number }) => number === file.number)
                      .map(({ path }) => isolate(oneLine(path)))
                      .join(', ') || translator.t('inbox.wanted.earlier')
                  : translator.t('inbox.wanted.none')}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function describeDownloads(
  files: readonly InboxFile[],
  t: (key: string, params?: Record<string, number>) => string,
): ComponentChildren {
  const done = files.filter(({ isDownloaded }) => isDownloaded).length;
  if (files.length === 0) return t('sentList.messageOnly');
  if (done === 0) return t('inbox.notDownloaded');
  if (done === files.length) return t('inbox.allDownloaded');
  return t('inbox.someDownloaded', { done, count: files.length });
}

/** A form that is sent by GET, because what is downloaded has a URL: the chosen files as one ZIP. */
function EntryFiles({ entry, path, kept }: { entry: InboxEntryProps; path: string; kept: Kept }): JSX.Element {
  const translator = useTranslator();
  const { files, selectsAll, place = {} } = entry;
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const { differs } = summarizeScans(files);
  const isSeveral = files.length > 1;
  // The place of a file, because the ids of many files are longer than a URL may be.
  const places = new Map(files.map((file, index) => [file, index]));
  const hrefOf = ({ folder, after }: FolderPlace, select?: string) =>
    toHref(path, { ...kept, folder, files: after, select });
  const pick = (name: string, value: string, of: string) => (
    <label class="pick">
      <input
        type="checkbox"
        name={name}
        value={value}
        checked={selectsAll}
        aria-label={translator.t('list.select', { name: oneLine(of) })}
      />
    </label>
  );
  return (
    <form class="list-form entry-files" method="get" action={`${path}/files.zip`} id="entry-files">
      <div class="panel-head panel-line">
        <div>
          <h3>
            {translator.t('sent.count', { count: files.length })}{' '}
            <span class="quiet">· {translator.formatSize(totalBytes)}</span>
          </h3>
          <p class="small quiet">
            <ScanSummary files={files} />
          </p>
        </div>
        <div class="actions">
          {isSeveral && (
            <>
              <ButtonLink look="plain" href={`${hrefOf(place, selectsAll ? undefined : 'all')}#entry-files`}>
                {translator.t(selectsAll ? 'list.selectNone' : 'list.selectAll')}
              </ButtonLink>
              <Button icon="download" class="needs-selection">
                {translator.t('inbox.downloadSelected')}
              </Button>
            </>
          )}
          {files[0] && (
            <ButtonLink
              icon="download"
              class="button-tint"
              href={isSeveral ? `${path}/all.zip` : `${path}/files/${files[0].id}`}
              download
            >
              {translator.t(isSeveral ? 'inbox.downloadAll' : 'download.one')}
            </ButtonLink>
          )}
        </div>
      </div>
      <FolderViewList
        view={toFolderView(files, translator.locale, place)}
        hrefOf={(to) => hrefOf(to)}
        anchor="entry-files"
        isNoteworthy={differs}
        isDone={({ isDownloaded }) => isDownloaded}
        pick={isSeveral ? (folder) => pick('folder', keyOf(folder), folder.path) : undefined}
        actions={(folder) => <DownloadFolder folder={folder} href={`${path}/folders/${keyOf(folder)}`} />}
        row={(file, name) => (
          <FileRow
            key={file.id}
            path={name}
            size={translator.formatSize(file.sizeBytes)}
            href={`${path}/files/${file.id}`}
            pick={isSeveral && pick('file', `${places.get(file)}`, file.path)}
          >
            {file.isDownloaded && (
              <span class="done">
                <Icon name="check" small />
                {translator.t('inbox.downloaded')}
              </span>
            )}
            {differs(file) && <ScanNote {...file} />}
          </FileRow>
        )}
      />
    </form>
  );
}
