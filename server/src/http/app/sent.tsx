import type { FastifyReply } from 'fastify';
import type { SentDrop, SentSummary } from '../../domain/drops/sent-drop-store.ts';
import { maySeeLinks } from '../../domain/drops/show-links.ts';
import { toReference } from '../../domain/reference.ts';
import { namePerson } from '../../views/components/person.tsx';
import { toHref } from '../../views/pages/app/list-props.ts';
import { type SentLine, SentListPage, sentListTitle } from '../../views/pages/app/sent-list-page.tsx';
import { SentNotices } from '../../views/pages/app/sent-notice.tsx';
import { sendCsv } from '../shared/csv.ts';
import type { AppRoute, MemberVisit } from './app-route.ts';
import { findKeptReceipts } from './find-kept-receipts.ts';
import { readListPage } from './list-page.ts';
import { readQueryFields, toListProps } from './list-visit.ts';
import { sendScreen } from './send-screen.tsx';
import { readNotice, sentTypes } from './sent-changes.ts';
import { canSort, readSentQuery, type SentListQuery, toFields, toSentFilter } from './sent-query.ts';
import { selectionRoutes } from './sent-selection.tsx';

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
      const query = readSentQuery(readQueryFields(visit));
      return sendCsv(visit.reply, 'sent.csv', listRows(visit, query));
    },
  },
  ...selectionRoutes<SentLine>({
    screen: 'sent',
    toLines,
    toRow: ({ id, reference, firstReceiver }) => ({ value: id, name: `${reference} · ${namePerson(firstReceiver)}` }),
    askToRevoke(lines, undoSeconds) {
      const done = lines.reduce((sum, { progress }) => sum + progress.downloaded, 0);
      const all = lines.reduce((sum, { progress }) => sum + progress.receivers, 0);
      return { what: 'revokeSent', waiting: all - done, done, undoSeconds };
    },
    askToExtend: (choices) => ({ what: 'extendSent', choices }),
  }),
];

async function sendList(visit: MemberVisit): Promise<FastifyReply> {
  const { engines, actor, translator, base, csrf } = visit;
  const fields = readQueryFields(visit);
  const query = readSentQuery(fields);
  const [{ lines, pages }, attentionCount, canShowLinks] = await Promise.all([
    readPage(visit, query),
    engines.store.sentDrops.countAttention(actor.accountId, maxAttention),
    maySeeLinks(engines, actor.accountId),
  ]);
  const keptReceipts = lines.length === 0 ? await findKeptReceipts(visit, 'sent', query.q) : [];
  const notice = readNotice(fields);
  const isWhole = pages.newerHref === undefined && pages.olderHref === undefined;
  const page = (
    <SentListPage
      {...toListProps(visit)}
      lines={lines}
      keptReceipts={keptReceipts}
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
  const toasts = notice && <SentNotices screen="sent" notice={notice} base={base} csrf={csrf} />;
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
  const { rows, pages } = cut(
    await engines.store.sentDrops.page(actor.accountId, sentTypes.sent, filter, place, count),
  );
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
    const drops = await engines.store.sentDrops.page(actor.accountId, sentTypes.sent, filter, place, exportedAtOnce);
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
