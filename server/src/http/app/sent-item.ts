import type { FastifyReply } from 'fastify';
import { prepareReceiver } from '../../domain/drops/add-receiver.ts';
import { correctReceiver } from '../../domain/drops/correct-receiver.ts';
import { prepareExtension } from '../../domain/drops/extend-drop.ts';
import { restoreDrop } from '../../domain/drops/restore-drop.ts';
import { revokeSentDrop } from '../../domain/drops/revoke-sent-drop.ts';
import type { SentDrop, SentId } from '../../domain/drops/sent-drop-store.ts';
import { showLinks } from '../../domain/drops/show-links.ts';
import { remindReceivers, resendInvitation } from '../../domain/drops/write-to-receivers.ts';
import { receiptFormats } from '../../domain/evidence/make-receipt.ts';
import type { Task, TaskInput } from '../../views/pages/app/delivery-task.tsx';
import type { SentScreen } from '../../views/pages/app/sent-notice.tsx';
import { sendReceipt } from '../shared/send-receipt.ts';
import type { AppRequest, AppRoute, Member, MemberVisit } from './app-route.ts';
import { offerDeadlines, readDeadline } from './deadlines.ts';
import { requireUuid } from './require-uuid.ts';
import { changeEach, returnWith, sentTypes } from './sent-changes.ts';
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

/** What the page of a delivery or a request shows besides it. */
export interface ShownItem {
  /** The form that is open. */
  readonly task?: Task | undefined;
  /** The links that the person asked for, by the positions of their receivers. */
  readonly links?: ReadonlyMap<number, string>;
}

interface SentItem {
  readonly screen: SentScreen;
  /** The fields that the forms have. */
  readonly inputFields: readonly (keyof TaskInput)[];
  show(visit: MemberVisit, sent: SentDrop, shown: ShownItem): Promise<FastifyReply>;
}

/** The page of one delivery or one request, and the forms on it. */
export function itemRoutes({ screen, inputFields, show }: SentItem): readonly AppRoute[] {
  const path = `/:user/${screen}/:id`;
  const type = sentTypes[screen];

  /** A form about one of them, which exists and is the account's. */
  const change = (
    name: string,
    handle: (visit: MemberVisit, id: SentId, sent: SentDrop) => Promise<FastifyReply>,
  ): AppRoute => ({
    method: 'POST',
    path: `${path}/${name}`,
    access: 'member',
    async handle(visit) {
      const sent = await requireSent(visit, type);
      return handle(visit, { type, dropId: sent.id }, sent);
    },
  });
  const changeOne = (
    visit: AppRequest & Member,
    kind: Parameters<typeof changeEach>[2],
    { dropId }: SentId,
    work: () => Promise<number>,
  ) => changeEach(visit, screen, kind, [dropId], work, dropId);
  const refuse = (visit: MemberVisit, sent: SentDrop, task: Task) => {
    visit.reply.code(400);
    return show(visit, sent, { task });
  };
  const attempt = (visit: MemberVisit, sent: SentDrop, task: Task, work: () => Promise<FastifyReply>) =>
    attemptTask(task, work, (refused) => refuse(visit, sent, refused));

  return [
    {
      method: 'GET',
      path,
      access: 'reader',
      async handle(visit) {
        const sent = await requireSent(visit, type);
        return show(visit, sent, { task: await readTask(visit, sent) });
      },
    },
    ...receiptFormats.map(
      (format): AppRoute => ({
        method: 'GET',
        path: `${path}/receivers/:position/receipt.${format}`,
        access: 'reader',
        async handle(visit) {
          // Its own row may be purged before the evidence.
          const dropId = requireUuid((visit.request.params as { id: string }).id);
          const story = { accountId: visit.actor.accountId, dropId, position: requirePosition(visit) };
          return sendReceipt(visit.engines, visit.reply, {
            ...story,
            type: screen === 'sent' ? 'drop' : 'request',
            format,
            languages: [visit.translator.locale],
          });
        },
      }),
    ),
    change('remind', (visit, id) =>
      changeOne(visit, 'reminded', id, () => remindReceivers(visit.engines, visit.actor, id, undefined)),
    ),
    change('resend', (visit, id) =>
      changeOne(visit, 'resent', id, () => resendInvitation(visit.engines, visit.actor, id)),
    ),
    change('receivers/:position/resend', (visit, id) => {
      const position = requirePosition(visit);
      return changeOne(visit, 'resent', id, () => resendInvitation(visit.engines, visit.actor, id, position));
    }),
    change('restore', (visit, id) =>
      changeOne(visit, 'restored', id, async () => {
        await restoreDrop(visit.engines, visit.actor, id);
        return 1;
      }),
    ),
    change('revoke', (visit, id, sent) => {
      const { dropId } = id;
      const position = readPosition(visit.form.get('receiver'));
      const task = toRevocation(position);
      return attempt(visit, sent, task, async () => {
        await revokeSentDrop(visit.engines, visit.actor, id, { position, undoSeconds: task.undoSeconds });
        return position === undefined
          ? returnWith(visit, screen, 'revoked', { count: 1, undo: [dropId], dropId })
          : returnWith(visit, screen, 'receiverStopped', { dropId });
      });
    }),
    change('extend', async (visit, { dropId }, sent) => {
      const { engines, actor, form } = visit;
      const rules = await readRules(visit, sent);
      const task = { what: 'extend', choices: offerDeadlines(rules), input: readInput(form, inputFields) } as const;
      const until = readDeadline(form, rules);
      if (until === undefined) return refuse(visit, sent, { ...task, problem: 'date' });
      return attempt(visit, sent, task, async () => {
        const extend = await prepareExtension(engines, { id: actor.accountId, email: actor.email }, dropId, until);
        await extend(engines, actor.author);
        return returnWith(visit, screen, 'extended', { count: 1, dropId });
      });
    }),
    change('receivers', (visit, id, sent) => {
      const input = readInput(visit.form, inputFields);
      return attempt(visit, sent, { what: 'add', input }, async () => {
        const add = await prepareReceiver(visit.engines, visit.actor, id, toReceiver(input));
        await add(visit.engines, undefined);
        return returnWith(visit, screen, 'added', { dropId: id.dropId });
      });
    }),
    change('receivers/:position/correct', async (visit, id, sent) => {
      const position = requirePosition(visit);
      const input = readInput(visit.form, inputFields);
      return attempt(visit, sent, { what: 'correct', position, input }, async () => {
        await correctReceiver(visit.engines, visit.actor, id, position, toReceiver(input));
        return returnWith(visit, screen, 'corrected', { dropId: id.dropId });
      });
    }),
    // A response to a POST, so that no address of the app contains a link, and only a decision shows one.
    change('link', (visit, id, sent) => {
      const position = readPosition(visit.form.get('receiver'));
      return attempt(visit, sent, { what: 'link', position }, async () =>
        show(visit, sent, { links: await showLinks(visit.engines, visit.actor, id, position) }),
      );
    }),
  ];
}
