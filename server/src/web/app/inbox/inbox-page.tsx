import { Fragment, type JSX } from 'preact';
import type { ListedEntry } from '../../../domain/inbox/inbox-store.ts';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button, ButtonLink } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { BriefMoment } from '../../shared/components/moment.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { FilterBar, Segments } from '../components/filter-bar.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Pager, type Pages } from '../components/pager.tsx';
import { namePerson, type Person } from '../components/person.tsx';
import { type ListProps, toHref } from '../shared/list-props.ts';
import { InboxEntryDetail, type InboxEntryProps } from './inbox-entry.tsx';

/** An entry of the inbox in the list. */
export interface InboxLine
  extends Pick<
    ListedEntry,
    'id' | 'title' | 'message' | 'receivedAt' | 'fileCount' | 'totalBytes' | 'isUnread' | 'state' | 'isUnsolicited'
  > {
  readonly sender: Person;
  /** The reference of the request through which a contact sent it. */
  readonly requestReference: string | null;
}

export type InboxPart = 'open' | 'done';

export interface InboxPageProps extends ListProps {
  readonly lines: readonly InboxLine[];
  readonly part: InboxPart;
  /** Whether entries are done, where none is open. */
  readonly hasDone?: boolean | undefined;
  readonly query: string;
  readonly pages: Pages;
  /** The position in the list, as its URL has it, which stays when an entry is opened. */
  readonly position?: { readonly after?: string | undefined; readonly before?: string | undefined } | undefined;
  /** The entry that was done a moment ago, which stays possible to undo for as long as the page is there. */
  readonly done?: Pick<InboxLine, 'id' | 'sender'> | undefined;
  /** The entry that is shown beside the list, and on a phone in its place. */
  readonly entry?: InboxEntryProps | undefined;
}

export function inboxTitle(translator: ViewTranslator, { entry }: Pick<InboxPageProps, 'entry'>): string {
  if (!entry) return translator.t('frame.inbox');
  return translator.t('inbox.from', { name: namePerson(entry.sender) });
}

export function InboxPage(props: InboxPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, lines, part, query, entry } = props;
  const path = `${base}inbox`;
  const chosen = part === 'open' ? '' : part;
  return (
    <>
      <PageHead
        title={translator.t('frame.inbox')}
        actions={
          <>
            <Segments
              label={translator.t('list.show')}
              segments={[
                { label: translator.t('inbox.open'), href: toHref(path, { q: query }), current: part === 'open' },
                {
                  label: translator.t('inbox.doneOnes'),
                  href: toHref(path, { part: 'done', q: query }),
                  current: part === 'done',
                },
              ]}
            />
            {props.canChange && (
              <ButtonLink icon="request" href={`${base}requests/new`}>
                {translator.t('requests.ask')}
              </ButtonLink>
            )}
          </>
        }
      />
      {props.done && <UndoDone {...props} done={props.done} />}
      <div id="entries" class="live" data-live="inbox.">
        {lines.length === 0 && query === '' && !entry ? (
          <NothingReceived {...props} />
        ) : (
          <div class={`split${entry ? ' split-open' : ''}`}>
            <div class="split-list panel">
              <FilterBar
                action={path}
                label={translator.t('inbox.search')}
                hint={translator.t('inbox.searchHint')}
                query={query}
                kept={chosen === '' ? {} : { part: chosen }}
              />
              {lines.length > 0 && (
                <ul class="entries">
                  {lines.map((line, index) => {
                    const day = nameDay(translator, line, props);
                    return (
                      <Fragment key={line.id}>
                        {day !== nameDay(translator, lines[index - 1], props) && (
                          <li class="entries-day" id={`from-${line.id}`}>
                            {day}
                          </li>
                        )}
                        <li data-row={line.id}>
                          <EntryLink
                            line={line}
                            // The heading says "yesterday", so the time is left to say.
                            now={translator.formatDay(line.receivedAt, props.now) === day ? line.receivedAt : props.now}
                            href={toHref(`${path}/${line.id}`, { part: chosen, q: query, ...props.position })}
                            current={line.id === entry?.id}
                          />
                        </li>
                      </Fragment>
                    );
                  })}
                </ul>
              )}
              <Pager pages={props.pages} />
            </div>
            <div class="split-detail">
              {entry ? (
                <InboxEntryDetail
                  {...props}
                  entry={entry}
                  backHref={toHref(path, { part: chosen, q: query, ...props.position })}
                  kept={{ part: chosen, q: query, ...props.position }}
                />
              ) : lines.length === 0 ? (
                <EmptyState
                  icon="search"
                  title={translator.t('list.noMatch', { query: oneLine(query) })}
                  action={<ButtonLink href={toHref(path, { part: chosen })}>{translator.t('list.showAll')}</ButtonLink>}
                >
                  {translator.t('inbox.noMatchText')}
                </EmptyState>
              ) : (
                <div class="split-none quiet">
                  <Icon name="inbox" />
                  <p>{translator.t('inbox.choose')}</p>
                </div>
              )}
            </div>
          </div>
        )}
      </div>
    </>
  );
}

/** A line and not a toast: it covers nothing, and waits for whoever reads slowly. */
function UndoDone({
  base,
  csrf,
  done,
}: Pick<InboxPageProps, 'base' | 'csrf'> & { done: Pick<InboxLine, 'id' | 'sender'> }): JSX.Element {
  const translator = useTranslator();
  return (
    <Banner
      tone="good"
      action={
        <form method="post" action={`${base}inbox/${done.id}/reopen`}>
          <CsrfField csrf={csrf} />
          <Button look="plain" icon="undo">
            {translator.t('inbox.undo')}
          </Button>
        </form>
      }
    >
      {translator.t('inbox.doneFrom', { name: isolate(namePerson(done.sender)) })}
    </Banner>
  );
}

/** The group of the open entries that one belongs to, by when it came. Those that are done are in another order. */
function nameDay(
  translator: ViewTranslator,
  line: InboxLine | undefined,
  { now, part }: Pick<InboxPageProps, 'now' | 'part'>,
): string | undefined {
  return line && part === 'open' ? translator.formatDayGroup(line.receivedAt, now) : undefined;
}

function EntryLink(props: { line: InboxLine; now: Date; href: string; current: boolean }): JSX.Element {
  const translator = useTranslator();
  const { line } = props;
  const excerpt = oneLine(line.title ?? line.message.trim().split('\n', 1)[0] ?? '').slice(0, 200);
  return (
    <a
      class={`entry${line.isUnread ? ' entry-unread' : ''}`}
      href={props.href}
      aria-current={props.current ? 'true' : undefined}
    >
      <span class="entry-dot" />
      <span class="entry-sender">
        {line.isUnread && <span class="unseen">{translator.t('inbox.unread')} </span>}
        <bdi>{namePerson(line.sender)}</bdi>
      </span>
      <span class="entry-at">
        <BriefMoment at={line.receivedAt} now={props.now} />
      </span>
      {excerpt !== '' && <bdi class="entry-line">{excerpt}</bdi>}
      <span class="entry-line">
        {line.fileCount === 0
          ? translator.t('sentList.messageOnly')
          : `${translator.t('sent.count', { count: line.fileCount })}, ${translator.formatSize(line.totalBytes)}`}
      </span>
      <EntryMark line={line} />
    </a>
  );
}

/** The remark about an unusual entry; most have none. */
function EntryMark({ line }: { line: InboxLine }): JSX.Element | null {
  const translator = useTranslator();
  const mark =
    line.state === 'parked'
      ? (['alert', 'inbox.parked'] as const)
      : line.state === 'claimed'
        ? (['retry', 'inbox.claimed'] as const)
        : line.isUnsolicited
          ? (['flag', 'inbox.unsolicited'] as const)
          : line.requestReference !== null
            ? (['request', 'inbox.requested'] as const)
            : undefined;
  if (!mark) return null;
  return (
    <span class="entry-line entry-mark">
      <Icon name={mark[0]} small />
      {translator.t(mark[1])}
    </span>
  );
}

function NothingReceived({ base, part, canChange, hasDone }: InboxPageProps): JSX.Element {
  const translator = useTranslator();
  if (part === 'done') {
    return (
      <EmptyState
        icon="check"
        title={translator.t('inbox.noneDone')}
        action={<ButtonLink href={`${base}inbox`}>{translator.t('inbox.showOpen')}</ButtonLink>}
      >
        {translator.t('inbox.noneDoneText')}
      </EmptyState>
    );
  }
  if (hasDone) {
    return (
      <EmptyState
        icon="check"
        title={translator.t('inbox.allDone')}
        action={<ButtonLink href={`${base}inbox?part=done`}>{translator.t('inbox.showDone')}</ButtonLink>}
      >
        {translator.t('inbox.allDoneText')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="inbox"
      title={translator.t('inbox.empty')}
      action={
        canChange ? (
          <ButtonLink icon="request" href={`${base}requests/new`}>
            {translator.t('requests.ask')}
          </ButtonLink>
        ) : (
          <ButtonLink href={`${base}inbox?part=done`}>{translator.t('inbox.showDone')}</ButtonLink>
        )
      }
    >
      {translator.t('inbox.emptyText')}
    </EmptyState>
  );
}
