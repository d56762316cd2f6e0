import { hash } from 'node:crypto';
import type { AttemptCount } from '../ports/limits.ts';

const daySeconds = 24 * 60 * 60;

/** Allows this many a day: all of them at once, and then one after another. */
export function countPerDay(about: 'address' | 'network' | 'page', subject: string, perDay: number): AttemptCount {
  const pauseSeconds = Math.ceil(daySeconds / perDay);
  const rule = {
    free: perDay - 1,
    firstDelaySeconds: pauseSeconds,
    maxDelaySeconds: pauseSeconds,
    decaySeconds: pauseSeconds,
  };
  return { key: `public page ${about}:${hash('sha256', subject, 'base64url')}`, rule };
}
