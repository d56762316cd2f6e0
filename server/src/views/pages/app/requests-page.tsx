import type { JSX } from 'preact';
import { Button, ButtonLink, IconButton, IconLink } from '../../components/button.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterBar, Segments } from '../../components/filter-bar.tsx';
import { ListForm } from '../../components/list-form.tsx';
import { type ListColumn, ListTable, type Sort } from '../../components/list-table.tsx';
import { BriefMoment } from '../../components/moment.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager, type Pages } from '../../components/pager.tsx';
import { Panel } from '../../components/panel.tsx';
import { namePerson, type Person } from '../../components/person.tsx';
import { type MenuAction, RowMenu } from '../../components/row-menu.tsx';
import { SelectionBar } from '../../components/selection-bar.tsx';
import { useTranslator, type ViewTranslator } from '../../components/translator-context.ts';
import { oneLine } from '../../plain.ts';
import { type KeptReceipt, KeptReceipts } from './kept-receipts.tsx';
import { type ListProps, toHref } from './list-props.ts';
import { RequestChip, type RequestProgress } from './request-state.tsx';

/** A request for files in the list. */
export interface RequestLine extends RequestProgress {
  readonly id: string;
  readonly reference: string;
  readonly message: string;
  readonly createdAt: Date;
  readonly notify: boolean;
  readonly firstContact: Person;
}

export type RequestsPart = 'open' | 'closed' | 'all';

export interface RequestsPageProps extends ListProps {
  /** Of something whose reference is searched for, if the list has it no more. */
  readonly keptReceipts?: readonly KeptReceipt[] | undefined;
  readonly lines: readonly RequestLine[];
  readonly query: string;
  readonly part: RequestsPart;
  readonly openCount?: number | undefined;
  readonly sorts?: Partial<Readonly<Record<'until', Sort>>> | undefined;
  readonly pages: Pages;
  /** The fields of the URL that say which page of the list this is. */
  readonly place?: Readonly<Record<string, string | undefined>> | undefined;
  readonly total?: number | undefined;
  readonly selectsAll: boolean;
  readonly canShowLinks: boolean;
  /** The address of the account's public page, if it is open. */
  readonly publicPage?: string | undefined;
}

const parts = [
  ['open', 'requests.open'],
  ['closed', 'requests.closedOnes'],
  ['all', 'sentList.all'],
] as const;

export function requestsTitle(translator: ViewTranslator): string {
  return translator.t('frame.requests');
}

/** Names a request by the first line of its message. */
export function nameRequest(translator: ViewTranslator, { message }: Pick<RequestLine, 'message'>): string {
  return oneLine(message.trim().split('\n', 1)[0] ?? '').slice(0, 120) || translator.t('requests.unnamed');
}

export function RequestsPage(props: RequestsPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, query, part, lines, canChange } = props;
  const path = `${base}requests`;
  return (
    <>
      <PageHead
        title={requestsTitle(translator)}
        actions={
          canChange && (
            <ButtonLink icon="plus" class="button-tint" href={`${path}/new`}>
              {translator.t('requests.ask')}
            </ButtonLink>
          )
        }
      />
      <FilterBar
        action={path}
        label={translator.t('requests.search')}
        hint={translator.t('requests.searchHint')}
        query={query}
        kept={part === 'open' ? {} : { part }}
      >
        <Segments
          label={translator.t('list.show')}
          segments={parts.map(([value, text]) => ({
            label: translator.t(text),
            href: toHref(path, { part: value === 'open' ? '' : value, q: query }),
            current: value === part,
            count: value === 'open' ? props.openCount : undefined,
          }))}
        />
      </FilterBar>
      <div id="requests" class="live" data-live="request.">
        {lines.length === 0 ? <NothingAsked {...props} /> : <RequestsTable {...props} />}
      </div>
      {props.publicPage !== undefined && (
        <Panel title={translator.t('settings.public')}>
          <p class="quiet">
            {translator.t('settings.publicAbout')} {translator.t('settings.public.openNote')}
          </p>
          <CopyField label={translator.t('settings.public')} value={props.publicPage} />
        </Panel>
      )}
    </>
  );
}

function RequestsTable(props: RequestsPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, lines, now, canChange, selectsAll, total } = props;
  const path = `${base}requests`;
  const fields = { q: props.query, part: props.part === 'open' ? '' : props.part };
  const columns: ListColumn<RequestLine>[] = [
    {
      name: 'what',
      label: translator.t('requests.what'),
      cell: (line) => (
        <span class="cut-line">
          <a class="row-link" dir="auto" href={`${path}/${line.id}`} title={nameRequest(translator, line)}>
            {nameRequest(translator, line)}
          </a>
        </span>
      ),
    },
    { name: 'who', label: translator.t('requests.who'), cell: (line) => <Who line={line} /> },
    { name: 'arrived', label: translator.t('requests.arrivedColumn'), cell: (line) => <Arrived line={line} /> },
    {
      name: 'until',
      label: translator.t('requests.until'),
      sort: props.sorts?.until,
      cell: ({ expiresAt, state }) =>
        state === 'live' ? (
          <>
            <span class="on-phone">{translator.t('sentList.untilPhone')} </span>
            <BriefMoment at={expiresAt} now={now} />
          </>
        ) : (
          translator.t('sentList.ended')
        ),
    },
    { name: 'state', label: translator.t('requests.state'), cell: (line) => <RequestChip request={line} now={now} /> },
  ];
  const actions: ListColumn<RequestLine> = {
    name: 'actions',
    label: translator.t('list.actions'),
    unlabelled: true,
    cell: (line) => <RequestActions line={line} path={path} canShowLinks={props.canShowLinks} />,
  };
  const pager = (
    <Pager
      pages={props.pages}
      about={total === undefined ? undefined : translator.t('requests.total', { count: total })}
    />
  );
  const table = (
    <div class="panel">
      <ListTable
        caption={requestsTitle(translator)}
        look="requests"
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
                allHref: toHref(path, { ...fields, ...props.place, select: selectsAll ? '' : 'all' }),
              }
            : undefined
        }
      />
    </div>
  );
  return (
    <>
      {canChange ? (
        <ListForm csrf={props.csrf} label={requestsTitle(translator)}>
          <input type="hidden" name="back" value={toHref('', { ...fields, ...props.place })} />
          {table}
          <SelectionBar noneHref={selectsAll ? toHref(path, { ...fields, ...props.place }) : undefined}>
            <Button look="plain" icon="bell" formAction={`${path}/remind`}>
              {translator.t('sentList.remind')}
            </Button>
            <Button look="plain" icon="calendar" formAction={`${path}/extend`}>
              {translator.t('sentList.extend')}
            </Button>
            <Button look="plain" icon="stop" class="button-bad" formAction={`${path}/revoke`}>
              {translator.t('requests.close')}
            </Button>
          </SelectionBar>
        </ListForm>
      ) : (
        table
      )}
      {pager}
    </>
  );
}

function Who({ line }: { line: RequestLine }): JSX.Element {
  const translator = useTranslator();
  const more = line.contacts - 1;
  return (
    <span class="cut-line">
      <bdi class="cut" title={namePerson(line.firstContact)}>
        {namePerson(line.firstContact)}
      </bdi>
      {more > 0 && (
        <span class="quiet unbroken">
          <span aria-hidden="true">+{translator.formatNumber(more)}</span>
          <span class="unseen">{translator.t('sentList.moreReceivers', { count: more })}</span>
        </span>
      )}
    </span>
  );
}

function Arrived({ line: { filesReceived, fulfilled, contacts } }: { line: RequestLine }): JSX.Element {
  const translator = useTranslator();
  if (filesReceived === 0) return <span class="quiet">{translator.t('requests.nothingYet')}</span>;
  return (
    <span>
      {translator.t('sent.count', { count: filesReceived })}{' '}
      {contacts > 1 && (
        <span class="quiet">{translator.t('requests.fromSome', { count: fulfilled, of: contacts })}</span>
      )}
    </span>
  );
}

function RequestActions(props: { line: RequestLine; path: string; canShowLinks: boolean }): JSX.Element {
  const translator = useTranslator();
  const { id, reference, state, notify, fulfilled, contacts } = props.line;
  const href = `${props.path}/${id}`;
  const isLive = state === 'live';
  const canRemind = isLive && notify && fulfilled < contacts;
  const label = (text: string) => translator.t('common.labelled', { label: text, value: reference });
  const remind = { label: translator.t('sentList.remind'), icon: 'bell', action: `${href}/remind` } as const;
  const resend = { label: translator.t('delivery.resend'), icon: 'mail', action: `${href}/resend` } as const;
  const links = { label: translator.t('sentList.links'), icon: 'link', href: `${href}?do=link#do` } as const;
  const canLink = isLive && props.canShowLinks;
  const menu: MenuAction[] = [
    ...(canRemind ? [remind, resend] : []),
    ...(isLive
      ? ([
          { label: translator.t('sentList.extend'), icon: 'calendar', href: `${href}?do=extend#do` },
          { label: translator.t('requests.askOthers'), icon: 'plus', href: `${href}?do=add#do` },
        ] as const)
      : []),
    ...(canLink ? [links] : []),
    ...(isLive
      ? [{ label: translator.t('requests.close'), icon: 'stop', href: `${href}?do=revoke#do`, danger: true } as const]
      : []),
  ];
  return (
    <span class="row-actions">
      {canRemind && (
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

function NothingAsked({ base, query, part, canChange, keptReceipts = [] }: RequestsPageProps): JSX.Element {
  const translator = useTranslator();
  const path = `${base}requests`;
  if (keptReceipts.length > 0) return <KeptReceipts path={path} receipts={keptReceipts} />;
  if (query !== '') {
    return (
      <EmptyState
        icon="search"
        title={translator.t('list.noMatch', { query: oneLine(query) })}
        action={<ButtonLink href={`${path}?part=all`}>{translator.t('list.showAll')}</ButtonLink>}
      >
        {translator.t('requests.noMatchText')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="request"
      title={translator.t(part === 'closed' ? 'list.nothingHere' : 'requests.empty')}
      action={
        part === 'closed' || !canChange ? undefined : (
          <ButtonLink icon="request" href={`${path}/new`}>
            {translator.t('requests.ask')}
          </ButtonLink>
        )
      }
    >
      {translator.t(part === 'closed' ? 'requests.noneClosedText' : 'requests.emptyText')}
    </EmptyState>
  );
}
