import { createHash } from 'node:crypto';
import type { DispatchParameters, DropType } from '@waybill/protocol';
import { describeLifetimes, isAllowedLifetime, readPolicy } from '../accounts/read-policy.ts';
import { requireAllowedReceivers } from '../accounts/require-allowed-receivers.ts';
import type { Actor } from '../actor.ts';
import type { Draft } from '../drafts/draft-store.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { respondOnce } from '../idempotency/respond-once.ts';
import { prepareForDay } from '../keys/prepare-for-day.ts';
import type { Store } from '../store.ts';
import { prepareLinkKey, writeDrop } from './write-drop.ts';

type Needs = Pick<Engines, 'store' | 'dayKeys' | 'random' | 'checkpoint' | 'policy' | 'messageLimit' | 'sms'> & {
  readonly pepper: Buffer;
};

export interface Dispatch {
  readonly draft: string;
  readonly parameters: DispatchParameters;
  readonly idempotencyKey?: string | undefined;
}

/** A client that received no response repeats its request within this time, or asks its user. */
const repetitionSeconds = 10 * 60;
/** How many dispatches of a draft are remembered: others may come between a request and its repetition. */
export const rememberedDispatches = 10;

/**
 * Sends what the machine API has gathered in a draft; every other surface sends uploads by their ids, with `prepareDrop`
 * or `prepareRequest`. The receivers and the staged files become a drop (docs/api.md#8-create-a-dispatch), or the
 * receivers a request, and staged files remain staged (docs/api.md#9-allow-contacts-to-send-files).
 *
 * One transaction, under the draft's lock: everything happens or nothing does. A repetition is recognised and creates
 * nothing new: by its Idempotency-Key if one is sent, otherwise because the same request finds a draft that it has just
 * emptied. Returns the id of what was created, if anything was.
 */
export async function dispatchDraft(
  engines: Needs,
  actor: Actor,
  dispatch: Dispatch,
  type: DropType,
): Promise<string | undefined> {
  const { checkpoint } = engines;
  const { idempotencyKey } = dispatch;
  const policy = await readPolicy(engines, actor.accountId);
  const lifetime = dispatch.parameters.desttime ?? policy.lifetime.default;
  if (!isAllowedLifetime(policy.lifetime, lifetime)) {
    throw new ExchangeError('invalid_input', `desttime must be ${describeLifetimes(policy.lifetime)}.`);
  }
  const message = dispatch.parameters.ddmessage ?? '';
  const digest = requestDigest(type, dispatch);
  const lifetimeSeconds = lifetime * policy.lifetime.unitSeconds;
  const key = await prepareLinkKey(engines, lifetimeSeconds);
  const { id } = key;
  const wrapForDay =
    type === 'downloadfiles' &&
    (await prepareForDay(engines, actor.accountId, { draft: dispatch.draft }, lifetimeSeconds));

  const moveFiles = (wrap: (tx: Store, dropId: string) => Promise<void>) => async (tx: Store) => {
    const moved = await tx.files.moveToDrop(actor.accountId, dispatch.draft, id);
    await wrap(tx, id);
    return moved;
  };

  const create = async (tx: Store) => {
    const draft = await tx.drafts.lock(actor.accountId, dispatch.draft);
    checkpoint('drop:draft-locked');
    if (idempotencyKey === undefined && (await hasEmptied(tx, actor, dispatch, digest, draft, type))) return false;

    const { receivers } = draft;
    const fileCount = await requireReady(tx, actor, dispatch.draft, draft, type);
    requireAllowedReceivers(
      policy,
      receivers.map((receiver) => receiver.email),
    );
    await tx.drafts.consume(actor.accountId, dispatch.draft, { digest, type, remembered: rememberedDispatches });
    const drop = { ...key, type, message, lifetime, lifetimeSeconds, receivers, fileCount };
    await writeDrop(engines, tx, actor, policy, wrapForDay ? { ...drop, moveFiles: moveFiles(wrapForDay) } : drop);
    checkpoint('drop:before-commit');
    return true;
  };
  const request = idempotencyKey === undefined ? undefined : ({ api: 'machine', idempotencyKey, digest } as const);
  let created = false;
  await respondOnce(engines, actor, request, async ({ store }) => {
    created = await store.transaction(create);
    return {};
  });
  if (!created) return undefined;
  checkpoint('drop:committed');
  return id;
}

/** Whether the same request was carried out a short while ago. */
export function wasJustDispatched({ dispatches }: Pick<Draft, 'dispatches'>, digest: Buffer): boolean {
  return dispatches.some((dispatch) => dispatch.ageSeconds <= repetitionSeconds && dispatch.digest.equals(digest));
}

/** Whether the draft is empty because the same request has just been carried out. */
async function hasEmptied(
  tx: Store,
  actor: Actor,
  dispatch: Dispatch,
  digest: Buffer,
  draft: Draft,
  type: DropType,
): Promise<boolean> {
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

function requestDigest(type: DropType, { draft, parameters }: Dispatch): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([type, draft, parameters.desttime ?? null, parameters.ddmessage ?? null]))
    .digest();
}
