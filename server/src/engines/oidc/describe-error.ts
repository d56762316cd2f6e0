import { UnreachableProviderError } from './bounded-fetch.ts';

/** The reason why the provider could not be asked, if that is what failed. */
export function findUnreachable(error: unknown): UnreachableProviderError | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof UnreachableProviderError) return inner;
  }
  return undefined;
}

/** Codes and messages that the libraries and we wrote. Not those of inner causes, which may quote tokens and claims. */
export function describeError(error: unknown): string {
  const { code, error: responded, message, cause } = error as Readonly<Record<string, unknown>>;
  const { code: innerCode, message: reason } = (cause ?? {}) as Readonly<Record<string, unknown>>;
  const isOfLibrary = typeof innerCode === 'string' && innerCode.startsWith('OAUTH_');
  const inner = findUnreachable(error)?.message ?? (isOfLibrary && reason);
  return [code, responded, message, inner]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(': ')
    .slice(0, 300);
}
