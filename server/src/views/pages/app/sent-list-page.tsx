import type { JSX } from 'preact';
import { Button, ButtonLink, IconButton, IconLink } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterBar, Segments } from '../../components/filter-bar.tsx';
import { ListForm } from '../../components/list-form.tsx';
import { type ListColumn, ListTable, type Sort } from '../../components/list-table.tsx';
import { BriefMoment } from '../../components/moment.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager, type Pages } from '../../components/pager.tsx';
import { namePerson, type Person } from '../../components/person.tsx';
import type { Progress } from '../../components/progress.ts';
import { Route } from '../../components/route.tsx';
import { type MenuAction, RowMenu } from '../../components/row-menu.tsx';
import { SelectionBar } from '../../components/selection-bar.tsx';
import { useTranslator, type ViewTranslator } from '../../components/translator-context.ts';
import { oneLine } from '../../plain.ts';
import { type KeptReceipt, KeptReceipts } from './kept-receipts.tsx';
import { type ListProps, toHref } from './list-props.ts';

/** A delivery in the list. */
export interface SentLine {
  readonly id: string;
  readonly reference: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly firstReceiver: Person;
  readonly fileCount: number;
  readonly totalBytes: number;
  /** The name of the first file; null if there is none: a message alone. */
  readonly firstFile: string | null;
  readonly progress: Progress;
  /** Whether its revocation can still be undone. */
  readonly isRestorable: boolean;
}

export type SentPart = 'all' | 'attention' | 'underway' | 'done';
export type SentBy = 'anyone' | 'me' | 'programs';

export interface SentListPageProps extends ListProps {
  /** Of something whose reference is searched for, if the list has it no more. */
  readonly keptReceipts?: readonly KeptReceipt[] | undefined;
  readonly lines: readonly SentLine[];
  readonly query: string;
  readonly part: SentPart;
  readonly by: SentBy;
  /** How many deliveries need their sender; undefined if that was not counted. */
  readonly attentionCount?: number | undefined;
  readonly sorts?: Partial<Readonly<Record<'until' | 'sent', Sort>>> | undefined;
  readonly pages: Pages;
  /** The fields of the URL that say which page of the list this is, and in which order. */
  readonly place?: Readonly<Record<string, string | undefined>> | undefined;
  /** How many deliveries the list has in all; undefined if that was not counted. */
  readonly total?: number | undefined;
  /** Whether every row is selected at first (`?select=all`). */
  readonly selectsAll: boolean;
  /** Whether the account's rules allow its members to see the links of receivers. */
  readonly canShowLinks: boolean;
}

const parts = [
  ['all', 'sentList.all'],
  ['attention', 'sentList.attention'],
  ['underway', 'sentList.underway'],
  ['done', 'sentList.done'],
] as const;
const senders = [
  ['anyone', 'sentList.byAnyone'],
  ['me', 'sentList.byMe'],
  ['programs', 'sentList.byPrograms'],
] as const;

export function sentListTitle(translator: ViewTranslator): string {
  return translator.t('frame.sent');
}

export function SentListPage(props: SentListPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, query, part, by, lines } = props;
  const path = `${base}sent`;
  const chosenPart = part === 'all' ? undefined : part;
  const chosenBy = by === 'anyone' ? undefined : by;
  return (
    <>
      <PageHead
        title={sentListTitle(translator)}
        actions={
          <ButtonLink
            look="plain"
            icon="download"
            href={toHref(`${path}.csv`, { q: query, part: chosenPart, by: chosenBy })}
          >
            {translator.t('list.export')}
          </ButtonLink>
        }
      />
      <FilterBar
        action={path}
        label={translator.t('sentList.search')}
        hint={translator.t('sentList.searchHint')}
        query={query}
        kept={chosenPart === undefined ? {} : { part: chosenPart }}
        choices={[
          {
            name: 'by',
            label: translator.t('sentList.by'),
            value: by,
            options: senders.map(([value, text]) => [value === 'anyone' ? '' : value, translator.t(text)]),
          },
        ]}
      >
        <Segments
          label={translator.t('list.show')}
          segments={parts.map(([value, text]) => ({
            label: translator.t(text),
            href: toHref(path, { part: value === 'all' ? '' : value, q: query, by: chosenBy }),
            current: value === part,
            count: value === 'attention' ? props.attentionCount || undefined : undefined,
          }))}
        />
      </FilterBar>
      {lines.length === 0 ? <NothingSent {...props} /> : <SentTable {...props} />}
    </>
  );
}

function SentTable(props: SentListPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, lines, now, canChange, canShowLinks, selectsAll, total } = props;
  const path = `${base}sent`;
  const fields = {
    q: props.query,
    part: props.part === 'all' ? '' : props.part,
    by: props.by === 'anyone' ? '' : props.by,
    ...props.place,
  };
  const columns: ListColumn<SentLine>[] = [
    {
      name: 'to',
      label: translator.t('common.to'),
      cell: (line) => <To line={line} href={`${path}/${line.id}`} />,
    },
    { name: 'files', label: translator.t('sentList.files'), cell: (line) => <Files line={line} /> },
    {
      name: 'progress',
      label: translator.t('sentList.progress'),
      cell: ({ progress }) => <Route progress={progress} />,
    },
    {
      name: 'until',
      label: translator.t('sentList.until'),
      sort: props.sorts?.until,
      cell: ({ expiresAt, progress }) =>
        progress.state === 'live' ? (
          <>
            <span class="on-phone">{translator.t('sentList.untilPhone')} </span>
            <BriefMoment at={expiresAt} now={now} />
          </>
        ) : (
          translator.t('sentList.ended')
        ),
    },
    {
      name: 'sent',
      label: translator.t('status.sent'),
      sort: props.sorts?.sent,
      cell: ({ createdAt }) => <BriefMoment at={createdAt} now={now} />,
    },
    {
      name: 'reference',
      label: translator.t('sentList.reference'),
      cell: ({ reference }) => <span class="reference">{reference}</span>,
    },
  ];
  const actions: ListColumn<SentLine> = {
    name: 'actions',
    label: translator.t('list.actions'),
    unlabelled: true,
    cell: (line) => <SentActions line={line} path={path} canShowLinks={canShowLinks} />,
  };
  const table = (
    <div class="panel" id="sent-rows" data-live="drop.">
      <ListTable
        caption={sentListTitle(translator)}
        look="sent"
        columns={canChange ? [...columns, actions] : columns}
        rows={lines}
        rowKey={({ id }) => id}
        selection={
          canChange
            ? {
                field: 'id',
                value: ({ id }) => id,
                label: ({ reference }) => translator.t('list.select', { name: reference }),
                all: selectsAll,
                allHref: toHref(path, { ...fields, select: selectsAll ? '' : 'all' }),
              }
            : undefined
        }
      />
    </div>
  );
  const pager = (
    <Pager
      pages={props.pages}
      order={props.sorts?.until?.direction ? 'name' : 'time'}
      about={total === undefined ? undefined : translator.t('sentList.total', { count: total })}
    />
  );
  if (!canChange) {
    return (
      <>
        {table}
        {pager}
      </>
    );
  }
  return (
    <>
      <ListForm csrf={props.csrf} label={sentListTitle(translator)}>
        <input type="hidden" name="back" value={toHref('', fields)} />
        {table}
        <SelectionBar noneHref={selectsAll ? toHref(path, fields) : undefined}>
          <Button look="plain" icon="bell" formAction={`${path}/remind`}>
            {translator.t('sentList.remind')}
          </Button>
          <Button look="plain" icon="calendar" formAction={`${path}/extend`}>
            {translator.t('sentList.extend')}
          </Button>
          <Button look="plain" icon="stop" class="button-bad" formAction={`${path}/revoke`}>
            {translator.t('sentList.revoke')}
          </Button>
        </SelectionBar>
      </ListForm>
      {pager}
    </>
  );
}

function To({ line: { firstReceiver, progress }, href }: { line: SentLine; href: string }): JSX.Element {
  const translator = useTranslator();
  const more = progress.receivers - 1;
  return (
    <span class="cut-line">
      <a class="row-link" dir="auto" href={href} title={namePerson(firstReceiver)}>
        {namePerson(firstReceiver)}
      </a>
      {more > 0 && (
        <span class="quiet unbroken" title={translator.t('sentList.moreReceivers', { count: more })}>
          <span aria-hidden="true">+{translator.formatNumber(more)}</span>
          <span class="unseen">{translator.t('sentList.moreReceivers', { count: more })}</span>
        </span>
      )}
    </span>
  );
}

function Files({ line: { fileCount, firstFile, totalBytes } }: { line: SentLine }): JSX.Element {
  const translator = useTranslator();
  if (fileCount === 0 || firstFile === null) return <span class="quiet">{translator.t('sentList.messageOnly')}</span>;
  if (fileCount === 1) {
    return (
      <bdi class="cut" title={oneLine(firstFile)}>
        {oneLine(firstFile)}
      </bdi>
    );
  }
  return (
    <span class="cut">
      {translator.t('sent.count', { count: fileCount })}, {translator.formatSize(totalBytes)}
    </span>
  );
}

/** Whether a reminder would reach anyone. */
function canRemind({ state, notify, downloaded, receivers }: Progress): boolean {
  return state === 'live' && notify && downloaded < receivers;
}

function SentActions(props: { line: SentLine; path: string; canShowLinks: boolean }): JSX.Element {
  const translator = useTranslator();
  const { id, reference, progress, isRestorable } = props.line;
  const href = `${props.path}/${id}`;
  const isLive = progress.state === 'live';
  const remind = { label: translator.t('sentList.remind'), icon: 'bell', action: `${href}/remind` } as const;
  const links = { label: translator.t('sentList.links'), icon: 'link', href: `${href}?do=link#do` } as const;
  const canLink = props.canShowLinks && isLive;
  const extend = { label: translator.t('sentList.extend'), icon: 'calendar', href: `${href}?do=extend#do` } as const;
  const add = { label: translator.t('sentList.add'), icon: 'plus', href: `${href}?do=add#do` } as const;
  const resend = { label: translator.t('delivery.resend'), icon: 'mail', action: `${href}/resend` } as const;
  const restore = { label: translator.t('sentList.restore'), icon: 'undo', action: `${href}/restore` } as const;
  const revoke = {
    label: translator.t('sentList.revoke'),
    icon: 'stop',
    href: `${href}?do=revoke#do`,
    danger: true,
  } as const;
  const menu: MenuAction[] = [
    ...(canRemind(progress) ? [remind, resend] : []),
    ...(isLive ? [extend, add] : []),
    ...(canLink ? [links] : []),
    ...(isLive ? [revoke] : []),
    ...(isRestorable ? [restore] : []),
  ];
  const label = (text: string) => translator.t('common.labelled', { label: text, value: reference });
  return (
    <span class="row-actions">
      {canRemind(progress) && (
        <IconButton
          type="submit"
          icon="bell"
          class="on-desktop"
          label={label(remind.label)}
          title={remind.label}
          formAction={remind.action}
        />
      )}
      {canLink && (
        <IconLink icon="link" class="on-desktop" href={links.href} label={label(links.label)} title={links.label} />
      )}
      <RowMenu id={`menu-${id}`} label={label(translator.t('list.more'))} actions={menu} />
    </span>
  );
}

function NothingSent({ base, query, part, by, canChange, keptReceipts = [] }: SentListPageProps): JSX.Element {
  const translator = useTranslator();
  if (keptReceipts.length > 0) return <KeptReceipts path={`${base}sent`} receipts={keptReceipts} />;
  if (query !== '') {
    return (
      <EmptyState
        icon="search"
        title={translator.t('list.noMatch', { query: oneLine(query) })}
        action={<ButtonLink href={`${base}sent`}>{translator.t('list.showAll')}</ButtonLink>}
      >
        {translator.t('sentList.noMatchText')}
      </EmptyState>
    );
  }
  if (part === 'attention') {
    return (
      <EmptyState
        icon="check"
        title={translator.t('sentList.noAttention')}
        action={<ButtonLink href={`${base}sent`}>{translator.t('list.showAll')}</ButtonLink>}
      >
        {translator.t('sentList.noAttentionText')}
      </EmptyState>
    );
  }
  if (part !== 'all' || by !== 'anyone') {
    return (
      <EmptyState
        icon="sent"
        title={translator.t('list.nothingHere')}
        action={<ButtonLink href={`${base}sent`}>{translator.t('list.showAll')}</ButtonLink>}
      >
        {translator.t('sentList.nothingHereText')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="sent"
      title={translator.t('sentList.empty')}
      action={
        canChange ? (
          <ButtonLink icon="send" href={base}>
            {translator.t('sentList.send')}
          </ButtonLink>
        ) : undefined
      }
    >
      {translator.t('sentList.emptyText')}
    </EmptyState>
  );
}
