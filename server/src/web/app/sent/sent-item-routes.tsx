import type { FastifyReply } from 'fastify';
import { correctReceiver } from '../../../domain/drops/add-receiver.ts';
import { prepareExtension } from '../../../domain/drops/extend-drop.ts';
import { listChanges, listFollowedReceivers } from '../../../domain/drops/find-sent-drops.ts';
import { restoreDrop, revokeSentDrop } from '../../../domain/drops/revoke-drop.ts';
import type { FollowedReceiver, SentDrop, SentId } from '../../../domain/drops/sent-drop-store.ts';
import { prepareSharedLink } from '../../../domain/drops/shared-links.ts';
import { maySeeLinks, showLinks } from '../../../domain/drops/show-links.ts';
import { remindReceivers, resendInvitation } from '../../../domain/drops/write-to-receivers.ts';
import { receiptFormats } from '../../../domain/evidence/make-receipt.ts';
import { effectiveSecondFactor } from '../../../domain/links/second-factor.ts';
import { toReference } from '../../../domain/reference.ts';
import type { Arrival } from '../../../domain/requests/request-store.ts';
import { replyWithCsv } from '../../../http/shared/csv.ts';
import { replyWithReceipt } from '../../../http/transfer/reply-with-receipt.ts';
import {
  type AppContext,
  type AppRequest,
  type AppRoute,
  type Member,
  type MemberVisit,
  wantsDocument,
} from '../shared/app-route.ts';
import { readQueryFields, toListProps } from '../shared/list-visit.ts';
import { replyWithScreen, type ScreenContent } from '../shared/reply-with-screen.tsx';
import { requireUuid } from '../shared/require-uuid.ts';
import { addPeople, readAddition } from './add-people.ts';
import { offerDeadlines, readDeadline } from './deadlines.ts';
import type { SentItemReceiver } from './drop-receivers.tsx';
import { toHistory, toHistoryRows } from './read-history.ts';
import { changeEach, readNotice, returnWith, sentTypes } from './sent-changes.ts';
import type { SentItemProps } from './sent-item.tsx';
import { SentNotices, type SentScreen } from './sent-notice.tsx';
import { addTexts, type Task } from './sent-task.tsx';
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
} from './sent-task-form.ts';

/** Changes by people and programs that a history shows. */
const maxChanges = 1000;

interface ItemProps extends SentItemProps<FollowedReceiver & Pick<SentItemReceiver, 'link'>> {
  /** The links that the person asked for, by their positions. */
  readonly links: ReadonlyMap<number, string> | undefined;
  readonly arrivals: readonly Arrival[] | undefined;
}

/** One kind of what an account sends: deliveries, or requests. */
interface ItemKind {
  readonly screen: SentScreen;
  /** Files that receivers sent; undefined if they were not asked for any. */
  readArrivals(visit: AppContext & Member, sent: SentDrop): Promise<readonly Arrival[] | undefined>;
  toPage(visit: MemberVisit, props: ItemProps): Promise<Pick<ScreenContent, 'title' | 'page'>>;
}

/** The page of one delivery or one request, and the forms on it. */
export function itemRoutes(kind: ItemKind): readonly AppRoute[] {
  const { screen } = kind;
  const path = `/:user/${screen}/:id`;
  const type = sentTypes[screen];

  /** `links` are those that the person asked for, by the positions of their receivers. */
  const show = async (
    visit: MemberVisit,
    sent: SentDrop,
    { task, links }: { readonly task?: Task | undefined; readonly links?: ReadonlyMap<number, string> },
  ): Promise<FastifyReply> => {
    const { engines, actor, base, csrf } = visit;
    const [{ receivers, arrivals, history }, canShowLinks] = await Promise.all([
      readStory(visit, kind, sent),
      maySeeLinks(engines, actor.accountId),
    ]);
    const content = await kind.toPage(visit, {
      ...toListProps(visit),
      item: { ...sent, reference: toReference(sent.id), secondFactor: effectiveSecondFactor(engines, sent) },
      receivers: receivers.map((receiver) => ({ ...receiver, link: links?.get(receiver.position) })),
      arrivals,
      history,
      links,
      task,
      canShowLinks,
      addTextsJson: task?.what === 'add' ? addTexts(visit.translator) : '',
    });
    const notice = readNotice(readQueryFields(visit));
    const toasts = notice && <SentNotices screen={screen} notice={notice} base={base} csrf={csrf} />;
    const adding = task?.what === 'add' && ({ script: 'add-receivers', partStylesheet: 'composer' } as const);
    return replyWithScreen(visit, { screen, toasts, ...content, ...adding });
  };

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
    notice: Parameters<typeof changeEach>[2],
    { dropId }: SentId,
    work: () => Promise<number>,
  ) => changeEach(visit, screen, notice, [dropId], work, dropId);
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
    {
      method: 'GET',
      path: `${path}/history.csv`,
      access: 'reader',
      async handle(visit) {
        const sent = await requireSent(visit, type);
        return replyWithCsv(visit.reply, `${toReference(sent.id)}.csv`, listHistory(visit, kind, sent));
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
          return replyWithReceipt(visit.engines, visit.reply, {
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
      const task = { what: 'extend', choices: offerDeadlines(rules), input: readInput(form) } as const;
      const until = readDeadline(form, rules);
      if (until === undefined) return refuse(visit, sent, { ...task, problem: 'date' });
      return attempt(visit, sent, task, async () => {
        const extend = await prepareExtension(engines, { id: actor.accountId, email: actor.email }, dropId, until);
        await extend(engines, actor.author);
        return returnWith(visit, screen, 'extended', { count: 1, dropId });
      });
    }),
    change('receivers', async (visit, id, sent) => {
      const addition = await readAddition(visit, sent);
      return attempt(visit, sent, addition.task, async () => {
        const count = await addPeople(visit, id, addition);
        return returnWith(visit, screen, 'added', { count, dropId: id.dropId });
      });
    }),
    change('receivers/:position/correct', async (visit, id, sent) => {
      const position = requirePosition(visit);
      const input = readInput(visit.form);
      return attempt(visit, sent, { what: 'correct', position, input }, async () => {
        await correctReceiver(visit.engines, visit.actor, id, position, toReceiver(input));
        return returnWith(visit, screen, 'corrected', { dropId: id.dropId });
      });
    }),
    ...(screen === 'sent'
      ? [
          change('shared-link', (visit, id, sent) =>
            attempt(visit, sent, { what: 'link', position: undefined }, async () => {
              const { engines, actor, form } = visit;
              const max = form.get('max_downloads')?.trim() ?? '';
              const make = await prepareSharedLink(engines, actor, id.dropId, {
                kind: form.get('kind') === 'named' ? 'named' : 'anybody',
                maxDownloads: /^[1-9]\d{0,6}$/.test(max) ? Number(max) : null,
              });
              const { link, token } = await make(engines, undefined);
              const made = new Map([[link.position, `${engines.policy.publicUrl}/d/${token}`]]);
              return show(visit, sent, { links: made });
            }),
          ),
        ]
      : []),
    // A response to a POST, so that no address of the app contains a link, and only a decision shows one.
    change('link', async (visit, id, sent) => {
      const position = readPosition(visit.form.get('receiver'));
      if (!wantsDocument(visit.request)) {
        const links = await showLinks(visit.engines, visit.actor, id, position);
        return visit.reply.send({ links: [...links.values()] });
      }
      return attempt(visit, sent, { what: 'link', position }, async () =>
        show(visit, sent, { links: await showLinks(visit.engines, visit.actor, id, position) }),
      );
    }),
  ];
}

/** The history of a delivery or a request, newest first, with the people it concerns. */
async function readStory(visit: AppContext & Member, kind: ItemKind, sent: SentDrop) {
  const { engines, actor } = visit;
  const [changes, receivers, arrivals] = await Promise.all([
    listChanges(engines, actor.accountId, sent.id, maxChanges),
    listFollowedReceivers(engines, actor.accountId, sent.id),
    kind.readArrivals(visit, sent),
  ]);
  return { receivers, arrivals, history: toHistory(sent, actor.email, changes, receivers, arrivals) };
}

async function* listHistory(visit: MemberVisit, kind: ItemKind, sent: SentDrop): AsyncGenerator<string[]> {
  const { history } = await readStory(visit, kind, sent);
  yield* toHistoryRows(visit.translator, history);
}
