import type { ComponentChildren, JSX } from 'preact';
import type { SentDrop } from '../../../domain/drops/sent-drop-store.ts';
import type { ProvenReceiver } from '../../../domain/evidence/evidence-store.ts';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Button, ButtonLink, IconButton, IconLink } from '../../shared/components/button.tsx';
import { BriefMoment } from '../../shared/components/moment.tsx';
import { ReceiptLinks } from '../../shared/components/receipt-links.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { FilterBar, type FilterChoice, Segments } from '../components/filter-bar.tsx';
import { ListForm } from '../components/list-form.tsx';
import { type ListColumn, ListTable, type Sort } from '../components/list-table.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Pager, type Pages } from '../components/pager.tsx';
import { namePerson, type Person } from '../components/person.tsx';
import { type MenuAction, RowMenu } from '../components/row-menu.tsx';
import { SelectionBar } from '../components/selection-bar.tsx';
import { type ListProps, toHref } from '../shared/list-props.ts';
import type { SentScreen } from './sent-notice.tsx';

/** A delivery or a request in its list. */
export interface SentListLine extends Pick<SentDrop, 'id' | 'title' | 'createdAt' | 'expiresAt' | 'state' | 'notify'> {
  readonly reference: string;
  readonly firstReceiver: Person;
  readonly receivers: number;
  /** How many receivers still have to download or to send files. */
  readonly waiting: number;
  /** Whether its revocation can still be undone. */
  readonly isRestorable: boolean;
}

/** A receipt of something that is too old for the list. */
export type KeptReceipt = Omit<ProvenReceiver, 'type'>;

export interface SentListProps<Line> extends ListProps {
  /** Of something whose reference is searched for, if the list has it no more. */
  readonly keptReceipts?: readonly KeptReceipt[] | undefined;
  readonly lines: readonly Line[];
  readonly query: string;
  readonly part: string;
  /** The person who sent them; empty: anyone. */
  readonly by?: string | undefined;
  /** How many the list has in the part that waits for the account; undefined if that was not counted. */
  readonly waitingCount?: number | undefined;
  readonly sorts?: Partial<Readonly<Record<'until' | 'sent', Sort>>> | undefined;
  readonly pages: Pages;
  /** The fields of the URL that say which page of the list this is, and in which order. */
  readonly place?: Readonly<Record<string, string | undefined>> | undefined;
  /** How many the list has in all; undefined if that was not counted. */
  readonly total?: number | undefined;
  /** Whether every row is selected at first (`?select=all`). */
  readonly selectsAll: boolean;
  /** Whether the account's rules allow its members to see the links of receivers. */
  readonly canShowLinks: boolean;
}

interface SentListLook<Line> {
  readonly screen: SentScreen;
  /** The parts of the list; the first is shown if the URL names none. */
  readonly parts: readonly (readonly [part: string, text: string])[];
  /** The part that `waitingCount` counts. */
  readonly countedPart: string;
  readonly choices?: readonly FilterChoice[] | undefined;
  readonly columns: readonly ListColumn<Line>[];
  /** The main action of the page. */
  readonly action: ComponentChildren;
  /** Replaces the table if nothing is in this part of the list. */
  readonly empty: ComponentChildren;
}

const texts = {
  sent: {
    title: 'frame.sent',
    search: 'sentList.search',
    searchHint: 'sentList.searchHint',
    noMatch: 'sentList.noMatchText',
    total: 'sentList.total',
    add: 'sentList.add',
    revoke: 'sentList.revoke',
  },
  requests: {
    title: 'frame.requests',
    search: 'requests.search',
    searchHint: 'requests.searchHint',
    noMatch: 'requests.noMatchText',
    total: 'requests.total',
    add: 'requests.askOthers',
    revoke: 'requests.close',
  },
} as const;
const subjects = { sent: 'drop.', requests: 'request.' } as const;

export function sentListTitle(translator: ViewTranslator, screen: SentScreen): string {
  return translator.t(texts[screen].title);
}

/** The list of an account's deliveries, or of its requests for files. */
export function SentList<Line extends SentListLine>(props: SentListProps<Line> & SentListLook<Line>): JSX.Element {
  const translator = useTranslator();
  const { screen, base, query, by, lines, parts, countedPart, keptReceipts = [] } = props;
  const path = `${base}${screen}`;
  const usualPart = parts[0]?.[0];
  const toField = (part: string) => (part === usualPart ? '' : part);
  const chosenPart = toField(props.part);
  const fields = { q: query, part: chosenPart, by };
  return (
    <>
      <PageHead title={sentListTitle(translator, screen)} actions={props.action} />
      <FilterBar
        action={path}
        label={translator.t(texts[screen].search)}
        hint={translator.t(texts[screen].searchHint)}
        query={query}
        kept={chosenPart === '' ? {} : { part: chosenPart }}
        choices={props.choices}
      >
        <Segments
          label={translator.t('list.show')}
          segments={parts.map(([part, text]) => ({
            label: translator.t(text),
            href: toHref(path, { part: toField(part), q: query, by }),
            current: part === props.part,
            count: part === countedPart ? props.waitingCount : undefined,
          }))}
        />
      </FilterBar>
      <div id={screen} class="live" data-live={subjects[screen]}>
        {lines.length > 0 ? (
          <SentTable {...props} path={path} fields={{ ...fields, ...props.place }} />
        ) : keptReceipts.length > 0 ? (
          <KeptReceipts path={path} receipts={keptReceipts} />
        ) : query === '' ? (
          props.empty
        ) : (
          <EmptyState
            icon="search"
            title={translator.t('list.noMatch', { query: oneLine(query) })}
            action={
              <ButtonLink href={toHref(path, { part: toField('all') })}>{translator.t('list.showAll')}</ButtonLink>
            }
          >
            {translator.t(texts[screen].noMatch)}
          </EmptyState>
        )}
      </div>
    </>
  );
}

function SentTable<Line extends SentListLine>(
  props: SentListProps<Line> &
    SentListLook<Line> & { path: string; fields: Readonly<Record<string, string | undefined>> },
): JSX.Element {
  const translator = useTranslator();
  const { screen, path, fields, columns, canChange, selectsAll, total } = props;
  const title = sentListTitle(translator, screen);
  const actions: ListColumn<Line> = {
    name: 'actions',
    label: translator.t('list.actions'),
    unlabelled: true,
    cell: (line) => <LineActions line={line} screen={screen} path={path} canShowLinks={props.canShowLinks} />,
  };
  const table = (
    <div class="panel">
      <ListTable
        caption={title}
        look={screen}
        columns={canChange ? [...columns, actions] : columns}
        rows={props.lines}
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
  return (
    <>
      {canChange ? (
        <ListForm csrf={props.csrf} label={title}>
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
              {translator.t(texts[screen].revoke)}
            </Button>
          </SelectionBar>
        </ListForm>
      ) : (
        table
      )}
      <Pager
        pages={props.pages}
        order={props.sorts?.until?.direction ? 'name' : 'time'}
        about={total === undefined ? undefined : translator.t(texts[screen].total, { count: total })}
      />
    </>
  );
}

function LineActions(props: {
  line: SentListLine;
  screen: SentScreen;
  path: string;
  canShowLinks: boolean;
}): JSX.Element {
  const translator = useTranslator();
  const { id, reference, state, notify, waiting, isRestorable } = props.line;
  const { add, revoke } = texts[props.screen];
  const href = `${props.path}/${id}`;
  const isLive = state === 'live';
  const canRemind = isLive && notify && waiting > 0;
  const canLink = isLive && props.canShowLinks;
  const remind = { label: translator.t('sentList.remind'), icon: 'bell', action: `${href}/remind` } as const;
  const links = { label: translator.t('sentList.links'), icon: 'link', href: `${href}?do=link#do` } as const;
  const offered: readonly (MenuAction | false)[] = [
    canRemind && remind,
    canRemind && { label: translator.t('delivery.resend'), icon: 'mail', action: `${href}/resend` },
    isLive && { label: translator.t('sentList.extend'), icon: 'calendar', href: `${href}?do=extend#do` },
    isLive && { label: translator.t(add), icon: 'plus', href: `${href}?do=add#do` },
    canLink && links,
    isLive && { label: translator.t(revoke), icon: 'stop', href: `${href}?do=revoke#do`, danger: true },
    isRestorable && { label: translator.t('sentList.restore'), icon: 'undo', action: `${href}/restore` },
  ];
  const label = (text: string) => translator.t('common.labelled', { label: text, value: reference });
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
      <RowMenu
        id={`menu-${id}`}
        label={label(translator.t('list.more'))}
        actions={offered.filter((action) => action !== false)}
      />
    </span>
  );
}

/** The deadline of a line, if it has not ended. */
export function Until({ line: { state, expiresAt }, now }: { line: SentListLine; now: Date }): JSX.Element {
  const translator = useTranslator();
  if (state !== 'live') return <>{translator.t('sentList.ended')}</>;
  return (
    <>
      <span class="on-phone">{translator.t('sentList.untilPhone')} </span>
      <BriefMoment at={expiresAt} now={now} />
    </>
  );
}

/** The number of receivers besides the first, whose name stands before it. */
export function OtherReceivers({ line: { receivers } }: { line: SentListLine }): JSX.Element | null {
  const translator = useTranslator();
  const count = receivers - 1;
  if (count < 1) return null;
  const label = translator.t('sentList.moreReceivers', { count });
  return (
    <span class="quiet unbroken" title={label}>
      <span aria-hidden="true">+{translator.formatNumber(count)}</span>
      <span class="unseen">{label}</span>
    </span>
  );
}

/** The receipts of what is searched for by its reference and is in the list no more. `path` is that of the list. */
function KeptReceipts({ path, receipts }: { path: string; receipts: readonly KeptReceipt[] }): JSX.Element {
  const translator = useTranslator();
  return (
    <section class="stack">
      <h2>{translator.t('list.keptReceipts')}</h2>
      <p>{translator.t('list.keptReceiptsText')}</p>
      <ul class="stack">
        {receipts.map(({ dropId, position, ...person }) => (
          <li key={`${dropId} ${position}`}>
            <bdi>{namePerson(person)}</bdi>
            <ReceiptLinks path={`${path}/${dropId}/receivers/${position}/receipt`} of={namePerson(person)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
