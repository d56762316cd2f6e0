import type { ComponentChildren, JSX } from 'preact';
import type { FollowedFile } from '../../../domain/drops/sent-drop-store.ts';
import type { UnscannedReason } from '../../../domain/files/file-store.ts';
import type { QueuedEntry } from '../../../domain/inbox/inbox-store.ts';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { findScanText } from '../../../present/texts/scan-texts.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Breakable, Heading } from '../../shared/components/breakable.tsx';
import { Button, ButtonLink, IconLink } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { FileName } from '../../shared/components/file-name.tsx';
import { describeFile } from '../../shared/components/file-row.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { Message } from '../../shared/components/message.tsx';
import { Moment } from '../../shared/components/moment.tsx';
import { Subtitle } from '../../shared/components/subtitle.tsx';
import { Avatar } from '../components/avatar.tsx';
import { KeyValues } from '../components/key-values.tsx';
import { type ListColumn, ListTable } from '../components/list-table.tsx';
import { namePerson, type Person } from '../components/person.tsx';
import { type ListProps, toHref } from '../shared/list-props.ts';

export interface InboxFile extends Pick<FollowedFile, 'id' | 'path' | 'sizeBytes' | 'scan'> {
  readonly unscannedReason?: UnscannedReason | null;
  /** Whether it was sent in full to a member of the account. */
  readonly isDownloaded: boolean;
}

/** An entry of the inbox with its files. */
export interface InboxEntryProps
  extends Pick<QueuedEntry, 'id' | 'title' | 'message' | 'receivedAt' | 'expiresAt' | 'state' | 'isUnsolicited'> {
  readonly sender: Person;
  /** The request through which a contact sent it. */
  readonly request: { readonly id: string; readonly reference: string } | null;
  readonly files: readonly InboxFile[];
  /** Whether every file is selected at first (`?select=all`). */
  readonly selectsAll: boolean;
  /** Where the sender can be reported or blocked. */
  readonly reportHref?: string | undefined;
}

/** The entry of the inbox beside the list. */
export function InboxEntryDetail(
  props: Pick<ListProps, 'base' | 'csrf' | 'canChange'> & { entry: InboxEntryProps; backHref: string },
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
      </div>
      {entry.files.length > 0 && <EntryFiles entry={entry} path={path} />}
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
function EntryFiles({ entry, path }: { entry: InboxEntryProps; path: string }): JSX.Element {
  const translator = useTranslator();
  const { files, selectsAll } = entry;
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const isSeveral = files.length > 1;
  const columns: ListColumn<InboxFile>[] = [
    {
      name: 'name',
      label: translator.t('inbox.fileName'),
      cell: (file) => <FileName path={file.path} />,
    },
    { name: 'scan', label: translator.t('inbox.scan'), cell: (file) => <ScanResult {...file} /> },
    {
      name: 'size',
      label: translator.t('delivery.size'),
      cell: (file) => describeFile('', translator.formatSize(file.sizeBytes)),
    },
    {
      name: 'actions',
      label: translator.t('download.one'),
      unlabelled: true,
      cell: (file) => (
        <span class="row-actions">
          {file.isDownloaded && (
            <span class="file-done" title={translator.t('inbox.downloaded')}>
              <Icon name="check" small />
              <span class="unseen">{translator.t('inbox.downloaded')}</span>
            </span>
          )}
          <IconLink
            icon="download"
            href={`${path}/files/${file.id}`}
            download
            label={`${translator.t('download.one')} ${oneLine(file.path)}`}
            title={translator.t('download.one')}
          />
        </span>
      ),
    },
  ];
  return (
    <form class="list-form entry-files" method="get" action={`${path}/files.zip`}>
      <div class="panel-head panel-line">
        <h3>
          {translator.t('sent.count', { count: files.length })}{' '}
          <span class="quiet">· {translator.formatSize(totalBytes)}</span>
        </h3>
        <div class="actions">
          {isSeveral && (
            <Button icon="download" class="needs-selection">
              {translator.t('inbox.downloadSelected')}
            </Button>
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
      <ListTable
        caption={translator.t('sentList.files')}
        look="files"
        columns={columns}
        rows={files}
        rowKey={({ id }) => id}
        selection={
          isSeveral
            ? {
                field: 'file',
                // The place of a file, because the ids of a thousand files are longer than a URL may be.
                value: (file) => `${files.indexOf(file)}`,
                label: (file) => translator.t('list.select', { name: oneLine(file.path) }),
                all: selectsAll,
                allHref: toHref(path, { select: selectsAll ? '' : 'all' }),
              }
            : undefined
        }
      />
    </form>
  );
}

function ScanResult({ scan, unscannedReason }: Pick<InboxFile, 'scan' | 'unscannedReason'>): JSX.Element {
  const translator = useTranslator();
  return (
    <span class={`scan scan-${scan}`}>
      <Icon name={scan === 'clean' ? 'shield' : 'alert'} small />
      {translator.t(scan === 'clean' ? 'inbox.clean' : findScanText({ scan, unscannedReason }))}
    </span>
  );
}
