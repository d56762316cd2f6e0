import { type DropType } from '@waybill/protocol';
import { type NewDrop, SentQuery } from '@waybill/protocol/v1';
import { type Static, type TSchema, Type } from 'typebox';
import type { KeyActor } from '../../../domain/actor.ts';
import type { CheckedDispatch, DispatchInput, MadeDispatch } from '../../../domain/drops/check-dispatch.ts';
import {
  findReadableDrop,
  findSentDrop,
  listSentDrops,
  listSentReceivers,
  toFilter,
} from '../../../domain/drops/find-sent-drops.ts';
import type { SentDrop, SentReceiver } from '../../../domain/drops/sent-drop-store.ts';
import { effectiveSecondFactor } from '../../../domain/links/second-factor.ts';
import { toReference } from '../../../domain/reference.ts';
import { parsePageQuery } from '../cursor.ts';
import { toETag } from '../etag.ts';
import { type CallEngines, type KeyRoute, type Result, route } from '../route.ts';

/** Drops, or requests for files: both are created, listed and changed in the same way. */
export interface SentKind {
  readonly type: DropType;
  /** The word for one of them. */
  readonly noun: string;
  readonly path: '/drops' | '/requests';
  /** The page that its links lead to. */
  readonly page: 'd' | 'u';
  /** One of them in a list; the list; one with all about it; what was created; and what a check returns. */
  readonly schemas: Readonly<Record<'entry' | 'page' | 'details' | 'created' | 'checked', TSchema>>;
  readonly toEntry: (engines: Pick<CallEngines, 'policy'>, sent: SentDrop) => object;
  /** The acts of one receiver. */
  readonly toReceiver: (receiver: SentReceiver) => object;
  /** The shared link that was made with it; a request has none. */
  readonly toSharedLink?: (
    engines: Pick<CallEngines, 'store' | 'policy'>,
    accountId: string,
    dropId: string,
    made: NonNullable<MadeDispatch['sharedLink']>,
  ) => Promise<object>;
}

/** The name of an operation, and its description. */
type About = Pick<KeyRoute, 'id' | 'summary'>;

export function sentParams({ noun }: SentKind) {
  return Type.Object({ id: Type.String({ format: 'uuid', description: `The \`id\` of a ${noun}.` }) });
}

export function receiverParams(kind: SentKind) {
  return Type.Object({
    ...sentParams(kind).properties,
    receiver_id: Type.String({ pattern: '^(?:0|[1-9][0-9]{0,3})$', description: 'The `id` of a receiver.' }),
  });
}

export function listRoute(kind: SentKind, about: About): KeyRoute {
  return route({
    method: 'GET',
    path: kind.path,
    ...about,
    scope: 'history',
    query: SentQuery,
    response: { status: 200, description: `A page of ${kind.noun}s.`, schema: kind.schemas.page },
    errors: [],
    async handle({ engines, caller, query }) {
      const list = kind.path.slice(1);
      const page = parsePageQuery<Pick<SentDrop, 'id'>>(engines, caller, list, query, ({ id }) => ({ id }));
      const {
        created_after: from,
        created_before: before,
        external_id: externalId,
        receiver_email: receiver,
        ...filter
      } = query;
      const rows = await listSentDrops(
        engines,
        caller.accountId,
        kind.type,
        toFilter({
          ...filter,
          receiver,
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

/** `readMore` returns what only this kind has, such as files. */
export function readRoute(
  kind: SentKind,
  about: About,
  readMore: (engines: CallEngines, sent: SentDrop, accountId: string) => Promise<object>,
): KeyRoute {
  return route({
    method: 'GET',
    path: `${kind.path}/:id`,
    ...about,
    scope: 'history',
    ownScope: 'send',
    params: sentParams(kind),
    response: { status: 200, description: `The ${kind.noun}.`, schema: kind.schemas.details },
    errors: ['not_found'],
    isVersioned: true,
    async handle({ engines, caller, params: { id } }) {
      const { accountId } = caller;
      const sent = await findReadableDrop(engines, caller, { type: kind.type, dropId: id });
      const receivers = await listSentReceivers(engines, accountId, id);
      const body = {
        ...kind.toEntry(engines, sent),
        activity_purged: sent.isPurged,
        receivers: receivers.map(kind.toReceiver),
        ...(await readMore(engines, sent, accountId)),
      };
      return { body, headers: toETag(sent.version) };
    },
  });
}

/**
 * Creates one, and checks whether one could be created. `prepare` does what is too slow for a transaction; `describe`
 * returns what a check says besides.
 */
export function createRoutes<Body extends TSchema, Input, Checked extends CheckedDispatch>(
  kind: SentKind,
  about: Readonly<Record<'create' | 'check', About>> & Pick<KeyRoute, 'errors'> & { readonly body: Body },
  work: {
    readonly toInput: (body: Static<Body>) => Input;
    readonly check: (engines: CallEngines, caller: KeyActor, input: Input) => Promise<Checked>;
    readonly describe: (checked: Checked) => object;
    readonly prepare: (
      engines: CallEngines,
      caller: KeyActor,
      input: Input,
    ) => Promise<(within: Pick<CallEngines, 'store'>) => Promise<MadeDispatch>>;
  },
): KeyRoute[] {
  const { create: made, check: checked, ...described } = about;
  const input = { method: 'POST', scope: 'send', ...described } as const;
  const create = route({
    ...input,
    path: kind.path,
    ...made,
    response: { status: 201, description: `The ${kind.noun}.`, schema: kind.schemas.created },
    isVersioned: true,
    prepare: ({ engines, caller, body }): Promise<(within: Pick<CallEngines, 'store'>) => Promise<MadeDispatch>> =>
      work.prepare(engines, caller, work.toInput(body as Static<Body>)),
    handle: async ({ engines, caller, prepared: make }) =>
      createdResult(kind, engines, caller.accountId, await make(engines)),
  });
  const check = route({
    ...input,
    path: `${kind.path}/check`,
    ...checked,
    response: { status: 200, description: 'Nothing is wrong.', schema: kind.schemas.checked },
    changesNothing: true,
    async handle({ engines, caller, body }) {
      const dispatch = await work.check(engines, caller, work.toInput(body as Static<Body>));
      const { receivers, lifetimeSeconds } = dispatch;
      return {
        body: { receiver_count: receivers.length, ...work.describe(dispatch), expires_in: lifetimeSeconds },
      };
    },
  });
  return [create, check];
}

/** The response to the request that created it, with the links if no mails are sent. */
async function createdResult(
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
  const shared = made.sharedLink && {
    shared_link: await kind.toSharedLink?.(engines, accountId, made.id, made.sharedLink),
  };
  return { body: { ...kind.toEntry(engines, sent), receivers, ...shared }, headers };
}

export function toDispatchInput(body: Omit<NewDrop, 'uploads' | 'sent_files' | 'shared_link'>): DispatchInput {
  const {
    receivers,
    title = null,
    message = '',
    notify = true,
    external_id: externalId = null,
    metadata = null,
  } = body;
  return {
    receivers,
    title,
    message,
    expiresIn: body.expires_in,
    expiresAt: body.expires_at === undefined ? undefined : new Date(body.expires_at),
    secondFactor: body.second_factor ?? null,
    passphrase: body.passphrase,
    notify,
    externalId,
    metadata,
  };
}

export function toSent(engines: Pick<CallEngines, 'policy'>, sent: SentDrop) {
  const { id, state, title, message, externalId, metadata, notify } = sent;
  return {
    id,
    reference: toReference(id),
    state,
    title,
    message,
    external_id: externalId,
    metadata,
    second_factor: effectiveSecondFactor(engines, sent),
    has_passphrase: sent.hasPassphrase,
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
