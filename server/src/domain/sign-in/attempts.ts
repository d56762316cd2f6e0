import type { AttemptCount, AttemptLimit, AttemptRule } from '../ports/limits.ts';

interface State {
  readonly count: number;
  /** From when on the count decays. */
  readonly since: number;
  /** No attempt is counted before. */
  readonly openAt: number;
}

/** Counts are discarded beyond this many, the oldest first: memory is bounded, whatever addresses are tried. */
const maxCounts = 100_000;

/**
 * Counts attempts in the memory of this process. The clock is in milliseconds. The scripts of the shared count
 * (engines/valkey/attempt-limit.ts) follow the same rules.
 */
export class MemoryAttempts implements AttemptLimit {
  readonly #states = new Map<string, State>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async acquire(counts: readonly AttemptCount[]): Promise<number> {
    const now = this.#now();
    const waitMs = Math.max(0, ...counts.map(({ key }) => (this.#states.get(key)?.openAt ?? now) - now));
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    for (const { key, rule } of counts) this.#set(key, countAttempt(rule, this.#states.get(key), now));
    return 0;
  }

  async release(counts: readonly AttemptCount[]): Promise<void> {
    for (const { key, rule } of counts) {
      const state = this.#states.get(key);
      if (state) this.#set(key, releaseAttempt(rule, state));
    }
  }

  #set(key: string, state: State | undefined): void {
    this.#states.delete(key);
    if (state) this.#states.set(key, state);
    const [oldest] = this.#states.keys();
    if (oldest !== undefined && this.#states.size > maxCounts) this.#states.delete(oldest);
  }
}

function countAttempt(rule: AttemptRule, before: State | undefined, now: number): State {
  const decayMs = rule.decaySeconds * 1000;
  const decayed = before ? Math.floor((now - before.since) / decayMs) : 0;
  const left = before && decayed < before.count;
  const count = 1 + (left ? before.count - decayed : 0);
  const excess = count - rule.free;
  const delaySeconds = excess <= 0 ? 0 : Math.min(rule.maxDelaySeconds, rule.firstDelaySeconds * 2 ** (excess - 1));
  return { count, since: left ? before.since + decayed * decayMs : now, openAt: now + delaySeconds * 1000 };
}

/** A delay remains while there are too many other attempts: one success must not open the way for guesses. */
function releaseAttempt(rule: AttemptRule, { count, since, openAt }: State): State | undefined {
  if (count <= 1) return undefined;
  return { count: count - 1, since, openAt: count - 1 > rule.free ? openAt : 0 };
}
