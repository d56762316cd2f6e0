import type { FastifyReply } from 'fastify';
import { readPolicy } from '../../domain/accounts/read-policy.ts';
import { prepareExtension } from '../../domain/drops/extend-drop.ts';
import { restoreDrop, undoSeconds } from '../../domain/drops/restore-drop.ts';
import { revokeSentDrop } from '../../domain/drops/revoke-sent-drop.ts';
import type { SentDrop, SentId } from '../../domain/drops/sent-drop-store.ts';
import { remindReceivers } from '../../domain/drops/write-to-receivers.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { DeadlineChoices } from '../../views/pages/app/delivery-task.tsx';
import { toHref } from '../../views/pages/app/list-props.ts';
import {
  type SelectedRow,
  SelectionPage,
  type SelectionTask,
  selectionTitle,
} from '../../views/pages/app/selection-page.tsx';
import type { SentScreen } from '../../views/pages/app/sent-notice.tsx';
import type { AppRoute, MemberVisit } from './app-route.ts';
import { offerDeadlines, readDeadline } from './deadlines.ts';
import { toListProps } from './list-visit.ts';
import { sendScreen } from './send-screen.tsx';
import { changeEach, readBack, readSelection, returnWith, sentTypes } from './sent-changes.ts';

/** A list whose selected rows can be changed at once. */
interface SelectableList<Line> {
  readonly screen: SentScreen;
  toLines(visit: MemberVisit, sent: readonly SentDrop[]): Promise<readonly Line[]>;
  toRow(line: Line): SelectedRow;
  askToRevoke(lines: readonly Line[], undoSeconds: number): SelectionTask;
  askToExtend(choices: DeadlineChoices): SelectionTask;
}

/** The changes of several deliveries or requests at once. Those that need a decision or a value ask first. */
export function selectionRoutes<Line>(list: SelectableList<Line>): readonly AppRoute[] {
  const { screen } = list;
  const toSentId = (dropId: string): SentId => ({ type: sentTypes[screen], dropId });
  const route = (name: string, handle: (visit: MemberVisit, ids: readonly string[]) => Promise<FastifyReply>) =>
    ({
      method: 'POST',
      path: `/:user/${screen}/${name}`,
      access: 'member',
      async handle(visit) {
        const ids = readSelection(visit);
        return ids.length === 0 ? returnWith(visit, screen, 'noneSelected') : handle(visit, ids);
      },
    }) satisfies AppRoute;
  return [
    route('remind', (visit, ids) =>
      changeEach(visit, screen, 'reminded', ids, (id) =>
        remindReceivers(visit.engines, visit.actor, toSentId(id), undefined),
      ),
    ),
    route('extend', (visit, ids) => extendSelection(visit, ids, list)),
    route('revoke', (visit, ids) => {
      if (!visit.form.has('confirmed')) {
        return askAboutSelection(visit, ids, list, (lines) => list.askToRevoke(lines, undoSeconds));
      }
      return changeEach(visit, screen, 'revoked', ids, async (id) => {
        await revokeSentDrop(visit.engines, visit.actor, toSentId(id), { undoSeconds });
        return 1;
      });
    }),
    route('restore', (visit, ids) =>
      changeEach(visit, screen, 'restored', ids, async (id) => {
        await restoreDrop(visit.engines, visit.actor, toSentId(id));
        return 1;
      }),
    ),
  ];
}

async function extendSelection<Line>(
  visit: MemberVisit,
  ids: readonly string[],
  list: SelectableList<Line>,
): Promise<FastifyReply> {
  const { engines, actor, form, person, translator } = visit;
  const { lifetime } = await readPolicy(engines, actor.accountId);
  const rules = { lifetime, now: new Date(), timeZone: person.timeZone };
  const until = form.has('confirmed') ? readDeadline(form, rules) : undefined;
  if (until === undefined) {
    const problem = form.has('confirmed') ? translator.t('delivery.problem.date') : undefined;
    return askAboutSelection(visit, ids, list, () => list.askToExtend(offerDeadlines(rules)), problem);
  }
  const type = sentTypes[list.screen];
  return changeEach(visit, list.screen, 'extended', ids, async (dropId) => {
    if (!(await engines.store.sentDrops.find(actor.accountId, { type, dropId }))) {
      throw new ExchangeError('not_found');
    }
    const extend = await prepareExtension(engines, { id: actor.accountId, email: actor.email }, dropId, until);
    await extend(engines, actor.author);
    return 1;
  });
}

/** Asks about the selected ones that have not ended. */
async function askAboutSelection<Line>(
  visit: MemberVisit,
  ids: readonly string[],
  list: SelectableList<Line>,
  toTask: (lines: readonly Line[]) => SelectionTask,
  problem?: string,
): Promise<FastifyReply> {
  const { engines, actor, reply, translator } = visit;
  const { screen } = list;
  const type = sentTypes[screen];
  const found = await Promise.all(ids.map((dropId) => engines.store.sentDrops.find(actor.accountId, { type, dropId })));
  const live = found.filter((sent): sent is SentDrop => sent?.state === 'live');
  if (live.length === 0) return returnWith(visit, screen, 'unchanged', { count: ids.length });
  const lines = await list.toLines(visit, live);
  const task = toTask(lines);
  const rows = lines.map(list.toRow);
  const back = readBack(visit);
  if (problem !== undefined) reply.code(400);
  return sendScreen(visit, {
    screen,
    title: selectionTitle(translator, { task, rows }),
    page: (
      <SelectionPage
        {...toListProps(visit)}
        task={task}
        rows={rows}
        back={back && toHref('', back)}
        problem={problem}
      />
    ),
  });
}
