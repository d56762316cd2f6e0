import { ExchangeError } from './exchange-error.ts';

/** The names of filters on the wire, where they differ. */
const names: Readonly<Record<string, string>> = {
  receiver: 'receiver_email',
  externalId: 'external_id',
  requestId: 'request_id',
};

/** Every list is read from one index, so only one of the filters that have an index of their own can be given. */
export function requireOneOf(filters: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(filters).filter((name) => filters[name] !== undefined);
  if (given.length < 2) return;
  const [last, ...others] = given.map((name) => names[name] ?? name).toReversed();
  throw new ExchangeError('invalid_input', `Send one of ${others.toReversed().join(', ')} and ${last}.`);
}
