import { emailAddress } from '../contacts/email-address.ts';
import { ExchangeError } from '../exchange-error.ts';
import { readHalfOfIdEnd, readIdEnd } from '../reference.ts';
import type { SentDropFilter, SentDropKey } from './sent-drop-store.ts';

export interface SentDropQuery extends Pick<SentDropFilter, 'state' | 'createdFrom' | 'createdBefore'> {
  readonly receiver?: string | undefined;
  readonly externalId?: string | undefined;
  /** A reference, an external id or a receiver's address, in full. */
  readonly search?: string | undefined;
  /**
   * One group of a reference, or a part of a message, an external id, a receiver's address or name, or a file's name.
   */
  readonly contains?: string | undefined;
}

/** Every list is read from an index, so only one of them can be searched for. */
export function toFilter({ state, createdFrom, createdBefore, ...query }: SentDropQuery): SentDropFilter {
  const { receiver, externalId, search, contains } = query;
  if ([receiver, externalId, search, contains].filter((value) => value !== undefined).length > 1) {
    const detail = 'Send one of receiver, external_id, search and contains.';
    throw new ExchangeError('invalid_input', detail);
  }
  return { state, createdFrom, createdBefore, anyOf: toKeys(query) };
}

function toKeys({ receiver, externalId, search, contains }: SentDropQuery): SentDropKey[] | undefined {
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
