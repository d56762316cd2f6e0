import { type DropType } from '@waybill/protocol';
import { type NewDrop, SentQuery } from '@waybill/protocol/v1';
import { type TSchema, Type } from 'typebox';
import type { DispatchInput, MadeDispatch } from '../../../domain/drops/check-dispatch.ts';
import { findSentDrop, listSentDrops, toFilter } from '../../../domain/drops/find-sent-drops.ts';
import type { SentDrop, SentReceiver } from '../../../domain/drops/sent-drop-store.ts';
import { effectiveSecondFactor } from '../../../domain/links/second-factor.ts';
import { toReference } from '../../../domain/reference.ts';
import { parsePageQuery } from '../cursor.ts';
import { toETag } from '../etag.ts';
import { type CallEngines, type Result, type Route, route } from '../route.ts';

/** Drops, or requests for files: both are created, listed and changed in the same way. */
export interface SentKind {
  readonly type: DropType;
  /** The word for one of them. */
  readonly noun: string;
  readonly path: '/drops' | '/requests';
  /** The page that its links lead to. */
  readonly page: 'd' | 'u';
  /** One of them in a list. */
  readonly schema: TSchema;
  readonly toEntry: (engines: Pick<CallEngines, 'policy'>, sent: SentDrop) => object;
}

export function sentParams({ noun }: SentKind) {
  return Type.Object({ id: Type.String({ format: 'uuid', description: `The \`id\` of a ${noun}.` }) });
}

export function receiverParams(kind: SentKind) {
  return Type.Object({
    ...sentParams(kind).properties,
    receiver: Type.String({ pattern: '^(?:0|[1-9][0-9]{0,3})$', description: 'The `id` of a receiver.' }),
  });
}

export function listRoute(kind: SentKind, about: Pick<Route, 'id' | 'summary' | 'response'>): Route {
  return route({
    method: 'GET',
    path: kind.path,
    ...about,
    scope: 'history',
    query: SentQuery,
    errors: [],
    async handle({ engines, caller, query }) {
      const list = kind.path.slice(1);
      const page = parsePageQuery<Pick<SentDrop, 'id'>>(engines, caller, list, query, ({ id }) => ({ id }));
      const { created_after: from, created_before: before, external_id: externalId, ...filter } = query;
      const rows = await listSentDrops(
        engines,
        caller.accountId,
        kind.type,
        toFilter({
          ...filter,
          externalId,
          createdFrom: from === undefined ? undefined : new Date(from),
          createdBefore: before === undefined ? undefined : new Date(before),
        }),
        { after: page.after?.id },
        page.count,
      );
      return { body: page.response(rows as readonly SentDrop[], (sent) => kind.toEntry(engines, sent)) };
    },
  });
}

/** The response to the request that created it, with the links if no mails are sent. */
export async function createdResult(
  kind: SentKind,
  engines: Pick<CallEngines, 'store' | 'policy'>,
  accountId: string,
  made: MadeDispatch,
): Promise<Result> {
  const { publicUrl } = engines.policy;
  const sent = await findSentDrop(engines, { accountId }, { type: kind.type, dropId: made.id });
  const receivers = made.receivers.map(({ email }, position) => ({
    id: position,
    email,
    ...(sent.notify ? {} : { link: `${publicUrl}/${kind.page}/${made.tokens[position]}` }),
  }));
  const headers = { ...toETag(sent.version), location: `${publicUrl}/api/v1${kind.path}/${sent.id}` };
  return { body: { ...kind.toEntry(engines, sent), receivers }, headers };
}

export function toDispatchInput(body: Omit<NewDrop, 'uploads'>): DispatchInput {
  const { receivers, message = '', notify = true, external_id: externalId = null, metadata = null } = body;
  return {
    receivers,
    message,
    expiresIn: body.expires_in,
    expiresAt: body.expires_at === undefined ? undefined : new Date(body.expires_at),
    secondFactor: body.second_factor ?? null,
    notify,
    externalId,
    metadata,
  };
}

export function toSent(engines: Pick<CallEngines, 'policy'>, sent: SentDrop) {
  const { id, state, message, externalId, metadata, notify } = sent;
  return {
    id,
    reference: toReference(id),
    state,
    message,
    external_id: externalId,
    metadata,
    second_factor: effectiveSecondFactor(engines, sent),
    notify,
    created_at: sent.createdAt,
    expires_at: sent.expiresAt,
    revoked_at: sent.revokedAt,
    receiver_count: sent.receiverCount,
  };
}

/** `done` is the state of a receiver who has nothing left to do. */
export function toSentReceiver(receiver: SentReceiver, done: string) {
  return {
    id: receiver.position,
    email: receiver.email,
    name: receiver.name,
    phone: receiver.phone,
    language: receiver.language,
    state: toState(receiver, done),
    notified_at: receiver.notifiedAt,
    undeliverable_at: receiver.undeliverableAt,
    undeliverable_reason: receiver.undeliverableReason,
    opened_at: receiver.openedAt,
    revoked_at: receiver.revokedAt,
  };
}

/** Chooses the latest state that is known. */
function toState(receiver: SentReceiver, done: string): string {
  if (receiver.revokedAt) return 'revoked';
  if (receiver.completedAt) return done;
  if (receiver.openedAt) return 'opened';
  if (receiver.undeliverableAt) return 'undeliverable';
  return receiver.notifiedAt ? 'notified' : 'waiting';
}
