import { ExchangeError } from '../../domain/exchange-error.ts';
import type { Visit } from './app-route.ts';

/** Too many sign-ins have failed; the time from which on the next one is heard. */
export class TooManyAttempts extends Error {
  readonly retryAt: Date;

  constructor(seconds: number) {
    super('too many attempts to sign in');
    this.retryAt = new Date(Date.now() + seconds * 1000);
  }
}

/** Counts failed sign-ins from the browser's network, and for the address from that network. */
export async function limitAttempts<Result>(
  { engines, request }: Visit,
  email: string,
  attempt: () => Promise<Result>,
): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.code !== 'sign_in_failed') throw error;
    const { isExceeded, resetSeconds } = await engines.failureLimit.record(
      `sign-in ${request.ip} ${email}`.slice(0, 300),
    );
    if (isExceeded) throw new TooManyAttempts(resetSeconds);
    throw error;
  }
}
