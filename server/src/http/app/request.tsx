import type { FastifyReply } from 'fastify';
import { prepareReceiver } from '../../domain/drops/add-receiver.ts';
import { correctReceiver } from '../../domain/drops/correct-receiver.ts';
import { prepareExtension } from '../../domain/drops/extend-drop.ts';
import { restoreDrop } from '../../domain/drops/restore-drop.ts';
import { revokeSentDrop } from '../../domain/drops/revoke-sent-drop.ts';
import type { SentDrop, SentId } from '../../domain/drops/sent-drop-store.ts';
import { maySeeLinks, showLinks } from '../../domain/drops/show-links.ts';
import { remindReceivers, resendInvitation } from '../../domain/drops/write-to-receivers.ts';
import { effectiveSecondFactor } from '../../domain/links/second-factor.ts';
import { toReference } from '../../domain/reference.ts';
import { namePerson } from '../../views/components/person.tsx';
import type { HistoryEntry } from '../../views/pages/app/delivery-history.tsx';
import type { Task } from '../../views/pages/app/delivery-task.tsx';
import { RequestPage, type RequestPageProps, requestTitle } from '../../views/pages/app/request-page.tsx';
import { RequestsNotice } from '../../views/pages/app/requests-notice.tsx';
import { sendCsv } from '../shared/csv.ts';
import type { AppRoute, MemberVisit } from './app-route.ts';
import { offerDeadlines, readDeadline } from './deadlines.ts';
import { toHistory, toHistoryRows } from './delivery-history.ts';
import { toListProps } from './list-visit.ts';
import { readNotice, requestType, returnToRequests } from './request-changes.ts';
import { sendScreen } from './send-screen.tsx';
import { changeEach } from './sent-changes.ts';
import {
  attemptTask,
  readInput,
  readPosition,
  readRules,
  readTask,
  requirePosition,
  requireSent,
  toReceiver,
  toRevocation,
} from './sent-task.ts';

const path = '/:user/requests/:id';
/** What arrived last; all of it is in the inbox. */
const maxArrivals = 100;
/** Changes by people and programs that a history shows. */
const maxChanges = 1000;

const inputFields = ['email', 'name', 'date'] as const;

/** The page of one request for files, and what can be done with it. */
export const oneRequestRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path,
    access: 'reader',
    async handle(visit) {
      const request = await requireSent(visit, requestType);
      return sendRequest(visit, request, { task: await readTask(visit, request) });
    },
  },
  {
    method: 'GET',
    path: `${path}/history.csv`,
    access: 'reader',
    async handle(visit) {
      const request = await requireSent(visit, requestType);
      return sendCsv(visit.reply, `${toReference(request.id)}.csv`, listHistory(visit, request));
    },
  },
  change('remind', async (visit, sent) => {
    const { engines, actor } = visit;
    const { count, changed, isLimited } = await changeEach([sent.dropId], () =>
      remindReceivers(engines, actor, sent, undefined),
    );
    const kind = isLimited ? 'limit' : changed.length === 0 ? 'ended' : 'reminded';
    return returnToRequests(visit, kind, { count, id: sent.dropId });
  }),
  change('receivers/:position/resend', async (visit, sent) => {
    const { engines, actor } = visit;
    const position = requirePosition(visit);
    const { changed, isLimited } = await changeEach([sent.dropId], () =>
      resendInvitation(engines, actor, sent, position),
    );
    const kind = isLimited ? 'limit' : changed.length === 0 ? 'ended' : 'resent';
    return returnToRequests(visit, kind, { id: sent.dropId });
  }),
  change('restore', async (visit, sent) => {
    const { engines, actor } = visit;
    const { changed } = await changeEach([sent.dropId], async () => {
      await restoreDrop(engines, actor, sent);
      return 1;
    });
    return returnToRequests(visit, changed.length === 0 ? 'tooLate' : 'restored', { count: 1, id: sent.dropId });
  }),
  change('revoke', async (visit, sent, request) => {
    const { engines, actor, form } = visit;
    const position = readPosition(form.get('receiver'));
    const task = toRevocation(position);
    return attempt(visit, request, task, async () => {
      await revokeSentDrop(engines, actor, sent, { position, undoSeconds: task.undoSeconds });
      return position === undefined
        ? returnToRequests(visit, 'closed', { count: 1, undo: [sent.dropId], id: sent.dropId })
        : returnToRequests(visit, 'contactClosed', { id: sent.dropId });
    });
  }),
  change('extend', async (visit, { dropId }, request) => {
    const { engines, actor, form } = visit;
    const rules = await readRules(visit, request);
    const task = { what: 'extend', choices: offerDeadlines(rules), input: readInput(form, inputFields) } as const;
    const until = readDeadline(form, rules);
    if (until === undefined) return refuse(visit, request, { ...task, problem: 'date' });
    return attempt(visit, request, task, async () => {
      const extend = await prepareExtension(engines, { id: actor.accountId, email: actor.email }, dropId, until);
      await extend(engines.store, actor.author);
      return returnToRequests(visit, 'extended', { count: 1, id: dropId });
    });
  }),
  change('receivers', async (visit, sent, request) => {
    const { engines, actor, form } = visit;
    const input = readInput(form, inputFields);
    return attempt(visit, request, { what: 'add', input }, async () => {
      const add = await prepareReceiver(engines, actor, sent, toReceiver(input));
      await add(engines.store, undefined);
      return returnToRequests(visit, 'added', { id: sent.dropId });
    });
  }),
  change('receivers/:position/correct', async (visit, sent, request) => {
    const { engines, actor, form } = visit;
    const position = requirePosition(visit);
    const input = readInput(form, inputFields);
    return attempt(visit, request, { what: 'correct', position, input }, async () => {
      await correctReceiver(engines, actor, sent, position, toReceiver(input));
      return returnToRequests(visit, 'corrected', { id: sent.dropId });
    });
  }),
  // A response to a POST, so that no address of the app contains a link, and only a decision shows one.
  change('link', async (visit, sent, request) => {
    const { engines, actor, form } = visit;
    const position = readPosition(form.get('receiver'));
    return attempt(visit, request, { what: 'link', position }, async () =>
      sendRequest(visit, request, { links: await showLinks(engines, actor, sent, position) }),
    );
  }),
];

/** A form about one request, which exists and is the account's. */
function change(
  name: string,
  handle: (visit: MemberVisit, sent: SentId, request: SentDrop) => Promise<FastifyReply>,
): AppRoute {
  return {
    method: 'POST',
    path: `${path}/${name}`,
    access: 'member',
    async handle(visit) {
      const request = await requireSent(visit, requestType);
      return handle(visit, { type: requestType, dropId: request.id }, request);
    },
  };
}

function attempt(
  visit: MemberVisit,
  request: SentDrop,
  task: Task,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  return attemptTask(task, work, (refused) => refuse(visit, request, refused));
}

function refuse(visit: MemberVisit, request: SentDrop, task: Task): Promise<FastifyReply> {
  visit.reply.code(400);
  return sendRequest(visit, request, { task });
}

interface Shown {
  readonly task?: Task | undefined;
  /** The links that the person asked for, by the positions of the contacts. */
  readonly links?: ReadonlyMap<number, string>;
}

async function sendRequest(visit: MemberVisit, request: SentDrop, { task, links }: Shown): Promise<FastifyReply> {
  const { engines, actor, base, csrf, translator } = visit;
  const { store } = engines;
  const { accountId } = actor;
  const { id } = request;
  const [contacts, { people, arrivals, history }, canShowLinks] = await Promise.all([
    store.sentDrops.receivers(accountId, id),
    readHistory(visit, request),
    maySeeLinks(engines, accountId),
  ]);
  const props: RequestPageProps = {
    ...toListProps(visit),
    request: { ...request, reference: toReference(id), secondFactor: effectiveSecondFactor(engines, request) },
    // A name in the contacts counts where none was chosen for the request.
    contacts: contacts.map((contact, index) => ({
      ...contact,
      name: people[index]?.name ?? null,
      link: links?.get(contact.position),
    })),
    arrivals,
    history,
    task,
    canShowLinks,
  };
  const notice = readNotice(visit);
  return sendScreen(visit, {
    screen: 'requests',
    title: requestTitle(translator, props),
    toasts: notice && <RequestsNotice notice={notice} base={base} csrf={csrf} />,
    page: <RequestPage {...props} />,
  });
}

/** What happened to a request: what its owner did, whom it reached, and what arrived; newest first. */
async function readHistory({ engines, actor }: MemberVisit, request: SentDrop) {
  const { store } = engines;
  const { accountId, email } = actor;
  const [changes, people, arrivals] = await Promise.all([
    store.audit.ofDrop(accountId, request.id, maxChanges),
    store.sentDrops.followedReceivers(accountId, request.id),
    store.requests.arrivals(accountId, request.id, maxArrivals),
  ]);
  const reached = people.map((person) => ({ ...person, completedAt: null }));
  const received = arrivals.map(
    ({ receivedAt: at, sender }): HistoryEntry => ({ at, kind: 'received', name: namePerson(sender) }),
  );
  const history = [...toHistory(request, email, changes, reached), ...received];
  return { people, arrivals, history: history.toSorted((one, other) => other.at.getTime() - one.at.getTime()) };
}

async function* listHistory(visit: MemberVisit, request: SentDrop): AsyncGenerator<string[]> {
  const { history } = await readHistory(visit, request);
  yield* toHistoryRows(visit.translator, history);
}
