import type { FastifyReply } from 'fastify';
import { isUuid } from '../../domain/is-uuid.ts';
import { toHref } from '../../views/pages/app/list-props.ts';
import {
  isRequestsNotice,
  type RequestsNoticeKind,
  type RequestsNoticeProps,
} from '../../views/pages/app/requests-notice.tsx';
import type { MemberVisit } from './app-route.ts';
import { readQuery } from './list-visit.ts';
import { sentPageSize } from './sent-changes.ts';

export const requestType = 'uploadfiles' as const;

type Notice = RequestsNoticeProps['notice'];

/** Shows the result in the list, or on the page of the request that was changed. */
export function returnToRequests(
  { base, reply }: Pick<MemberVisit, 'base' | 'reply'>,
  kind: RequestsNoticeKind,
  changed: Changed = {},
): FastifyReply {
  return reply.redirect(toNoticePath(base, kind, changed), 303);
}

interface Changed {
  readonly id?: string | undefined;
  readonly count?: number | undefined;
  readonly undo?: readonly string[];
}

/** The path of the list, or of the request that was changed, with the result. */
export function toNoticePath(base: string, kind: RequestsNoticeKind, { id, count, undo = [] }: Changed): string {
  const path = id === undefined ? `${base}requests` : `${base}requests/${id}`;
  const fields = { notice: kind, count: count === undefined ? undefined : String(count), undo: undo.join(',') };
  return toHref(path, fields);
}

/** The result that the URL tells of. */
export function readNotice(visit: Pick<MemberVisit, 'request'>): Notice | undefined {
  const kind = readQuery(visit, 'notice');
  if (!isRequestsNotice(kind)) return undefined;
  const count = readQuery(visit, 'count');
  const { undo } = visit.request.query as { undo?: unknown };
  const ids = typeof undo === 'string' ? undo.split(',').filter(isUuid).slice(0, sentPageSize) : [];
  return { kind, count: /^\d{1,6}$/.test(count) ? Number(count) : 0, undo: ids };
}
