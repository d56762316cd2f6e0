import {
  CheckedDrop,
  CreatedDrop,
  type Drop,
  DropDetails,
  DropList,
  DropQuery,
  NewDrop,
  NewDropQuery,
} from '@waybill/protocol';
import { Type } from 'typebox';
import { filterOf } from '../../domain/drops/find-sent-drops.ts';
import { referenceOf } from '../../domain/drops/reference.ts';
import { checkDrop, type DropWish, type MadeDrop, prepareDrop } from '../../domain/drops/send-drop.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { SentDrop, SentFile, SentReceiver, Store } from '../../domain/ports/index.ts';
import { requestedPage } from './cursor.ts';
import { etagOf } from './etag.ts';
import { type Result, route } from './route.ts';

export const dropParams = Type.Object({ id: Type.String({ format: 'uuid', description: 'The `id` of a drop.' }) });

const createDrop = route({
  method: 'POST',
  path: '/drops',
  id: 'createDrop',
  summary: 'Send uploads to receivers: all of it, or nothing if anything is wrong',
  scope: 'send',
  query: NewDropQuery,
  body: NewDrop,
  example: {
    uploads: ['0199c1d2-7f00-7000-8000-2f9d4c6b1a3e'],
    receivers: [{ email: 'anna@example.org', language: 'sv' }],
    message: 'The drawings of May.',
    expires_in: 604_800,
    reference: 'order-4711',
  },
  answer: { status: 201, description: 'The drop.', schema: CreatedDrop },
  otherAnswer: { status: 200, description: 'With `dry_run=true`: nothing is wrong.', schema: CheckedDrop },
  errors: [
    'not_found',
    'files_not_ready',
    'infected',
    'encrypted',
    'damaged',
    'too_large_to_scan',
    'digest_mismatch',
    'recipient_not_allowed',
    'daily_limit',
    'too_many_messages',
  ],
  isVersioned: true,
  async prepare({ engines, caller, query, body }): Promise<(store: Store) => Promise<Result>> {
    const wish = wishOf(body);
    if (query.dry_run) {
      const { receivers, uploads, ttlSeconds } = await checkDrop(engines, caller, wish);
      const answer = {
        dry_run: true,
        receiver_count: receivers.length,
        file_count: uploads.length,
        size: uploads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        expires_in: ttlSeconds,
      };
      return async () => ({ status: 200, body: answer });
    }
    const make = await prepareDrop(engines, caller, wish);
    return async (store) => {
      const made = await make(store);
      const drop = await findDrop(store, caller.accountId, made.id);
      const receivers = linked(made, wish.notify ? undefined : engines.policy.publicUrl);
      const headers = { ...etagOf(drop.version), location: `${engines.policy.publicUrl}/api/v1/drops/${drop.id}` };
      return { body: { ...shown(drop), receivers }, headers };
    };
  },
  handle: ({ engines, prepared }) => prepared(engines.store),
});

const listDrops = route({
  method: 'GET',
  path: '/drops',
  id: 'listDrops',
  summary: 'List what the account has sent, newest first',
  scope: 'history',
  query: DropQuery,
  answer: { status: 200, description: 'A page of drops.', schema: DropList },
  errors: [],
  async handle({ engines, caller, query }) {
    const page = requestedPage<Pick<SentDrop, 'id'>>(engines, caller, 'drops', query, ({ id }) => ({ id }));
    const { created_after: from, created_before: before, ...filter } = query;
    const rows = await engines.store.sentDrops.page(
      caller.accountId,
      filterOf({
        ...filter,
        createdFrom: from === undefined ? undefined : new Date(from),
        createdBefore: before === undefined ? undefined : new Date(before),
      }),
      page.after,
      page.count,
    );
    return { body: page.answer(rows as readonly SentDrop[], shown) };
  },
});

const readDrop = route({
  method: 'GET',
  path: '/drops/:id',
  id: 'readDrop',
  summary: 'Get a drop, with the state of every receiver and every file',
  scope: 'history',
  params: dropParams,
  answer: { status: 200, description: 'The drop.', schema: DropDetails },
  errors: ['not_found'],
  isVersioned: true,
  async handle({ engines: { store }, caller: { accountId }, params: { id } }) {
    const drop = await findDrop(store, accountId, id);
    const [receivers, files] = [
      await store.sentDrops.receivers(accountId, id),
      await store.sentDrops.files(accountId, id),
    ];
    const body = {
      ...shown(drop),
      deliveries_forgotten: drop.isForgotten,
      receivers: receivers.map(shownReceiver),
      files: files.map((file) => shownFile(drop, file)),
    };
    return { body, headers: etagOf(drop.version) };
  },
});

export const dropRoutes = [createDrop, listDrops, readDrop];

export async function findDrop(store: Store, accountId: string, id: string): Promise<SentDrop> {
  const drop = await store.sentDrops.find(accountId, id);
  if (!drop) throw new ExchangeError('not_found');
  return drop;
}

/** The drop after a change, for the answer. */
export async function changedDrop(store: Store, accountId: string, id: string): Promise<Result> {
  const drop = await findDrop(store, accountId, id);
  return { body: shown(drop), headers: etagOf(drop.version) };
}

function wishOf(body: NewDrop): DropWish {
  const { uploads, receivers, message = '', notify = true, reference = null, metadata = null } = body;
  return {
    uploads,
    receivers,
    message,
    expiresIn: body.expires_in,
    expiresAt: body.expires_at === undefined ? undefined : new Date(body.expires_at),
    secondFactor: body.second_factor ?? null,
    notify,
    reference,
    metadata,
  };
}

function linked({ receivers, tokens }: MadeDrop, publicUrl: string | undefined) {
  return receivers.map(({ email }, position) => ({
    id: position,
    email,
    ...(publicUrl === undefined ? {} : { link: `${publicUrl}/d/${tokens[position]}` }),
  }));
}

function shown(
  drop: SentDrop,
): Omit<Drop, `${string}_at`> & Record<`${'created' | 'expires' | 'revoked'}_at`, Date | null> {
  const { id, state, message, reference, metadata, notify } = drop;
  return {
    id,
    number: referenceOf(id),
    state,
    message,
    reference,
    metadata,
    second_factor: drop.secondFactor,
    notify,
    created_at: drop.createdAt,
    expires_at: drop.expiresAt,
    revoked_at: drop.revokedAt,
    receiver_count: drop.receiverCount,
    file_count: drop.fileCount,
  };
}

function shownReceiver(receiver: SentReceiver) {
  return {
    id: receiver.position,
    email: receiver.email,
    name: receiver.name,
    phone: receiver.number,
    language: receiver.language,
    state: stateOf(receiver),
    notified_at: receiver.notifiedAt,
    undeliverable_at: receiver.undeliverableAt,
    undeliverable_reason: receiver.undeliverableReason,
    opened_at: receiver.openedAt,
    completed_at: receiver.completedAt,
    revoked_at: receiver.withdrawnAt,
    files_delivered: receiver.filesDelivered,
  };
}

/** The latest of what is known. */
function stateOf(receiver: SentReceiver): string {
  if (receiver.withdrawnAt) return 'revoked';
  if (receiver.completedAt) return 'completed';
  if (receiver.openedAt) return 'opened';
  if (receiver.undeliverableAt) return 'undeliverable';
  return receiver.notifiedAt ? 'notified' : 'waiting';
}

function shownFile(drop: SentDrop, file: SentFile) {
  return {
    id: file.id,
    name: file.name,
    path: file.path,
    media_type: file.mediaType,
    size: file.sizeBytes,
    sha256: file.sha256.toString('hex'),
    scan: file.scan,
    state: file.isStored && drop.state === 'live' ? 'available' : 'deleted',
    receivers_delivered: file.receiversDelivered,
  };
}
