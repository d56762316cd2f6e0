import type { FastifyReply } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { isUuid } from '../../domain/is-uuid.ts';
import { toHref } from '../../views/pages/app/list-props.ts';
import {
  isRequestsNotice,
  type RequestsNoticeKind,
  type RequestsNoticeProps,
} from '../../views/pages/app/requests-notice.tsx';
import type { MemberVisit } from './app-route.ts';
import { readQuery } from './list-visit.ts';

export const requestType = 'uploadfiles' as const;
/** As many as a page of the list has, and so as many as can be selected. */
const maxSelected = 50;

/** The requests that were selected in the list, or named by the button that opens them again. */
export function readRequestIds({ form }: Pick<MemberVisit, 'form'>): string[] {
  const ids = [...form.getAll('id'), ...(form.get('ids') ?? '').split(',')];
  return [...new Set(ids.filter(isUuid))].slice(0, maxSelected);
}

type Notice = RequestsNoticeProps['notice'];

/** Shows the result in the list, or on the page of the request that was changed. */
export function returnToRequests(
  { base, reply }: Pick<MemberVisit, 'base' | 'reply'>,
  kind: RequestsNoticeKind,
  { id, count, undo = [] }: { id?: string | undefined; count?: number | undefined; undo?: readonly string[] } = {},
): FastifyReply {
  const path = id === undefined ? `${base}requests` : `${base}requests/${id}`;
  const fields = { notice: kind, count: count === undefined ? undefined : String(count), undo: undo.join(',') };
  return reply.redirect(toHref(path, fields), 303);
}

/** The result that the URL tells of. */
export function readNotice(visit: Pick<MemberVisit, 'request'>): Notice | undefined {
  const kind = readQuery(visit, 'notice');
  if (!isRequestsNotice(kind)) return undefined;
  const count = readQuery(visit, 'count');
  const { undo } = visit.request.query as { undo?: unknown };
  const ids = typeof undo === 'string' ? undo.split(',').filter(isUuid).slice(0, maxSelected) : [];
  return { kind, count: /^\d{1,6}$/.test(count) ? Number(count) : 0, undo: ids };
}

const limited: ReadonlySet<string> = new Set(['daily_limit', 'too_many_messages']);
const skipped: ReadonlySet<string> = new Set(['link_ended', 'link_revoked', 'not_found', 'invalid_input']);

/**
 * Changes one request after the other, because each is a transaction of its own. One that has ended, or for which the
 * change means nothing, does not keep the others from being changed.
 */
export async function changeEach(
  ids: readonly string[],
  change: (id: string) => Promise<number>,
): Promise<{ readonly count: number; readonly changed: readonly string[]; readonly isLimited: boolean }> {
  const changed: string[] = [];
  let count = 0;
  for (const id of ids) {
    try {
      count += await change(id);
      changed.push(id);
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      if (limited.has(error.code)) return { count, changed, isLimited: true };
      if (!skipped.has(error.code)) throw error;
    }
  }
  return { count, changed, isLimited: false };
}
