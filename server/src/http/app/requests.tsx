import type { FastifyReply } from 'fastify';
import { readPolicy } from '../../domain/accounts/read-policy.ts';
import { prepareExtension } from '../../domain/drops/extend-drop.ts';
import { toFilter } from '../../domain/drops/find-sent-drops.ts';
import { restoreDrop, undoSeconds } from '../../domain/drops/restore-drop.ts';
import { revokeSentDrop } from '../../domain/drops/revoke-sent-drop.ts';
import type { SentDrop } from '../../domain/drops/sent-drop-store.ts';
import { maySeeLinks } from '../../domain/drops/show-links.ts';
import { remindReceivers } from '../../domain/drops/write-to-receivers.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { toReference } from '../../domain/reference.ts';
import { namePerson } from '../../views/components/person.tsx';
import { RequestsNotice } from '../../views/pages/app/requests-notice.tsx';
import {
  type RequestLine,
  RequestsPage,
  type RequestsPart,
  requestsTitle,
} from '../../views/pages/app/requests-page.tsx';
import { SelectionPage, type SelectionTask, selectionTitle } from '../../views/pages/app/selection-page.tsx';
import type { AppRoute, MemberVisit } from './app-route.ts';
import { offerDeadlines, readDeadline } from './deadlines.ts';
import { readListPage } from './list-page.ts';
import { readQuery, toListProps } from './list-visit.ts';
import { oneRequestRoutes } from './request.tsx';
import { readNotice, requestType, returnToRequests } from './request-changes.ts';
import { requestFormRoutes } from './request-form.tsx';
import { sendScreen } from './send-screen.tsx';
import { changeEach, readSelection } from './sent-changes.ts';

const path = '/:user/requests';
/** More than this many say the same: there is a lot open. */
const maxOpen = 1000;
const states = { open: ['live'], closed: ['expired', 'revoked'], all: [undefined] } as const;

/** The requests for files of an account, and what can be done with several of them at once. */
export const requestRoutes: readonly AppRoute[] = [
  { method: 'GET', path, access: 'reader', handle: sendList },
  ...requestFormRoutes,
  {
    method: 'POST',
    path: `${path}/remind`,
    access: 'member',
    async handle(visit) {
      const { engines, actor } = visit;
      const ids = readSelection(visit);
      if (ids.length === 0) return returnToRequests(visit, 'noneSelected');
      const { count, isLimited } = await changeEach(ids, (dropId) =>
        remindReceivers(engines, actor, { type: requestType, dropId }, undefined),
      );
      return returnToRequests(visit, isLimited ? 'limit' : 'reminded', { count });
    },
  },
  { method: 'POST', path: `${path}/extend`, access: 'member', handle: extendSelection },
  { method: 'POST', path: `${path}/revoke`, access: 'member', handle: closeSelection },
  {
    method: 'POST',
    path: `${path}/restore`,
    access: 'member',
    async handle(visit) {
      const { engines, actor } = visit;
      const { changed } = await changeEach(readSelection(visit), async (dropId) => {
        await restoreDrop(engines, actor, { type: requestType, dropId });
        return 1;
      });
      const count = changed.length;
      return returnToRequests(visit, count === 0 ? 'tooLate' : 'restored', { count });
    },
  },
  ...oneRequestRoutes,
];

async function sendList(visit: MemberVisit): Promise<FastifyReply> {
  const { engines, actor, translator, base, csrf } = visit;
  const query = readQuery(visit, 'q');
  const asked = readQuery(visit, 'part');
  const part: RequestsPart = asked === 'closed' || asked === 'all' ? asked : 'open';
  const [{ rows, pages }, openCount, canShowLinks] = await Promise.all([
    readPage(visit, part, query),
    engines.store.requests.countOpen(actor.accountId, maxOpen),
    maySeeLinks(engines, actor.accountId),
  ]);
  const isWhole = pages.newerHref === undefined && pages.olderHref === undefined;
  const notice = readNotice(visit);
  return sendScreen(visit, {
    screen: 'requests',
    title: requestsTitle(translator),
    toasts: notice && <RequestsNotice notice={notice} base={base} csrf={csrf} />,
    page: (
      <RequestsPage
        {...toListProps(visit)}
        lines={await toLines(visit, rows)}
        query={query}
        part={part}
        openCount={openCount}
        pages={pages}
        total={isWhole && rows.length > 0 ? rows.length : undefined}
        selectsAll={readQuery(visit, 'select') === 'all'}
        canShowLinks={canShowLinks}
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
      engines.store.sentDrops.page(actor.accountId, requestType, { ...search, state }, place, count),
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

/** The selected requests that are open. */
async function readOpenSelection(visit: MemberVisit): Promise<RequestLine[]> {
  const { engines, actor } = visit;
  const found = await Promise.all(
    readSelection(visit).map((dropId) => engines.store.sentDrops.find(actor.accountId, { type: requestType, dropId })),
  );
  return toLines(
    visit,
    found.filter((request): request is SentDrop => request?.state === 'live'),
  );
}

async function closeSelection(visit: MemberVisit): Promise<FastifyReply> {
  const { engines, actor, form } = visit;
  const ids = readSelection(visit);
  if (ids.length === 0) return returnToRequests(visit, 'noneSelected');
  if (form.get('confirmed') !== '1') {
    const lines = await readOpenSelection(visit);
    const waiting = lines.reduce((sum, { contacts, fulfilled }) => sum + contacts - fulfilled, 0);
    return sendSelection(visit, lines, { what: 'closeRequests', waiting, undoSeconds });
  }
  const { changed } = await changeEach(ids, async (dropId) => {
    await revokeSentDrop(engines, actor, { type: requestType, dropId }, { undoSeconds });
    return 1;
  });
  if (changed.length === 0) return returnToRequests(visit, 'ended');
  return returnToRequests(visit, 'closed', { count: changed.length, undo: changed });
}

async function extendSelection(visit: MemberVisit): Promise<FastifyReply> {
  const { engines, actor, form, person, translator } = visit;
  const ids = readSelection(visit);
  if (ids.length === 0) return returnToRequests(visit, 'noneSelected');
  const { lifetime } = await readPolicy(engines, actor.accountId);
  const rules = { lifetime, now: new Date(), timeZone: person.timeZone };
  const isConfirmed = form.get('confirmed') === '1';
  const until = isConfirmed ? readDeadline(form, rules) : undefined;
  if (until === undefined) {
    const problem = isConfirmed ? translator.t('delivery.problem.date') : undefined;
    const task = { what: 'extendRequests', choices: offerDeadlines(rules) } as const;
    return sendSelection(visit, await readOpenSelection(visit), task, problem);
  }
  const { changed } = await changeEach(ids, async (dropId) => {
    if (!(await engines.store.sentDrops.find(actor.accountId, { type: requestType, dropId }))) {
      throw new ExchangeError('not_found');
    }
    const extend = await prepareExtension(engines, { id: actor.accountId, email: actor.email }, dropId, until);
    await extend(engines.store, actor.author);
    return 1;
  });
  return returnToRequests(visit, changed.length === 0 ? 'notLater' : 'extended', { count: changed.length });
}

/** Asks before the selected requests are changed. */
async function sendSelection(
  visit: MemberVisit,
  lines: readonly RequestLine[],
  task: SelectionTask,
  problem?: string,
): Promise<FastifyReply> {
  if (lines.length === 0) return returnToRequests(visit, 'ended');
  const rows = lines.map(({ id, reference, firstContact }) => ({
    value: id,
    name: `${reference} · ${namePerson(firstContact)}`,
  }));
  if (problem !== undefined) visit.reply.code(400);
  return sendScreen(visit, {
    screen: 'requests',
    title: selectionTitle(visit.translator, { task, rows }),
    page: <SelectionPage {...toListProps(visit)} task={task} rows={rows} problem={problem} />,
  });
}
