import type { Random } from '../ports/random.ts';
import type { PostOutcome } from '../ports/webhook-sender.ts';

const [minute, hour] = [60, 60 * 60];
/** Before each attempt after the first. */
const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour] as const;
/** A receiver can ask for a pause, but not forever. */
const longestPauseSeconds = hour;

/**
 * How long to wait after this many attempts; undefined after the last one. Up to a fifth longer than planned, so that
 * what failed together is not tried again together.
 */
export function retryPause(attempts: number, random: Random): number | undefined {
  const pause = pauses[attempts - 1];
  return pause === undefined ? undefined : pause * (1 + random.bytes(1).readUInt8() / 1275);
}

/** For how long the receiver wants to be left alone (429 and 503 with Retry-After); null: it did not say. */
export function readPause(outcome: PostOutcome): number | null {
  if (!('status' in outcome) || outcome.retryAfterSeconds === undefined) return null;
  if (outcome.status !== 429 && outcome.status !== 503) return null;
  return Math.min(outcome.retryAfterSeconds, longestPauseSeconds);
}
