import { emailAddress } from '../contacts/email-address.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { SentDropFilter, SentDropKey } from '../ports/index.ts';
import { idEndOf } from './reference.ts';

export interface SentDropWish extends Pick<SentDropFilter, 'state' | 'createdFrom' | 'createdBefore'> {
  readonly receiver?: string | undefined;
  readonly reference?: string | undefined;
  /** A number, a reference or a receiver's address, in full. */
  readonly search?: string | undefined;
}

/** Every list is read from an index, so a search is for whole values, and for one of them. */
export function filterOf({ state, createdFrom, createdBefore, ...wish }: SentDropWish): SentDropFilter {
  const { receiver, reference, search } = wish;
  if ([receiver, reference, search].filter((value) => value !== undefined).length > 1) {
    const detail = 'Send one of receiver, reference and search.';
    throw new ExchangeError('invalid_input', detail);
  }
  return { state, createdFrom, createdBefore, anyOf: keysOf(wish) };
}

function keysOf({ receiver, reference, search }: SentDropWish): SentDropKey[] | undefined {
  if (receiver !== undefined) return [{ receiver: emailAddress(receiver) }];
  if (reference !== undefined) return [{ reference }];
  if (search === undefined) return undefined;
  const idEnd = idEndOf(search);
  return [
    { reference: search },
    ...(idEnd === undefined ? [] : [{ idEnd }]),
    ...(search.includes('@') ? [{ receiver: search.trim().toLowerCase() }] : []),
  ];
}
