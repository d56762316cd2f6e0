import { ExchangeError } from '../exchange-error.ts';
import { Lane, type LaneOptions } from './lane.ts';

/** Ends a turn; ending it twice does nothing. `failed`: the work was not done. */
export type EndTurn = (outcome: 'begun' | 'failed') => void;

/**
 * Admits a few callers at a time, in order of arrival. When a thousand transfers begin in the same second, each needs
 * several queries before its first byte; all at once they would keep other requests from the database and from this
 * thread, and time out themselves. In turns, the last of them begins just as soon, and others hardly notice.
 */
export class Turns {
  readonly lane: Lane;

  constructor(options: LaneOptions) {
    this.lane = new Lane(options);
  }

  /** Waits for a turn, up to the given time or as the options say. */
  async take(waitMs?: number): Promise<EndTurn> {
    const { leave } = await this.lane.enter(waitMs === undefined ? {} : { waitMs, silenceMs: waitMs }).catch(refuse);
    let hasEnded = false;
    return (outcome) => {
      if (hasEnded) return;
      hasEnded = true;
      leave(outcome === 'begun' ? 'answered' : 'failed');
    };
  }

  /** Runs work in a turn, which ends with the work, or earlier when the work says that it has begun. */
  async during<Result>(work: (begun: () => void) => Promise<Result>, waitMs?: number): Promise<Result> {
    const endTurn = await this.take(waitMs);
    try {
      const result = await work(() => endTurn('begun'));
      endTurn('begun');
      return result;
    } finally {
      endTurn('failed');
    }
  }
}

function refuse(): never {
  throw new ExchangeError('unavailable', 'Too many transfers are beginning at the moment. Try again shortly.');
}
