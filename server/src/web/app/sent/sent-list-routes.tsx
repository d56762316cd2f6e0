import type { FastifyReply } from 'fastify';
import type { VNode } from 'preact';
import { readPolicy } from '../../../domain/accounts/read-policy.ts';
import { prepareExtension } from '../../../domain/drops/extend-drop.ts';
import { findSentDrop, findSentDrops, listSentDrops } from '../../../domain/drops/find-sent-drops.ts';
import { restoreDrop, revokeSentDrop, undoSeconds } from '../../../domain/drops/revoke-drop.ts';
import type { SentDrop, SentId } from '../../../domain/drops/sent-drop-store.ts';
import { maySeeLinks } from '../../../domain/drops/show-links.ts';
import { remindReceivers } from '../../../domain/drops/write-to-receivers.ts';
import { findReceipts } from '../../../domain/evidence/make-receipt.ts';
import { readIdEnd, toReference } from '../../../domain/reference.ts';
import { namePerson } from '../components/person.tsx';
import type { AppContext, AppRoute, Member, MemberVisit } from '../shared/app-route.ts';
import { readListPage } from '../shared/list-page.ts';
import { toHref } from '../shared/list-props.ts';
import { readQueryFields, toListProps } from '../shared/list-visit.ts';
import { replyWithScreen } from '../shared/reply-with-screen.tsx';
import { offerDeadlines, readDeadline } from './deadlines.ts';
import { SelectionPage, type SelectionTask, selectionTitle } from './selection-page.tsx';
import { changeEach, readBack, readNotice, readSelection, returnWith, sentTypes } from './sent-changes.ts';
import { type KeptReceipt, type SentListLine, type SentListProps, sentListTitle } from './sent-list.tsx';
import { SentNotices, type SentScreen } from './sent-notice.tsx';
import { readSentQuery, type SentListParts, type SentListQuery } from './sent-query.ts';

/** As many receipts as one can look through. */
const maxReceipts = 100;

/** A list of what an account sends. */
interface SentList<Line> {
  readonly screen: SentScreen;
  readonly parts: SentListParts;
  toLines(visit: MemberVisit, sent: readonly SentDrop[]): Promise<readonly Line[]>;
  /** Counts the rows that wait for the account; undefined if there is nothing to say about them. */
  countWaiting(visit: MemberVisit): Promise<number | undefined>;
  toPage(visit: MemberVisit, props: SentListProps<Line>): VNode | Promise<VNode>;
}

/** The page of a list, and the changes of several of its rows at once. Those that need a decision or a value ask first. */
export function listRoutes<Line extends SentListLine>(list: SentList<Line>): readonly AppRoute[] {
  const { screen } = list;
  const path = `/:user/${screen}`;
  const toSentId = (dropId: string): SentId => ({ type: sentTypes[screen], dropId });
  const change = (
    name: string,
    handle: (visit: MemberVisit, ids: readonly string[]) => Promise<FastifyReply>,
  ): AppRoute => ({
    method: 'POST',
    path: `${path}/${name}`,
    access: 'member',
    async handle(visit) {
      const ids = readSelection(visit);
      return ids.length === 0 ? returnWith(visit, screen, 'noneSelected') : handle(visit, ids);
    },
  });
  return [
    { method: 'GET', path, access: 'reader', handle: (visit) => replyWithList(visit, list) },
    change('remind', (visit, ids) =>
      changeEach(visit, screen, 'reminded', ids, (id) =>
        remindReceivers(visit.engines, visit.actor, toSentId(id), undefined),
      ),
    ),
    change('extend', async (visit, ids) => {
      const { engines, actor, form, person, translator } = visit;
      const { lifetime } = await readPolicy(engines, actor.accountId);
      const rules = { lifetime, now: new Date(), timeZone: person.timeZone };
      const until = form.has('confirmed') ? readDeadline(form, rules) : undefined;
      if (until === undefined) {
        const problem = form.has('confirmed') ? translator.t('delivery.problem.date') : undefined;
        const choices = offerDeadlines(rules);
        return askAboutSelection(visit, ids, list, () => ({ list: screen, what: 'extend', choices }), problem);
      }
      return changeEach(visit, screen, 'extended', ids, async (id) => {
        await findSentDrop(engines, actor, toSentId(id));
        const extend = await prepareExtension(engines, { id: actor.accountId, email: actor.email }, id, until);
        await extend(engines, actor.author);
        return 1;
      });
    }),
    change('revoke', (visit, ids) => {
      if (!visit.form.has('confirmed')) {
        return askAboutSelection(visit, ids, list, (lines) => {
          const waiting = lines.reduce((sum, line) => sum + line.waiting, 0);
          const done = lines.reduce((sum, line) => sum + line.receivers, 0) - waiting;
          return { list: screen, what: 'revoke', waiting, done, undoSeconds };
        });
      }
      return changeEach(visit, screen, 'revoked', ids, async (id) => {
        await revokeSentDrop(visit.engines, visit.actor, toSentId(id), { undoSeconds });
        return 1;
      });
    }),
    change('restore', (visit, ids) =>
      changeEach(visit, screen, 'restored', ids, async (id) => {
        await restoreDrop(visit.engines, visit.actor, toSentId(id));
        return 1;
      }),
    ),
  ];
}

async function replyWithList<Line extends SentListLine>(
  visit: MemberVisit,
  list: SentList<Line>,
): Promise<FastifyReply> {
  const { engines, actor, person, translator, base, csrf } = visit;
  const { screen } = list;
  const url = readQueryFields(visit);
  const query = readSentQuery(url, list.parts, person.id);
  const [{ rows, pages }, waitingCount, canShowLinks] = await Promise.all([
    readPage(visit, screen, query),
    list.countWaiting(visit),
    maySeeLinks(engines, actor.accountId),
  ]);
  const { q, part, by, after, before, selectsAll } = query;
  const isWhole = pages.newerHref === undefined && pages.olderHref === undefined;
  const notice = readNotice(url);
  return replyWithScreen(visit, {
    screen,
    title: sentListTitle(translator, screen),
    toasts: notice && <SentNotices screen={screen} notice={notice} base={base} csrf={csrf} />,
    page: await list.toPage(visit, {
      ...toListProps(visit),
      lines: await list.toLines(visit, rows),
      keptReceipts: rows.length === 0 ? await findKeptReceipts(visit, screen, q) : [],
      query: q,
      part,
      by,
      waitingCount,
      sorts: toSorts(`${base}${screen}`, query),
      pages,
      place: { sort: query.fields.sort, after, before },
      total: isWhole ? rows.length : undefined,
      selectsAll,
      canShowLinks,
    }),
  });
}

function toSorts(path: string, { canSort, sort, fields }: SentListQuery) {
  if (!canSort) return undefined;
  return {
    sent: {
      href: toHref(path, { ...fields, sort: '' }),
      direction: sort === 'sent' ? ('descending' as const) : undefined,
    },
    until: {
      href: toHref(path, { ...fields, sort: 'until' }),
      direction: sort === 'until' ? ('ascending' as const) : undefined,
    },
  };
}

/** One page of the list. The rows of each filter are read separately. */
async function readPage(visit: MemberVisit, screen: SentScreen, { fields, filters, sort }: SentListQuery) {
  const { engines, actor, base } = visit;
  const { from, count, cut } = readListPage<Pick<SentDrop, 'id'>>(visit, `${base}${screen}`, fields, ({ id }) => ({
    id,
  }));
  const place = {
    after: from && 'after' in from ? from.after.id : undefined,
    before: from && 'before' in from ? from.before.id : undefined,
    byExpiry: sort === 'until',
  };
  const [found = [], ...others] = await Promise.all(
    filters.map((filter) => listSentDrops(engines, actor.accountId, sentTypes[screen], filter, place, count)),
  );
  if (others.length === 0) return cut(found);
  const newestFirst = [found, ...others].flat().toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return cut(place.before === undefined ? newestFirst.slice(0, count) : newestFirst.slice(-count));
}

/** Makes a line of each row, from what its list knows about it besides. */
export function makeLines<Line, Summary extends { readonly dropId: string }>(
  sent: readonly SentDrop[],
  summaries: readonly Summary[],
  toLine: (
    about: Pick<SentListLine, 'id' | 'title' | 'reference' | 'createdAt' | 'expiresAt' | 'state' | 'notify'>,
    drop: SentDrop,
    summary: Summary,
  ) => Line,
): Line[] {
  const byId = new Map(summaries.map((summary) => [summary.dropId, summary]));
  return sent.flatMap((drop) => {
    const { id, title, createdAt, expiresAt, state, notify } = drop;
    const summary = byId.get(id);
    const about = { id, reference: toReference(id), title, createdAt, expiresAt, state, notify };
    return summary ? [toLine(about, drop, summary)] : [];
  });
}

/** Finds the receipts of something whose reference is searched for, and whose own rows are purged. */
async function findKeptReceipts(
  { engines, actor: { accountId } }: AppContext & Member,
  screen: SentScreen,
  query: string,
): Promise<readonly KeptReceipt[]> {
  if (readIdEnd(query) === undefined) return [];
  const found = await findReceipts(engines, { accountId, name: query }, maxReceipts);
  const type = sentTypes[screen];
  const kept = found.filter((receipt) => receipt.type === (screen === 'sent' ? 'drop' : 'request'));
  const ids = [...new Set(kept.map((receipt) => receipt.dropId))];
  const listed = new Set((await findSentDrops(engines, accountId, type, ids)).map(({ id }) => id));
  return kept.filter(({ dropId }) => !listed.has(dropId));
}

/** Asks about the selected ones that have not ended. */
async function askAboutSelection<Line extends SentListLine>(
  visit: MemberVisit,
  ids: readonly string[],
  list: SentList<Line>,
  toTask: (lines: readonly Line[]) => SelectionTask,
  problem?: string,
): Promise<FastifyReply> {
  const { engines, actor, reply, translator } = visit;
  const { screen } = list;
  const found = await findSentDrops(engines, actor.accountId, sentTypes[screen], ids);
  const live = found.filter(({ state }) => state === 'live');
  if (live.length === 0) return returnWith(visit, screen, 'unchanged', { count: ids.length });
  const lines = await list.toLines(visit, live);
  const task = toTask(lines);
  const rows = lines.map(({ id, reference, firstReceiver }) => ({
    value: id,
    name: `${reference} · ${namePerson(firstReceiver)}`,
  }));
  const back = readBack(visit);
  if (problem !== undefined) reply.code(400);
  return replyWithScreen(visit, {
    screen,
    title: selectionTitle(translator, { task, rows }),
    page: (
      <SelectionPage
        {...toListProps(visit)}
        task={task}
        rows={rows}
        back={back && toHref('', back)}
        problem={problem}
      />
    ),
  });
}
