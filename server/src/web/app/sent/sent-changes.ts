import type { FastifyReply } from 'fastify';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { isUuid } from '../../../domain/is-uuid.ts';
import type { AppRequest, Member } from '../shared/app-route.ts';
import { toHref } from '../shared/list-props.ts';
import { type SentNotice, type SentNoticeKind, type SentScreen, sentNoticeKinds } from './sent-notice.tsx';

/** The type of the drops in each list. */
export const sentTypes = { sent: 'downloadfiles', requests: 'uploadfiles' } as const;
/** As many rows as a page of a list has, and so as many as can be selected. */
const sentPageSize = 50;
/** The fields of the URL of a list. */
const listFields = ['q', 'part', 'by', 'sort', 'after', 'before'] as const;

/** The deliveries or requests that were selected in a list, or named by the button that undoes a revocation. */
export function readSelection({ form }: AppRequest): string[] {
  const ids = [...form.getAll('id'), ...(form.get('ids') ?? '').split(',')];
  return [...new Set(ids.filter(isUuid))].slice(0, sentPageSize);
}

/** The page of the list from which a form was sent, as the query of its URL; undefined if it was none. */
export function readBack({ form }: AppRequest): Record<string, string> | undefined {
  const back = form.get('back');
  if (back === null) return undefined;
  const query = new URLSearchParams(back.slice(0, 2000));
  return Object.fromEntries(listFields.map((name) => [name, query.get(name) ?? '']));
}

/** The result of a change, and the drop if it was one. */
type Result = Partial<Omit<SentNotice, 'kind'>> & { readonly dropId?: string | undefined };

/** Shows a result where the form was sent from: in the list, or on the page of what was changed. */
export function returnWith(
  visit: AppRequest & Member,
  screen: SentScreen,
  kind: SentNoticeKind,
  result: Result = {},
): FastifyReply {
  return visit.reply.redirect(toNoticePath(visit.base, screen, kind, result, readBack(visit)), 303);
}

/** The path of a page of the list, or of what was changed, with the result. */
export function toNoticePath(
  base: string,
  screen: SentScreen,
  kind: SentNoticeKind,
  { dropId, count, unchanged, undo }: Result,
  back?: Readonly<Record<string, string>>,
): string {
  const path = back === undefined && dropId !== undefined ? `${base}${screen}/${dropId}` : `${base}${screen}`;
  return toHref(path, {
    ...back,
    notice: kind,
    count: count === undefined ? undefined : String(count),
    unchanged: unchanged ? String(unchanged) : undefined,
    undo: undo?.join(','),
  });
}

/** The result that the URL tells of. */
export function readNotice(fields: URLSearchParams): SentNotice | undefined {
  const kind = sentNoticeKinds.find((value) => value === fields.get('notice'));
  if (kind === undefined) return undefined;
  const readCount = (name: string) => (/^\d{1,6}$/.test(fields.get(name) ?? '') ? Number(fields.get(name)) : 0);
  const undo = (fields.get('undo') ?? '').split(',').filter(isUuid).slice(0, sentPageSize);
  return { kind, count: readCount('count'), unchanged: readCount('unchanged'), undo };
}

const ended: ReadonlySet<string> = new Set(['link_ended', 'link_revoked', 'not_found']);
const limits: ReadonlySet<string> = new Set(['daily_limit', 'too_many_messages']);

interface Changes {
  /** The sum of what the change returned. */
  readonly count: number;
  readonly changed: readonly string[];
  /** How many had ended meanwhile. */
  readonly unchanged: number;
  /** Whether the account may send no more mails for now, so that the rest was left. */
  readonly isLimited: boolean;
}

/** The notices of a change that several can have at once, each with the one that is shown if it changed nothing. */
const reasons = {
  reminded: 'nobodyReminded',
  resent: 'nobodyReminded',
  extended: 'notLater',
  revoked: 'unchanged',
  restored: 'tooLate',
} as const;

/**
 * Changes one after the other, because each is a transaction of its own, and shows the result. `change` returns how many
 * people or items it concerned. One that has ended, or for which the change means nothing, does not keep the others from
 * being changed.
 */
export async function changeEach(
  visit: AppRequest & Member,
  screen: SentScreen,
  kind: keyof typeof reasons,
  ids: readonly string[],
  change: (id: string) => Promise<number>,
  dropId?: string,
): Promise<FastifyReply> {
  const { count, changed, unchanged, isLimited } = await attemptEach(ids, change);
  if (isLimited) return returnWith(visit, screen, 'limit', { dropId });
  if (count > 0) {
    const undo = kind === 'revoked' ? changed : [];
    return returnWith(visit, screen, kind, { count, unchanged, undo, dropId });
  }
  return unchanged > 0 && kind !== 'restored'
    ? returnWith(visit, screen, 'unchanged', { count: unchanged, dropId })
    : returnWith(visit, screen, reasons[kind], { dropId });
}

async function attemptEach(ids: readonly string[], change: (id: string) => Promise<number>): Promise<Changes> {
  const changed: string[] = [];
  let count = 0;
  let unchanged = 0;
  for (const id of ids) {
    try {
      count += await change(id);
      changed.push(id);
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      if (limits.has(error.code)) return { count, changed, unchanged, isLimited: true };
      if (ended.has(error.code)) unchanged += 1;
      else if (error.code !== 'invalid_input') throw error;
    }
  }
  return { count, changed, unchanged, isLimited: false };
}
