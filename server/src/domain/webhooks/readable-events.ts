import { type EventType, eventTypes, type Scope } from '@waybill/protocol/v1';
import type { Actor, KeyActor } from '../actor.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Webhook } from './webhook-store.ts';

type Scopes = readonly Scope[] | null;

/**
 * Whether a key with these scopes may read the events of a type: `history` reads all of them, `receive` those of the
 * inbox, `contacts` those of contacts. The database's function `may_be_sent` says the same.
 */
export function mayRead(scopes: Scopes, type: EventType): boolean {
  if (scopes === null || scopes.includes('history')) return true;
  if (type.startsWith('inbox.')) return scopes.includes('receive');
  return type.startsWith('contact.') && scopes.includes('contacts');
}

/** The scopes that limit an actor; null: none, as for an owner of the account, who needs no key. */
export function findScopes(actor: Actor | KeyActor): Scopes {
  return 'key' in actor ? actor.key.scopes : null;
}

/** A right to be told is a right to read: a webhook is sent only what the key that makes it may read. */
export function requireReadable(actor: Actor | KeyActor, types: readonly EventType[] | null): void {
  const scopes = findScopes(actor);
  const unreadable = types?.filter((type) => !mayRead(scopes, type)) ?? [];
  if (unreadable.length > 0)
    throw new ExchangeError(
      'scope_missing',
      `Your key may not read ${joinTypes(unreadable)}. Leave them out, or use a key with the scope history.`,
    );
  if (eventTypes.some((type) => mayRead(scopes, type))) return;
  throw new ExchangeError(
    'scope_missing',
    'Your key may read no events. Use one with the scope history, receive or contacts.',
  );
}

/** A webhook stays bound to the scopes of the key that made it, whichever key changes it. */
export function requireCovered({ scopes }: Pick<Webhook, 'scopes'>, types: readonly EventType[] | null): void {
  const beyond = types?.filter((type) => !mayRead(scopes, type)) ?? [];
  if (beyond.length === 0) return;
  throw new ExchangeError(
    'scope_missing',
    `The key that made this webhook may not read ${joinTypes(beyond)}. Create another webhook for them.`,
  );
}

/** A key that could point a webhook somewhere else must be allowed to read all that is sent to it. */
export function requireMayControl(actor: Actor | KeyActor, { scopes, types }: Pick<Webhook, 'scopes' | 'types'>): void {
  const own = findScopes(actor);
  const sent = (types ?? eventTypes).filter((type) => mayRead(scopes, type));
  const excess = sent.filter((type) => !mayRead(own, type));
  if (excess.length === 0) return;
  throw new ExchangeError(
    'scope_missing',
    `The webhook is sent what your key may not read: ${joinTypes(excess)}. Use a key with the scope history.`,
  );
}

function joinTypes(types: readonly EventType[]): string {
  const named = types.slice(0, 3).join(', ');
  return types.length > 3 ? `${named} and ${types.length - 3} more types of events` : named;
}
