import type { FastifyReply } from 'fastify';
import {
  listArrivals,
  listChanges,
  listFollowedReceivers,
  listSentReceivers,
} from '../../domain/drops/find-sent-drops.ts';
import type { SentDrop } from '../../domain/drops/sent-drop-store.ts';
import { maySeeLinks } from '../../domain/drops/show-links.ts';
import { effectiveSecondFactor } from '../../domain/links/second-factor.ts';
import { toReference } from '../../domain/reference.ts';
import { namePerson } from '../../views/components/person.tsx';
import type { HistoryEntry } from '../../views/pages/app/delivery-history.tsx';
import { RequestPage, type RequestPageProps, requestTitle } from '../../views/pages/app/request-page.tsx';
import { SentNotices } from '../../views/pages/app/sent-notice.tsx';
import { sendCsv } from '../shared/csv.ts';
import type { AppContext, AppRoute, Member, MemberVisit } from './app-route.ts';
import { toHistory, toHistoryRows } from './delivery-history.ts';
import { readQueryFields, toListProps } from './list-visit.ts';
import { sendScreen } from './send-screen.tsx';
import { readNotice, sentTypes } from './sent-changes.ts';
import { itemRoutes, type ShownItem } from './sent-item.ts';
import { requireSent } from './sent-task.ts';

/** What arrived last; all of it is in the inbox. */
const maxArrivals = 100;
/** Changes by people and programs that a history shows. */
const maxChanges = 1000;

/** The page of one request for files, and what can be done with it. */
export const oneRequestRoutes: readonly AppRoute[] = [
  ...itemRoutes({ screen: 'requests', inputFields: ['email', 'name', 'date'], show: sendRequest }),
  {
    method: 'GET',
    path: '/:user/requests/:id/history.csv',
    access: 'reader',
    async handle(visit) {
      const request = await requireSent(visit, sentTypes.requests);
      return sendCsv(visit.reply, `${toReference(request.id)}.csv`, listHistory(visit, request));
    },
  },
];

async function sendRequest(visit: MemberVisit, request: SentDrop, { task, links }: ShownItem): Promise<FastifyReply> {
  const { engines, actor, base, csrf, translator } = visit;
  const { accountId } = actor;
  const { id } = request;
  const [contacts, { people, arrivals, history }, canShowLinks] = await Promise.all([
    listSentReceivers(engines, accountId, id),
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
  const notice = readNotice(readQueryFields(visit));
  return sendScreen(visit, {
    screen: 'requests',
    title: requestTitle(translator, props),
    toasts: notice && <SentNotices screen="requests" notice={notice} base={base} csrf={csrf} />,
    page: <RequestPage {...props} />,
  });
}

/** What happened to a request: what its owner did, whom it reached, and what arrived; newest first. */
async function readHistory({ engines, actor }: AppContext & Member, request: SentDrop) {
  const { accountId, email } = actor;
  const [changes, people, arrivals] = await Promise.all([
    listChanges(engines, accountId, request.id, maxChanges),
    listFollowedReceivers(engines, accountId, request.id),
    listArrivals(engines, accountId, request.id, maxArrivals),
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
