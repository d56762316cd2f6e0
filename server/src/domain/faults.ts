import { ExchangeError, type Fault, type InputField } from './exchange-error.ts';

type Place = Omit<Fault, 'code' | 'detail'>;

/** Everything that is wrong with a request, as far as it was looked at. */
export class Faults {
  readonly found: Fault[] = [];

  add(place: Place, code: Fault['code'], detail: string): void {
    this.found.push({ ...place, detail, code });
  }

  /** Runs a check that throws, and records what it says. */
  check<Value>(place: Place, work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      this.add(place, error.code, error.message);
      return undefined;
    }
  }

  /** If all faults are of one kind, that is the kind of the whole. */
  throwIfAny(retryAfterSeconds?: number): void {
    const [first] = this.found;
    if (!first) return;
    const isOneKind = this.found.every(({ code }) => code === first.code);
    const message = describeFaults(this.found.length, first.detail);
    throw new ExchangeError(isOneKind ? first.code : 'invalid_input', message, {
      faults: this.found,
      ...(isOneKind && first.code === 'daily_limit' && retryAfterSeconds !== undefined ? { retryAfterSeconds } : {}),
    });
  }
}

export function describeFaults(count: number, detail: string): string {
  return count === 1 ? detail : `${count} parts of the request are wrong; nothing was changed.`;
}

/** The only fault of an input, in one of its fields. */
export function invalidField(field: InputField, detail: string): ExchangeError {
  return new ExchangeError('invalid_input', detail, { faults: [{ field, detail, code: 'invalid_input' }] });
}
