import type { FastifyReply } from 'fastify';
import { prepareReceiver } from '../../domain/drops/add-receiver.ts';
import { correctReceiver } from '../../domain/drops/correct-receiver.ts';
import { prepareExtension } from '../../domain/drops/extend-drop.ts';
import { restoreDrop } from '../../domain/drops/restore-drop.ts';
import { revokeSentDrop } from '../../domain/drops/revoke-sent-drop.ts';
import type { FollowedFile, FollowedReceiver, SentDrop, SentId } from '../../domain/drops/sent-drop-store.ts';
import { maySeeLinks, showLinks } from '../../domain/drops/show-links.ts';
import { remindReceivers, resendInvitation } from '../../domain/drops/write-to-receivers.ts';
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
import type { Task } from '../../views/pages/app/delivery-task.tsx';
import { SentNotices } from '../../views/pages/app/sent-notice.tsx';
import { sendCsv } from '../shared/csv.ts';
import type { AppRoute, MemberVisit } from './app-route.ts';
import { offerDeadlines, readDeadline } from './deadlines.ts';
import { toHistory, toHistoryRows } from './delivery-history.ts';
import { toListProps } from './list-visit.ts';
import { sendScreen } from './send-screen.tsx';
import { changeEach, readNotice, readQuery, returnWith, sentType } from './sent-changes.ts';
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

const path = '/:user/sent/:id';
/** Names beside a file; the others are counted. */
const shownHolders = 2;
/** Changes by people and programs that a history shows. */
const maxChanges = 1000;

const inputFields = ['email', 'name', 'phone', 'date'] as const;

/** The page of one delivery, and what can be done with it. */
export const deliveryRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path,
    access: 'reader',
    async handle(visit) {
      const drop = await requireSent(visit, sentType);
      return sendDelivery(visit, drop, { task: await readTask(visit, drop) });
    },
  },
  {
    method: 'GET',
    path: `${path}/history.csv`,
    access: 'reader',
    async handle(visit) {
      const drop = await requireSent(visit, sentType);
      return sendCsv(visit.reply, `${toReference(drop.id)}.csv`, listHistory(visit, drop));
    },
  },
  change('remind', async (visit, sent) => {
    const { engines, actor } = visit;
    const { count, unchanged, isLimited } = await changeEach([sent.dropId], () =>
      remindReceivers(engines, actor, sent, undefined),
    );
    return returnWith(visit, isLimited ? 'limit' : 'reminded', { count, unchanged, dropId: sent.dropId });
  }),
  change('resend', (visit, sent) => resend(visit, sent)),
  change('receivers/:position/resend', (visit, sent) => resend(visit, sent, requirePosition(visit))),
  change('restore', async (visit, sent) => {
    const { engines, actor } = visit;
    const { changed } = await changeEach([sent.dropId], async () => {
      await restoreDrop(engines, actor, sent);
      return 1;
    });
    return returnWith(visit, changed.length === 0 ? 'tooLate' : 'restored', { count: 1, dropId: sent.dropId });
  }),
  change('revoke', async (visit, sent, drop) => {
    const { engines, actor, form } = visit;
    const { dropId } = sent;
    const position = readPosition(form.get('receiver'));
    const task = toRevocation(position);
    return attempt(visit, drop, task, async () => {
      await revokeSentDrop(engines, actor, sent, { position, undoSeconds: task.undoSeconds });
      return position === undefined
        ? returnWith(visit, 'revoked', { count: 1, undo: [dropId], dropId })
        : returnWith(visit, 'receiverStopped', { dropId });
    });
  }),
  change('extend', async (visit, { dropId }, drop) => {
    const { engines, actor, form } = visit;
    const rules = await readRules(visit, drop);
    const task = { what: 'extend', choices: offerDeadlines(rules), input: readInput(form, inputFields) } as const;
    const until = readDeadline(form, rules);
    if (until === undefined) return refuse(visit, drop, { ...task, problem: 'date' });
    return attempt(visit, drop, task, async () => {
      const extend = await prepareExtension(engines, { id: actor.accountId, email: actor.email }, dropId, until);
      await extend(engines.store, actor.author);
      return returnWith(visit, 'extended', { count: 1, dropId });
    });
  }),
  change('receivers', async (visit, sent, drop) => {
    const { engines, actor, form } = visit;
    const input = readInput(form, inputFields);
    return attempt(visit, drop, { what: 'add', input }, async () => {
      const add = await prepareReceiver(engines, actor, sent, toReceiver(input));
      await add(engines.store, undefined);
      return returnWith(visit, 'added', { dropId: sent.dropId });
    });
  }),
  change('receivers/:position/correct', async (visit, sent, drop) => {
    const { engines, actor, form } = visit;
    const position = requirePosition(visit);
    const input = readInput(form, inputFields);
    return attempt(visit, drop, { what: 'correct', position, input }, async () => {
      await correctReceiver(engines, actor, sent, position, toReceiver(input));
      return returnWith(visit, 'corrected', { dropId: sent.dropId });
    });
  }),
  // A response to a POST, so that no address of the app contains a link, and only a decision shows one.
  change('link', async (visit, sent, drop) => {
    const { engines, actor, form } = visit;
    const position = readPosition(form.get('receiver'));
    return attempt(visit, drop, { what: 'link', position }, async () =>
      sendDelivery(visit, drop, { links: await showLinks(engines, actor, sent, position) }),
    );
  }),
];

/** A form about one delivery, which exists and is the account's. */
function change(
  name: string,
  handle: (visit: MemberVisit, sent: SentId, drop: SentDrop) => Promise<FastifyReply>,
): AppRoute {
  return {
    method: 'POST',
    path: `${path}/${name}`,
    access: 'member',
    async handle(visit) {
      const drop = await requireSent(visit, sentType);
      return handle(visit, { type: sentType, dropId: drop.id }, drop);
    },
  };
}

async function resend(visit: MemberVisit, sent: SentId, position?: number): Promise<FastifyReply> {
  const { engines, actor } = visit;
  const { dropId } = sent;
  const { count, unchanged, isLimited } = await changeEach([dropId], () =>
    resendInvitation(engines, actor, sent, position),
  );
  if (isLimited) return returnWith(visit, 'limit', { dropId });
  return unchanged > 0
    ? returnWith(visit, 'unchanged', { count: unchanged, dropId })
    : returnWith(visit, 'resent', { count, dropId });
}

function attempt(
  visit: MemberVisit,
  drop: SentDrop,
  task: Task,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  return attemptTask(task, work, (refused) => refuse(visit, drop, refused));
}

async function refuse(visit: MemberVisit, drop: SentDrop, task: Task): Promise<FastifyReply> {
  visit.reply.code(400);
  return sendDelivery(visit, drop, { task });
}

interface Shown {
  readonly task?: Task | undefined;
  /** The links that the person asked for, by the positions of their receivers. */
  readonly links?: ReadonlyMap<number, string>;
}

async function sendDelivery(visit: MemberVisit, drop: SentDrop, { task, links }: Shown): Promise<FastifyReply> {
  const { engines, actor, base, csrf, translator } = visit;
  const { store } = engines;
  const { accountId } = actor;
  const fields = readQuery(visit);
  const after = { receiver: readPosition(fields.get('receivers')), file: fields.get('files') ?? undefined };
  const [receivers, files, changes, canShowLinks] = await Promise.all([
    store.sentDrops.followedReceivers(accountId, drop.id),
    store.sentDrops.followedFiles(accountId, drop.id),
    store.audit.ofDrop(accountId, drop.id, maxChanges),
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
  const toasts = notice && <SentNotices notice={notice} base={base} csrf={csrf} />;
  const title = deliveryTitle(translator, props);
  return sendScreen(visit, { screen: 'sent', title, page: <DeliveryPage {...props} />, toasts });
}

/** Says who has the files that the page shows. One who has everything need not be looked up file by file. */
async function addHolders(
  { engines, actor }: MemberVisit,
  drop: SentDrop,
  files: readonly FollowedFile[],
  receivers: readonly FollowedReceiver[],
  after: string | undefined,
): Promise<DeliveryFile[]> {
  const { items } = takePage(files, shownFiles, ({ id }) => id === after);
  const { store } = engines;
  const complete = receivers.filter(({ completedAt }) => completedAt !== null);
  const among = {
    fileIds: items.map(({ id }) => id),
    positions: receivers.filter(({ completedAt }) => completedAt === null).map(({ position }) => position),
  };
  const found = await store.sentDrops.holders(actor.accountId, drop.id, among, shownHolders);
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
  const { store } = engines;
  const changes = await store.audit.ofDrop(actor.accountId, drop.id, maxChanges);
  const receivers = await store.sentDrops.followedReceivers(actor.accountId, drop.id);
  yield* toHistoryRows(translator, toHistory(drop, actor.email, changes, receivers));
}
