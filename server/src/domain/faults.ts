import { ExchangeError, type Fault } from './exchange-error.ts';

/** Everything that is wrong with a request, as far as it was looked at. */
export class Faults {
  readonly found: Fault[] = [];

  add(pointer: string, code: Fault['code'], detail: string): void {
    this.found.push({ pointer, detail, code });
  }

  /** Runs a check that throws, and records what it says. */
  check<Value>(pointer: string, work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      this.add(pointer, error.code, error.message);
      return undefined;
    }
  }

  /** If all faults are of one kind, that is the kind of the whole. */
  throwIfAny(retryAfterSeconds?: number): void {
    const [first] = this.found;
    if (!first) return;
    const isOneKind = this.found.every(({ code }) => code === first.code);
    const message =
      this.found.length === 1
        ? first.detail
        : `${this.found.length} parts of the request are wrong; nothing was changed.`;
    throw new ExchangeError(isOneKind ? first.code : 'invalid_input', message, {
      faults: this.found,
      ...(isOneKind && first.code === 'daily_limit' && retryAfterSeconds !== undefined ? { retryAfterSeconds } : {}),
    });
  }
}
