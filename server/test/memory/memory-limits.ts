import { randomBytes } from 'node:crypto';
import { limits } from '@waybill/protocol';
import type {
  AttemptLimit,
  CsrfTokens,
  FailureLimit,
  MessageLimit,
  ReceiverPace,
} from '../../src/domain/ports/limits.ts';
import { MemoryAttempts } from '../../src/domain/sign-in/attempts.ts';

const hourSeconds = 3600;

/** Fulfils the contract of everything that is kept in Redis (limits-contract.ts), with a clock that a test can move. */
export class MemoryLimits {
  readonly #counts = new Map<string, { count: number; endsAt: number }>();
  /** By account: when each token was last used, the least recently used first. */
  readonly #tokens = new Map<string, Map<string, number>>();
  #elapsedMs = 0;

  elapse(seconds: number): void {
    this.#elapsedMs += seconds * 1000;
  }

  csrfTokens({ lifetimeSeconds }: { lifetimeSeconds: number }): CsrfTokens {
    const use = (accountId: string, token: string) => {
      const tokens = this.#tokens.get(accountId) ?? new Map<string, number>();
      this.#tokens.set(accountId, tokens);
      for (const [other, usedAt] of tokens) if (usedAt <= this.#now() - lifetimeSeconds * 1000) tokens.delete(other);
      const isKnown = tokens.delete(token);
      return { isKnown, record: () => tokens.set(token, this.#now()), tokens };
    };
    return {
      mint: async (accountId) => {
        const token = randomBytes(32).toString('base64url');
        const { record, tokens } = use(accountId, token);
        record();
        const [oldest] = tokens.keys();
        if (oldest !== undefined && tokens.size > limits.csrfTokensPerAccount) tokens.delete(oldest);
        return token;
      },
      accept: async (accountId, token) => {
        const { isKnown, record } = use(accountId, token);
        if (isKnown) record();
        return isKnown;
      },
    };
  }

  failureLimit({ failures, seconds }: { failures: number; seconds: number }): FailureLimit {
    return {
      record: async (address) => {
        const count = this.#add(`failures:${address}`, 1, seconds);
        return {
          name: 'failures',
          quota: failures,
          windowSeconds: seconds,
          remaining: Math.max(0, failures - count),
          resetSeconds: this.#secondsLeft(`failures:${address}`) ?? seconds,
          isExceeded: count > failures,
        };
      },
    };
  }

  attemptLimit(): AttemptLimit {
    return new MemoryAttempts(() => this.#now());
  }

  messageLimit(max: { perAccount: number; perReceiver: number }): MessageLimit {
    return {
      acquire: async (accountId, receivers) => {
        const distinct = [...new Set(receivers)];
        const additions = [
          { key: `messages:${accountId}`, count: distinct.length, max: max.perAccount },
          ...distinct.map((to) => ({ key: `messages:${accountId}:${to}`, count: 1, max: max.perReceiver })),
        ];
        const full = additions.filter(({ key, count, max: most }) => this.#count(key) + count > most);
        if (full.length > 0) return Math.max(...full.map(({ key }) => this.#secondsLeft(key) ?? hourSeconds));
        for (const { key, count } of additions) this.#add(key, count, hourSeconds);
        return 0;
      },
    };
  }

  receiverPace({ perHour }: { perHour: number }): ReceiverPace {
    return {
      acquire: async (receiver) => {
        const key = `pace:${receiver}`;
        return this.#add(key, 1, hourSeconds) <= perHour ? 0 : (this.#secondsLeft(key) ?? hourSeconds);
      },
    };
  }

  #now(): number {
    return performance.now() + this.#elapsedMs;
  }

  #live(key: string) {
    const known = this.#counts.get(key);
    return known && known.endsAt > this.#now() ? known : undefined;
  }

  #count(key: string): number {
    return this.#live(key)?.count ?? 0;
  }

  #secondsLeft(key: string): number | undefined {
    const live = this.#live(key);
    return live && Math.ceil((live.endsAt - this.#now()) / 1000);
  }

  /** A window begins with the first addition, and the others do not extend it. */
  #add(key: string, count: number, seconds: number): number {
    const window = this.#live(key) ?? { count: 0, endsAt: this.#now() + seconds * 1000 };
    window.count += count;
    this.#counts.set(key, window);
    return window.count;
  }
}
