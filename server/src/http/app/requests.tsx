import type { FastifyReply } from 'fastify';
import { toFilter } from '../../domain/drops/find-sent-drops.ts';
import type { SentDrop } from '../../domain/drops/sent-drop-store.ts';
import { maySeeLinks } from '../../domain/drops/show-links.ts';
import { toReference } from '../../domain/reference.ts';
import { namePerson } from '../../views/components/person.tsx';
import {
  type RequestLine,
  RequestsPage,
  type RequestsPart,
  requestsTitle,
} from '../../views/pages/app/requests-page.tsx';
import { SentNotices } from '../../views/pages/app/sent-notice.tsx';
import type { AppRoute, MemberVisit } from './app-route.ts';
import { findKeptReceipts } from './find-kept-receipts.ts';
import { readListPage } from './list-page.ts';
import { readQueryFields, readQueryValue, toListProps } from './list-visit.ts';
import { oneRequestRoutes } from './request.tsx';
import { requestFormRoutes } from './request-form.tsx';
import { sendScreen } from './send-screen.tsx';
import { readNotice, sentTypes } from './sent-changes.ts';
import { selectionRoutes } from './sent-selection.tsx';

const path = '/:user/requests';
/** More than this many say the same: there is a lot open. */
const maxOpen = 1000;
const states = { open: ['live'], closed: ['expired', 'revoked'], all: [undefined] } as const;

/** The requests for files of an account, and what can be done with several of them at once. */
export const requestRoutes: readonly AppRoute[] = [
  { method: 'GET', path, access: 'reader', handle: sendList },
  ...requestFormRoutes,
  ...selectionRoutes<RequestLine>({
    screen: 'requests',
    toLines,
    toRow: ({ id, reference, firstContact }) => ({ value: id, name: `${reference} · ${namePerson(firstContact)}` }),
    askToRevoke(lines, undoSeconds) {
      const waiting = lines.reduce((sum, { contacts, fulfilled }) => sum + contacts - fulfilled, 0);
      return { what: 'closeRequests', waiting, undoSeconds };
    },
    askToExtend: (choices) => ({ what: 'extendRequests', choices }),
  }),
  ...oneRequestRoutes,
];

async function sendList(visit: MemberVisit): Promise<FastifyReply> {
  const { engines, actor, translator, base, csrf } = visit;
  const query = readQueryValue(visit, 'q');
  const asked = readQueryValue(visit, 'part');
  const part: RequestsPart = asked === 'closed' || asked === 'all' ? asked : 'open';
  const [{ rows, pages }, openCount, canShowLinks, publicPage] = await Promise.all([
    readPage(visit, part, query),
    engines.store.requests.countOpen(actor.accountId, maxOpen),
    maySeeLinks(engines, actor.accountId),
    engines.store.publicPages.ofAccount(actor.accountId),
  ]);
  const isPublic = publicPage?.isOpen && engines.policy.publicPage.isAllowed;
  const isWhole = pages.newerHref === undefined && pages.olderHref === undefined;
  const notice = readNotice(readQueryFields(visit));
  return sendScreen(visit, {
    screen: 'requests',
    title: requestsTitle(translator),
    toasts: notice && <SentNotices screen="requests" notice={notice} base={base} csrf={csrf} />,
    page: (
      <RequestsPage
        {...toListProps(visit)}
        lines={await toLines(visit, rows)}
        keptReceipts={rows.length === 0 ? await findKeptReceipts(visit, 'requests', query) : []}
        query={query}
        part={part}
        openCount={openCount}
        pages={pages}
        place={{ after: readQueryValue(visit, 'after'), before: readQueryValue(visit, 'before') }}
        total={isWhole && rows.length > 0 ? rows.length : undefined}
        selectsAll={readQueryValue(visit, 'select') === 'all'}
        canShowLinks={canShowLinks}
        publicPage={isPublic ? `${engines.policy.publicUrl}/to/${publicPage.name}` : undefined}
      />
    ),
  });
}

/** One page of the list. Closed are those that have expired and those that were revoked, which are read separately. */
async function readPage(visit: MemberVisit, part: RequestsPart, query: string) {
  const { engines, actor, base } = visit;
  const fields = { ...(part !== 'open' && { part }), ...(query !== '' && { q: query }) };
  const { from, count, cut } = readListPage<Pick<SentDrop, 'id'>>(visit, `${base}requests`, fields, ({ id }) => ({
    id,
  }));
  const place = {
    after: from && 'after' in from ? from.after.id : undefined,
    before: from && 'before' in from ? from.before.id : undefined,
  };
  const search = toFilter(query === '' ? {} : { contains: query });
  const found = await Promise.all(
    states[part].map((state) =>
      engines.store.sentDrops.page(actor.accountId, sentTypes.requests, { ...search, state }, place, count),
    ),
  );
  const newestFirst = found.flat().toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return cut(place.before === undefined ? newestFirst.slice(0, count) : newestFirst.slice(-count));
}

async function toLines({ engines, actor }: MemberVisit, requests: readonly SentDrop[]): Promise<RequestLine[]> {
  const ids = requests.map(({ id }) => id);
  const summaries = await engines.store.requests.summaries(actor.accountId, ids);
  const byId = new Map(summaries.map((summary) => [summary.requestId, summary]));
  return requests.flatMap((request) => {
    const summary = byId.get(request.id);
    if (!summary) return [];
    const { id, message, createdAt, expiresAt, state, notify, reusable, receiverCount } = request;
    const { firstContact, fulfilled, filesReceived } = summary;
    const about = { id, reference: toReference(id), message, createdAt, expiresAt, state, notify, reusable };
    return [{ ...about, contacts: receiverCount, firstContact, fulfilled, filesReceived }];
  });
}
