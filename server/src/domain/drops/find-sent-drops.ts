import type { Actor, KeyActor } from '../actor.ts';
import { emailAddress } from '../contacts/email-address.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { isUuid } from '../is-uuid.ts';
import { query } from '../query.ts';
import { readHalfOfIdEnd, readIdEnd, requireIdEnd } from '../reference.ts';
import { requireOneOf } from '../require-one-of.ts';
import type { SentDrop, SentDropFilter, SentDropKey, SentId } from './sent-drop-store.ts';

export interface SentDropQuery extends Pick<SentDropFilter, 'state' | 'createdFrom' | 'createdBefore'> {
  readonly receiver?: string | undefined;
  readonly externalId?: string | undefined;
  readonly reference?: string | undefined;
  /** A reference, an external id or a receiver's address, in full. */
  readonly search?: string | undefined;
  /**
   * One group of a reference, or a part of a message, an external id, a receiver's address or name, or a file's name.
   */
  readonly contains?: string | undefined;
}

/** Every list is read from an index, so only one of them can be searched for. */
export function toFilter(wanted: SentDropQuery): SentDropFilter {
  const { state, createdFrom, createdBefore, receiver, externalId, reference, search, contains } = wanted;
  requireOneOf({ receiver, externalId, reference, search, contains });
  return { state, createdFrom, createdBefore, anyOf: toKeys(wanted) };
}

function toKeys({ receiver, externalId, reference, search, contains }: SentDropQuery): SentDropKey[] | undefined {
  if (reference !== undefined) return [{ idEnd: requireIdEnd(reference) }];
  if (receiver !== undefined) return [{ receiver: emailAddress(receiver) }];
  if (externalId !== undefined) return [{ externalId }];
  if (contains !== undefined) return toPartKeys(contains.trim());
  if (search === undefined) return undefined;
  const idEnd = readIdEnd(search);
  return [
    { externalId: search },
    ...(idEnd === undefined ? [] : [{ idEnd }]),
    ...(search.includes('@') ? [{ receiver: search.trim().toLowerCase() }] : []),
  ];
}

function toPartKeys(text: string): SentDropKey[] | undefined {
  if (text === '') return undefined;
  const idEnd = readIdEnd(text);
  const half = readHalfOfIdEnd(text);
  return [
    { text },
    ...(idEnd === undefined ? [] : [{ idEnd }]),
    // The end of the id is among the texts that are searched.
    ...(half === undefined ? [] : [{ text: half }]),
  ];
}

/** One of another type, or of another account, is not found. */
export async function findSentDrop(
  { store }: Pick<Engines, 'store'>,
  { accountId }: Pick<Actor, 'accountId'>,
  sent: SentId,
): Promise<SentDrop> {
  const found = isUuid(sent.dropId) ? await store.sentDrops.find(accountId, sent) : undefined;
  if (!found) throw new ExchangeError('not_found');
  return found;
}

/**
 * Finds one for a program to read. A key that may not read the history finds only what it sent itself; anything else looks
 * as if it did not exist.
 */
export async function findReadableDrop(
  engines: Pick<Engines, 'store'>,
  caller: KeyActor,
  sent: SentId,
): Promise<SentDrop> {
  const found = await findSentDrop(engines, caller, sent);
  if (!mayReadHistory(caller) && found.keyId !== caller.key.id) throw new ExchangeError('not_found');
  return found;
}

export function mayReadHistory({ key: { scopes } }: KeyActor): boolean {
  return scopes === null || scopes.includes('history');
}

/** Finds those of these that the account has, in their order. */
export async function findSentDrops(
  { store }: Pick<Engines, 'store'>,
  accountId: string,
  type: SentId['type'],
  ids: readonly string[],
): Promise<SentDrop[]> {
  const found = await Promise.all(ids.map((dropId) => store.sentDrops.find(accountId, { type, dropId })));
  return found.filter((sent) => sent !== undefined);
}

export const listSentDrops = query((store) => store.sentDrops.page);
export const listSentFiles = query((store) => store.sentDrops.files);
export const listSentReceivers = query((store) => store.sentDrops.receivers);
export const summarizeDrops = query((store) => store.sentDrops.summaries);
export const summarizeRequests = query((store) => store.requests.summaries);
export const countAttention = query((store) => store.sentDrops.countAttention);
export const countOpenRequests = query((store) => store.requests.countOpen);

export const listFollowedFiles = query((store) => store.sentDrops.followedFiles);
export const listFollowedReceivers = query((store) => store.sentDrops.followedReceivers);
export const findHolders = query((store) => store.sentDrops.holders);
export const listChanges = query((store) => store.audit.ofDrop);
export const listArrivals = query((store) => store.requests.arrivals);
/** Lists the sendings of a contact through a link. */
export const listSendings = query((store) => store.drops.sentThrough);
