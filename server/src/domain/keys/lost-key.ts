import { ExchangeError } from '../exchange-error.ts';

/**
 * A stored key that no one can unwrap: it was altered, or the key that wraps it is destroyed or not known. To a reader of
 * the file, the file is damaged.
 */
export class LostKey extends ExchangeError {
  constructor(message: string, options?: ErrorOptions) {
    super('damaged', message, options);
    this.name = 'LostKey';
  }
}

/**
 * Whether a key that could not be unwrapped is lost: its engine responded, and the key or its object is not there or does
 * not open. After any other failure, such as an engine that is away or a token that cannot be read, nothing is known
 * about the key.
 */
export const isLost = (error: unknown): boolean => error instanceof ExchangeError && error.code === 'damaged';
