import { countAttention, listSentDrops, summarizeDrops } from '../../../domain/drops/find-sent-drops.ts';
import type { SentDrop } from '../../../domain/drops/sent-drop-store.ts';
import { replyWithCsv } from '../../../http/shared/csv.ts';
import type { AppContext, AppRoute, Member, MemberVisit } from '../shared/app-route.ts';
import { readQueryFields } from '../shared/list-visit.ts';
import { type SentLine, SentListPage } from './drop-list-page.tsx';
import { sentTypes } from './sent-changes.ts';
import { listRoutes, makeLines } from './sent-list-routes.tsx';
import { readSentQuery } from './sent-query.ts';

/** More than this many say the same: there is a lot to look at. */
const maxAttention = 100;
/** Read at once for an export. */
const exportedAtOnce = 100;
const parts = {
  all: [{}],
  attention: [{ part: 'attention' }],
  underway: [{ part: 'underway' }],
  done: [{ part: 'done' }],
} as const;

/** The list of what the account has sent, and what can be done with several of its rows at once. */
export const sentRoutes: readonly AppRoute[] = [
  ...listRoutes<SentLine>({
    screen: 'sent',
    parts,
    toLines,
    async countWaiting({ engines, actor }) {
      return (await countAttention(engines, actor.accountId, maxAttention)) || undefined;
    },
    toPage: (_visit, props) => <SentListPage {...props} />,
  }),
  {
    method: 'GET',
    path: '/:user/sent.csv',
    access: 'reader',
    handle: async (visit) => replyWithCsv(visit.reply, 'sent.csv', listRows(visit)),
  },
];

async function toLines({ engines, actor }: AppContext & Member, drops: readonly SentDrop[]): Promise<SentLine[]> {
  const ids = drops.map(({ id }) => id);
  const summaries = await summarizeDrops(engines, actor.accountId, ids);
  return makeLines(drops, summaries, (about, { fileCount, restorableUntil }, summary) => ({
    ...about,
    ...summary,
    waiting: summary.receivers - summary.downloaded,
    fileCount,
    isRestorable: restorableUntil !== null,
  }));
}

/** The whole list, read a page at a time, with the names that programs know from the API. */
async function* listRows(visit: MemberVisit): AsyncGenerator<string[]> {
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
    'title',
  ];
  const { filters, sort } = readSentQuery(readQueryFields(visit), parts, person.id);
  for (const filter of filters) {
    let after: string | undefined;
    for (;;) {
      const place = { after, byExpiry: sort === 'until' };
      const drops = await listSentDrops(engines, actor.accountId, sentTypes.sent, filter, place, exportedAtOnce);
      for (const line of await toLines(visit, drops)) yield toRow(line);
      after = drops.at(-1)?.id;
      if (drops.length < exportedAtOnce) break;
    }
  }
}

function toRow({ firstReceiver, ...line }: SentLine): string[] {
  return [
    line.id,
    line.reference,
    line.state,
    line.createdAt.toISOString(),
    line.expiresAt.toISOString(),
    firstReceiver.email,
    firstReceiver.name ?? '',
    ...[line.receivers, line.delivered, line.undeliverable, line.opened, line.downloaded].map(String),
    String(line.fileCount),
    String(line.totalBytes),
    line.firstFile ?? '',
    line.title ?? '',
  ];
}
