import { createHash } from 'node:crypto';
import type { DispatchParameters, DropType, Receiver } from '@waybill/protocol';
import { record } from '../audit/record.ts';
import { requireStorable } from '../contacts/contact-from-input.ts';
import { ExchangeError } from '../exchange-error.ts';
import { requireWithinLimits } from '../outbox/require-within-limits.ts';
import type { Actor, Draft, Engines, Store } from '../ports/index.ts';
import { linkToken, tokenDigest } from './link-token.ts';
import { rememberedDispatches, wasJustDispatched } from './repetition.ts';

type Needs = Pick<Engines, 'store' | 'keys' | 'random' | 'checkpoint' | 'policy' | 'messageLimit'>;

const daySeconds = 24 * 60 * 60;

export interface Dispatch {
  readonly draft: string;
  readonly parameters: DispatchParameters;
  readonly idempotencyKey?: string | undefined;
}

/** spec 4, rule 8: the receivers, the uploaded files and the request become a drop with a page for each receiver. */
export async function createDrop(engines: Needs, actor: Actor, dispatch: Dispatch): Promise<void> {
  await dispatchDraft(engines, actor, dispatch, 'downloadfiles');
}

/** spec 4, rule 9: the receivers get temporary access to the upload interface. Staged files stay where they are. */
export async function grantAccess(engines: Needs, actor: Actor, dispatch: Dispatch): Promise<void> {
  await dispatchDraft(engines, actor, dispatch, 'uploadfiles');
}

/**
 * One transaction, under the draft's lock: all of it happens or none. A repetition is recognised and makes nothing
 * new: by its Idempotency-Key where one is sent, else by the same request meeting a draft that it has just emptied.
 */
async function dispatchDraft(engines: Needs, actor: Actor, dispatch: Dispatch, type: DropType): Promise<void> {
  const { store, keys, random, checkpoint, policy } = engines;
  const ttl = dispatch.parameters.desttime ?? policy.desttime.default;
  if (ttl > policy.desttime.max) {
    throw new ExchangeError('invalid_input', `desttime is a whole number from 1 to ${policy.desttime.max}.`);
  }
  const message = dispatch.parameters.ddmessage ?? '';
  requireStorable([message]);
  const digest = requestDigest(type, dispatch);
  const lifetimeSeconds = ttl * policy.desttime.unitSeconds;
  const id = random.uuid();
  // Before the transaction: a key provider may be slow, and nothing slow happens inside one.
  const linkKey = random.bytes(32);
  const wrappedLinkKey = await keys.wrap(linkKey, id);

  const created = await store.transaction(async (tx) => {
    const draft = await tx.drafts.lock(actor.accountId, dispatch.draft);
    checkpoint('drop:draft-locked');
    if (await isRepetition(tx, actor, dispatch, digest, draft, type)) return false;

    const { receivers } = draft;
    const fileCount = await requireReady(tx, actor, dispatch.draft, draft, type);
    await requireWithinLimits(
      engines,
      actor.accountId,
      receivers.map((receiver) => receiver.email),
    );
    await tx.drops.insert(actor.accountId, {
      id,
      type,
      message,
      ttl,
      ttlSeconds: lifetimeSeconds,
      reminderSeconds: type === 'downloadfiles' ? Math.min(daySeconds, lifetimeSeconds / 4) : null,
      from: null,
      receiverCount: receivers.length,
      fileCount,
      linkKey: wrappedLinkKey,
      keyVersion: keys.currentVersion,
    });
    checkpoint('drop:inserted');
    await tx.drops.insertLinks(
      actor.accountId,
      id,
      receivers.map((receiver, position) => ({
        position,
        receiver,
        tokenDigest: tokenDigest(linkToken(linkKey, position)),
      })),
    );
    checkpoint('drop:links-inserted');
    if (type === 'downloadfiles') {
      await tx.files.moveToDrop(actor.accountId, dispatch.draft, id);
      checkpoint('drop:files-moved');
      await fillInboxes(engines, tx, actor, id, receivers);
      checkpoint('drop:inboxes-filled');
    }
    await tx.outbox.invite(
      actor.accountId,
      id,
      receivers.map((_, position) => ({ id: random.uuid(), position })),
    );
    checkpoint('drop:messages-enqueued');
    await tx.drafts.consume(actor.accountId, dispatch.draft, { digest, type, remembered: rememberedDispatches });
    await record(engines, tx, {
      accountId: actor.accountId,
      actor: actor.email,
      action: type === 'downloadfiles' ? 'drop.created' : 'access.granted',
      details: { dropId: id, receivers: receivers.length, files: fileCount },
    });
    checkpoint('drop:before-commit');
    return true;
  });
  if (created) checkpoint('drop:committed');
}

async function isRepetition(
  tx: Store,
  actor: Actor,
  dispatch: Dispatch,
  digest: Buffer,
  draft: Draft,
  type: DropType,
): Promise<boolean> {
  if (dispatch.idempotencyKey !== undefined) {
    const claimed = await tx.drops.claimIdempotencyKey(actor.accountId, dispatch.idempotencyKey, digest);
    if (claimed && !claimed.equals(digest)) throw new ExchangeError('idempotency_key_reused');
    return claimed !== undefined;
  }
  if (draft.receivers.length > 0 || !wasJustDispatched(draft, digest)) return false;
  return type === 'uploadfiles' || (await tx.files.countStaged(actor.accountId, dispatch.draft)) === 0;
}

/** Returns how many files the dispatch will carry. */
async function requireReady(tx: Store, actor: Actor, name: string, draft: Draft, type: DropType): Promise<number> {
  if (draft.receivers.length === 0) throw new ExchangeError('no_receivers');
  if (type === 'uploadfiles') return 0;
  if (!draft.listOpened) throw new ExchangeError('file_list_not_initialized');
  const files = await tx.files.countStaged(actor.accountId, name);
  if (files === 0) throw new ExchangeError('no_files');
  return files;
}

/** A receiver with an account here finds the drop in its inbox too. */
async function fillInboxes(
  engines: Pick<Engines, 'random'>,
  tx: Store,
  actor: Actor,
  dropId: string,
  receivers: readonly Receiver[],
): Promise<void> {
  const accounts = await tx.accounts.idsOf(receivers.map((receiver) => receiver.email));
  for (const { id } of accounts) {
    if (id === actor.accountId) continue;
    await tx.drops.insertInboxEntry(id, { id: engines.random.uuid(), senderAccountId: actor.accountId, dropId });
  }
}

function requestDigest(type: DropType, { draft, parameters }: Dispatch): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([type, draft, parameters.desttime ?? null, parameters.ddmessage ?? null]))
    .digest();
}
