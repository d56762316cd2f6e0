import { ExchangeError } from '../../domain/exchange-error.ts';

/** The error of a path that does not exist, or that must look as if it did not. */
export function noSuchPath(): ExchangeError {
  return new ExchangeError(
    'not_found',
    'There is nothing at this path. Compare it, also its slashes, with the reference at /docs: each path begins with /api/v1, or with the address of the account.',
  );
}
