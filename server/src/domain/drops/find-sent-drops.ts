import { emailAddress } from '../contacts/email-address.ts';
import { ExchangeError } from '../exchange-error.ts';
import { readIdEnd } from '../reference.ts';
import type { SentDropFilter, SentDropKey } from './sent-drop-store.ts';

export interface SentDropQuery extends Pick<SentDropFilter, 'state' | 'createdFrom' | 'createdBefore'> {
  readonly receiver?: string | undefined;
  readonly externalId?: string | undefined;
  /** A reference, an external id or a receiver's address, in full. */
  readonly search?: string | undefined;
}

/** Every list is read from an index, so a search is for whole values, and for one of them. */
export function toFilter({ state, createdFrom, createdBefore, ...query }: SentDropQuery): SentDropFilter {
  const { receiver, externalId, search } = query;
  if ([receiver, externalId, search].filter((value) => value !== undefined).length > 1) {
    const detail = 'Send one of receiver, external_id and search.';
    throw new ExchangeError('invalid_input', detail);
  }
  return { state, createdFrom, createdBefore, anyOf: toKeys(query) };
}

function toKeys({ receiver, externalId, search }: SentDropQuery): SentDropKey[] | undefined {
  if (receiver !== undefined) return [{ receiver: emailAddress(receiver) }];
  if (externalId !== undefined) return [{ externalId }];
  if (search === undefined) return undefined;
  const idEnd = readIdEnd(search);
  return [
    { externalId: search },
    ...(idEnd === undefined ? [] : [{ idEnd }]),
    ...(search.includes('@') ? [{ receiver: search.trim().toLowerCase() }] : []),
  ];
}
