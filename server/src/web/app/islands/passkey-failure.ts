/** The server did not accept the passkey, or did not offer a challenge. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** The reason in the reader's language, if the server gave one. */
  readonly said: string | undefined;

  constructor(said?: string) {
    super(said ?? 'The server refused the passkey.');
    this.said = said;
  }
}

/** The attributes of PasskeyButton that say it in words. */
export type PasskeyFailure = 'cancelled' | 'none' | 'offline' | 'unsupported' | 'failed';

/**
 * Names the failure by the error that the browser, the library or the server raised; undefined if it is no failure,
 * because the page itself ended the attempt.
 */
export function explainFailure(error: unknown, isOnline: boolean): PasskeyFailure | undefined {
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  if (name === 'AbortError') return undefined;
  // The person closed the browser's dialog, or waited too long: the browser does not say which.
  if (name === 'NotAllowedError') return 'cancelled';
  if (name === 'InvalidStateError') return 'none';
  if (name === 'NotSupportedError' || name === 'SecurityError') return 'unsupported';
  // How `fetch` fails without a network.
  if (name === 'TypeError' || !isOnline) return 'offline';
  return 'failed';
}
