/**
 * An engine responds, and its response shows that something is set up incorrectly: a bucket that does not exist, or a
 * master key that unwraps nothing. Waiting does not help; the message says what to change.
 */
export class SetupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SetupError';
  }
}
