import type { FastifyReply } from 'fastify';
import {
  findHolders,
  listChanges,
  listFollowedFiles,
  listFollowedReceivers,
} from '../../domain/drops/find-sent-drops.ts';
import type { FollowedFile, FollowedReceiver, SentDrop } from '../../domain/drops/sent-drop-store.ts';
import { maySeeLinks } from '../../domain/drops/show-links.ts';
import { effectiveSecondFactor } from '../../domain/links/second-factor.ts';
import { toReference } from '../../domain/reference.ts';
import { takePage } from '../../views/components/range-pager.tsx';
import type { DeliveryFile } from '../../views/pages/app/delivery-files.tsx';
import {
  DeliveryPage,
  type DeliveryPageProps,
  deliveryTitle,
  shownFiles,
} from '../../views/pages/app/delivery-page.tsx';
import { SentNotices } from '../../views/pages/app/sent-notice.tsx';
import { sendCsv } from '../shared/csv.ts';
import type { AppContext, AppRoute, Member, MemberVisit } from './app-route.ts';
import { toHistory, toHistoryRows } from './delivery-history.ts';
import { readQueryFields, toListProps } from './list-visit.ts';
import { sendScreen } from './send-screen.tsx';
import { readNotice, sentTypes } from './sent-changes.ts';
import { itemRoutes, type ShownItem } from './sent-item.ts';
import { readPosition, requireSent } from './sent-task.ts';

/** Names beside a file; the others are counted. */
const shownHolders = 2;
/** Changes by people and programs that a history shows. */
const maxChanges = 1000;

/** The page of one delivery, and what can be done with it. */
export const deliveryRoutes: readonly AppRoute[] = [
  ...itemRoutes({ screen: 'sent', inputFields: ['email', 'name', 'phone', 'date'], show: sendDelivery }),
  {
    method: 'GET',
    path: '/:user/sent/:id/history.csv',
    access: 'reader',
    async handle(visit) {
      const drop = await requireSent(visit, sentTypes.sent);
      return sendCsv(visit.reply, `${toReference(drop.id)}.csv`, listHistory(visit, drop));
    },
  },
];

async function sendDelivery(visit: MemberVisit, drop: SentDrop, { task, links }: ShownItem): Promise<FastifyReply> {
  const { engines, actor, base, csrf, translator } = visit;
  const { accountId } = actor;
  const fields = readQueryFields(visit);
  const after = { receiver: readPosition(fields.get('receivers')), file: fields.get('files') ?? undefined };
  const [receivers, files, changes, canShowLinks] = await Promise.all([
    listFollowedReceivers(engines, accountId, drop.id),
    listFollowedFiles(engines, accountId, drop.id),
    listChanges(engines, accountId, drop.id, maxChanges),
    maySeeLinks(engines, accountId),
  ]);
  const props: DeliveryPageProps = {
    ...toListProps(visit),
    delivery: { ...drop, reference: toReference(drop.id), secondFactor: effectiveSecondFactor(engines, drop) },
    receivers: receivers.map((receiver) => ({ ...receiver, link: links?.get(receiver.position) })),
    files: await addHolders(visit, drop, files, receivers, after.file),
    isJustSent: fields.get('sent') === '1',
    after,
    history: toHistory(drop, actor.email, changes, receivers),
    task,
    canShowLinks,
  };
  const notice = readNotice(fields);
  const toasts = notice && <SentNotices screen="sent" notice={notice} base={base} csrf={csrf} />;
  const title = deliveryTitle(translator, props);
  return sendScreen(visit, { screen: 'sent', title, page: <DeliveryPage {...props} />, toasts });
}

/** Says who has the files that the page shows. One who has everything need not be looked up file by file. */
async function addHolders(
  { engines, actor }: AppContext & Member,
  drop: SentDrop,
  files: readonly FollowedFile[],
  receivers: readonly FollowedReceiver[],
  after: string | undefined,
): Promise<DeliveryFile[]> {
  const { items } = takePage(files, shownFiles, ({ id }) => id === after);
  const complete = receivers.filter(({ completedAt }) => completedAt !== null);
  const among = {
    fileIds: items.map(({ id }) => id),
    positions: receivers.filter(({ completedAt }) => completedAt === null).map(({ position }) => position),
  };
  const found = await findHolders(engines, actor.accountId, drop.id, among, shownHolders);
  const byFile = new Map(found.map((holders) => [holders.fileId, holders]));
  const byPosition = new Map(receivers.map((receiver) => [receiver.position, receiver]));
  const shown = new Set(among.fileIds);
  return files.map((file) => {
    if (!shown.has(file.id)) return file;
    const { deliveredCount = 0, partlyCount = 0, deliveredTo = [], partlyTo = [] } = byFile.get(file.id) ?? {};
    const others = deliveredTo.flatMap((position) => byPosition.get(position) ?? []);
    return {
      ...file,
      holders: {
        deliveredCount: complete.length + deliveredCount,
        deliveredTo: [...complete.slice(0, shownHolders), ...others].slice(0, shownHolders),
        partlyCount,
        partlyTo: partlyTo.flatMap(({ position, bytes }) => {
          const person = byPosition.get(position);
          return person ? [{ person, percent: Math.floor((bytes * 100) / file.sizeBytes) }] : [];
        }),
      },
    };
  });
}

async function* listHistory({ engines, actor, translator }: MemberVisit, drop: SentDrop): AsyncGenerator<string[]> {
  const changes = await listChanges(engines, actor.accountId, drop.id, maxChanges);
  const receivers = await listFollowedReceivers(engines, actor.accountId, drop.id);
  yield* toHistoryRows(translator, toHistory(drop, actor.email, changes, receivers));
}
