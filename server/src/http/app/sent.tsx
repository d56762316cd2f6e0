import type { FastifyReply } from 'fastify';
import { readPolicy } from '../../domain/accounts/read-policy.ts';
import { prepareExtension } from '../../domain/drops/extend-drop.ts';
import { restoreDrop, undoSeconds } from '../../domain/drops/restore-drop.ts';
import { revokeSentDrop } from '../../domain/drops/revoke-sent-drop.ts';
import type { SentDrop, SentSummary } from '../../domain/drops/sent-drop-store.ts';
import { maySeeLinks } from '../../domain/drops/show-links.ts';
import { remindReceivers } from '../../domain/drops/write-to-receivers.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { toReference } from '../../domain/reference.ts';
import { namePerson } from '../../views/components/person.tsx';
import { toHref } from '../../views/pages/app/list-props.ts';
import { SelectionPage, type SelectionTask, selectionTitle } from '../../views/pages/app/selection-page.tsx';
import { type SentLine, SentListPage, sentListTitle } from '../../views/pages/app/sent-list-page.tsx';
import { SentNotices } from '../../views/pages/app/sent-notice.tsx';
import { sendCsv } from '../shared/csv.ts';
import type { AppRoute, MemberVisit } from './app-route.ts';
import { offerDeadlines, readDeadline } from './deadlines.ts';
import { readListPage } from './list-page.ts';
import { toListProps } from './list-visit.ts';
import { sendScreen } from './send-screen.tsx';
import { changeEach, readNotice, readQuery, readSelection, returnWith, sentType } from './sent-changes.ts';
import { canSort, readSentQuery, type SentListQuery, toFields, toSentFilter } from './sent-query.ts';

const path = '/:user/sent';
/** More than this many say the same: there is a lot to look at. */
const maxAttention = 100;
/** Read at once for an export. */
const exportedAtOnce = 100;

/** The list of what the account has sent, and what can be done with several of its rows at once. */
export const sentRoutes: readonly AppRoute[] = [
  { method: 'GET', path, access: 'reader', handle: sendList },
  {
    method: 'GET',
    path: `${path}.csv`,
    access: 'reader',
    async handle(visit) {
      const query = readSentQuery(readQuery(visit));
      return sendCsv(visit.reply, 'sent.csv', listRows(visit, query));
    },
  },
  {
    method: 'POST',
    path: `${path}/remind`,
    access: 'member',
    async handle(visit) {
      const { engines, actor } = visit;
      const ids = readSelection(visit);
      if (ids.length === 0) return returnWith(visit, 'noneSelected');
      const { count, unchanged, isLimited } = await changeEach(ids, (dropId) =>
        remindReceivers(engines, actor, { type: sentType, dropId }, undefined),
      );
      return returnWith(visit, isLimited ? 'limit' : 'reminded', { count, unchanged });
    },
  },
  { method: 'POST', path: `${path}/extend`, access: 'member', handle: extendSelection },
  { method: 'POST', path: `${path}/revoke`, access: 'member', handle: revokeSelection },
  {
    method: 'POST',
    path: `${path}/restore`,
    access: 'member',
    async handle(visit) {
      const { engines, actor } = visit;
      const { changed } = await changeEach(readSelection(visit), async (dropId) => {
        await restoreDrop(engines, actor, { type: sentType, dropId });
        return 1;
      });
      const count = changed.length;
      return count === 0 ? returnWith(visit, 'tooLate') : returnWith(visit, 'restored', { count });
    },
  },
];

async function sendList(visit: MemberVisit): Promise<FastifyReply> {
  const { engines, actor, translator, base, csrf } = visit;
  const fields = readQuery(visit);
  const query = readSentQuery(fields);
  const [{ lines, pages }, attentionCount, canShowLinks] = await Promise.all([
    readPage(visit, query),
    engines.store.sentDrops.countAttention(actor.accountId, maxAttention),
    maySeeLinks(engines, actor.accountId),
  ]);
  const notice = readNotice(fields);
  const isWhole = pages.newerHref === undefined && pages.olderHref === undefined;
  const page = (
    <SentListPage
      {...toListProps(visit)}
      lines={lines}
      query={query.q}
      part={query.part}
      by={query.by}
      attentionCount={attentionCount}
      sorts={toSorts(visit, query)}
      pages={pages}
      place={{ sort: toFields(query)['sort'], after: query.after, before: query.before }}
      total={isWhole ? lines.length : undefined}
      selectsAll={query.selectsAll}
      canShowLinks={canShowLinks}
    />
  );
  const toasts = notice && <SentNotices notice={notice} base={base} csrf={csrf} />;
  return sendScreen(visit, { screen: 'sent', title: sentListTitle(translator), page, toasts });
}

function toSorts({ base }: MemberVisit, query: SentListQuery) {
  if (!canSort(query)) return undefined;
  const sorted = (sort: SentListQuery['sort']) => toHref(`${base}sent`, toFields({ ...query, sort }));
  return {
    sent: { href: sorted('sent'), direction: query.sort === 'sent' ? ('descending' as const) : undefined },
    until: { href: sorted('until'), direction: query.sort === 'until' ? ('ascending' as const) : undefined },
  };
}

/** One page of the list. */
async function readPage(visit: MemberVisit, query: SentListQuery) {
  const { engines, actor, person, base } = visit;
  const { from, count, cut } = readListPage<Pick<SentDrop, 'id'>>(visit, `${base}sent`, toFields(query), ({ id }) => ({
    id,
  }));
  const place = {
    after: from && 'after' in from ? from.after.id : undefined,
    before: from && 'before' in from ? from.before.id : undefined,
    byExpiry: query.sort === 'until',
  };
  const filter = toSentFilter(query, person.id);
  const { rows, pages } = cut(await engines.store.sentDrops.page(actor.accountId, sentType, filter, place, count));
  return { lines: await toLines(visit, rows), pages };
}

async function toLines({ engines, actor }: MemberVisit, drops: readonly SentDrop[]): Promise<SentLine[]> {
  const summaries = await engines.store.sentDrops.summaries(
    actor.accountId,
    drops.map(({ id }) => id),
  );
  const byId = new Map(summaries.map((summary) => [summary.dropId, summary]));
  return drops.flatMap((drop) => {
    const summary = byId.get(drop.id);
    return summary ? [toLine(drop, summary)] : [];
  });
}

function toLine(drop: SentDrop, summary: SentSummary): SentLine {
  const { receivers, delivered, undeliverable, opened, downloaded, firstReceiver, firstFile, totalBytes } = summary;
  const { id, createdAt, expiresAt, state, notify, fileCount } = drop;
  return {
    id,
    reference: toReference(id),
    createdAt,
    expiresAt,
    firstReceiver,
    fileCount,
    totalBytes,
    firstFile,
    progress: { state, notify, receivers, delivered, undeliverable, opened, downloaded },
    isRestorable: drop.restorableUntil !== null,
  };
}

/** The whole list, read a page at a time, with the names that programs know from the API. */
async function* listRows(visit: MemberVisit, query: SentListQuery): AsyncGenerator<string[]> {
  const { engines, actor, person } = visit;
  yield [
    'id',
    'reference',
    'state',
    'created_at',
    'expires_at',
    'first_receiver',
    'first_receiver_name',
    'receivers',
    'delivered',
    'undeliverable',
    'opened',
    'downloaded',
    'files',
    'bytes',
    'first_file',
  ];
  const filter = toSentFilter(query, person.id);
  let after: string | undefined;
  for (;;) {
    const place = { after, byExpiry: query.sort === 'until' };
    const drops = await engines.store.sentDrops.page(actor.accountId, sentType, filter, place, exportedAtOnce);
    for (const line of await toLines(visit, drops)) yield toRow(line);
    after = drops.at(-1)?.id;
    if (drops.length < exportedAtOnce) return;
  }
}

function toRow({ progress, firstReceiver, ...line }: SentLine): string[] {
  return [
    line.id,
    line.reference,
    progress.state,
    line.createdAt.toISOString(),
    line.expiresAt.toISOString(),
    firstReceiver.email,
    firstReceiver.name ?? '',
    ...[progress.receivers, progress.delivered, progress.undeliverable, progress.opened, progress.downloaded].map(
      String,
    ),
    String(line.fileCount),
    String(line.totalBytes),
    line.firstFile ?? '',
  ];
}

/** The selected deliveries that have not ended. */
async function readLiveSelection(visit: MemberVisit): Promise<SentLine[]> {
  const { engines, actor } = visit;
  const { sentDrops } = engines.store;
  const drops = await Promise.all(
    readSelection(visit).map((dropId) => sentDrops.find(actor.accountId, { type: sentType, dropId })),
  );
  return toLines(
    visit,
    drops.filter((drop): drop is SentDrop => drop?.state === 'live'),
  );
}

async function sendSelection(
  visit: MemberVisit,
  lines: readonly SentLine[],
  task: SelectionTask,
  problem?: string,
): Promise<FastifyReply> {
  const { translator, reply } = visit;
  const rows = lines.map(({ id, reference, firstReceiver }) => ({
    value: id,
    name: `${reference} · ${namePerson(firstReceiver)}`,
  }));
  const page = <SelectionPage {...toListProps(visit)} task={task} rows={rows} problem={problem} />;
  if (problem !== undefined) reply.code(400);
  return sendScreen(visit, { screen: 'sent', title: selectionTitle(translator, { task, rows }), page });
}

async function revokeSelection(visit: MemberVisit): Promise<FastifyReply> {
  const { engines, actor, form } = visit;
  const ids = readSelection(visit);
  if (ids.length === 0) return returnWith(visit, 'noneSelected');
  if (!form.has('confirmed')) {
    const lines = await readLiveSelection(visit);
    if (lines.length === 0) return returnWith(visit, 'unchanged', { count: ids.length });
    const done = lines.reduce((sum, { progress }) => sum + progress.downloaded, 0);
    const all = lines.reduce((sum, { progress }) => sum + progress.receivers, 0);
    return sendSelection(visit, lines, { what: 'revokeSent', waiting: all - done, done, undoSeconds });
  }
  const { changed, unchanged } = await changeEach(ids, async (dropId) => {
    await revokeSentDrop(engines, actor, { type: sentType, dropId }, { undoSeconds });
    return 1;
  });
  return changed.length === 0
    ? returnWith(visit, 'unchanged', { count: unchanged })
    : returnWith(visit, 'revoked', { count: changed.length, unchanged, undo: changed });
}

async function extendSelection(visit: MemberVisit): Promise<FastifyReply> {
  const { engines, actor, form, person, translator } = visit;
  const ids = readSelection(visit);
  if (ids.length === 0) return returnWith(visit, 'noneSelected');
  const { lifetime } = await readPolicy(engines, actor.accountId);
  const rules = { lifetime, now: new Date(), timeZone: person.timeZone };
  const until = form.has('confirmed') ? readDeadline(form, rules) : undefined;
  if (until === undefined) {
    const lines = await readLiveSelection(visit);
    if (lines.length === 0) return returnWith(visit, 'unchanged', { count: ids.length });
    const problem = form.has('confirmed') ? translator.t('delivery.problem.date') : undefined;
    return sendSelection(visit, lines, { what: 'extendSent', choices: offerDeadlines(rules) }, problem);
  }
  const { changed, unchanged } = await changeEach(ids, async (dropId) => {
    if (!(await engines.store.sentDrops.find(actor.accountId, { type: sentType, dropId }))) {
      throw new ExchangeError('not_found');
    }
    const extend = await prepareExtension(engines, { id: actor.accountId, email: actor.email }, dropId, until);
    await extend(engines.store, actor.author);
    return 1;
  });
  return returnWith(visit, 'extended', { count: changed.length, unchanged });
}
