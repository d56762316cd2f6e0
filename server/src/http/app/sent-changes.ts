import type { FastifyReply } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { isUuid } from '../../domain/is-uuid.ts';
import { toHref } from '../../views/pages/app/list-props.ts';
import { type SentNotice, type SentNoticeKind, sentNoticeKinds } from '../../views/pages/app/sent-notice.tsx';
import type { MemberVisit } from './app-route.ts';
import { readSentQuery, toFields } from './sent-query.ts';

export const sentType = 'downloadfiles' as const;
/** As many rows as a page of a list has, and so as many as can be selected. */
export const sentPageSize = 50;

/** The deliveries or requests that were selected in a list, or named by the button that undoes a revocation. */
export function readSelection({ form }: Pick<MemberVisit, 'form'>): string[] {
  const ids = [...form.getAll('id'), ...(form.get('ids') ?? '').split(',')];
  return [...new Set(ids.filter(isUuid))].slice(0, sentPageSize);
}

/** Where a result is shown: on the page from which the form was sent. */
export async function returnWith(
  visit: MemberVisit,
  kind: SentNoticeKind,
  { dropId, count, unchanged, undo }: Partial<Omit<SentNotice, 'kind'>> & { dropId?: string | undefined } = {},
): Promise<FastifyReply> {
  const { base, form, reply } = visit;
  const back = form.get('back');
  const query = readSentQuery(new URLSearchParams((back ?? '').slice(0, 2000)));
  const fields = back === null ? {} : { ...toFields(query), after: query.after, before: query.before };
  const path = back === null && dropId !== undefined ? `${base}sent/${dropId}` : `${base}sent`;
  const notice = {
    notice: kind,
    count: count === undefined ? undefined : String(count),
    unchanged: unchanged ? String(unchanged) : undefined,
    undo: undo?.join(','),
  };
  return reply.redirect(toHref(path, { ...fields, ...notice }), 303);
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

export interface Changes {
  /** The sum of what the change returned. */
  readonly count: number;
  readonly changed: readonly string[];
  /** How many had ended meanwhile. */
  readonly unchanged: number;
  /** Whether the account may send no more mails for now, so that the rest was left. */
  readonly isLimited: boolean;
}

/**
 * Changes one delivery after the other, because each is a transaction of its own. One that has ended, or for which the
 * change means nothing, does not keep the others from being changed.
 */
export async function changeEach(ids: readonly string[], change: (id: string) => Promise<number>): Promise<Changes> {
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

/** The query of the URL; of several fields of the same name, the first counts. */
export function readQuery({ request }: Pick<MemberVisit, 'request'>): URLSearchParams {
  return new URL(request.url, 'http://host').searchParams;
}
