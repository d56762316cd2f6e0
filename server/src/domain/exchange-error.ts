import { type ErrorCode, errors } from '@waybill/protocol';
import type { EngineName } from './engine-name.ts';
import type { LimitState } from './ports/limits.ts';

/** An entry of a list in the input of an operation. */
export interface InputEntry {
  readonly of: 'receivers' | 'contacts' | 'uploads' | 'sent_files';
  readonly index: number;
}

/** A field of the input or, with an entry, of that entry. */
export type InputField =
  | 'email'
  | 'phone'
  | 'language'
  | 'name'
  | 'title'
  | 'wanted'
  | 'role'
  | 'url'
  | 'uploads'
  | 'notify'
  | 'secondFactor'
  | 'passphrase'
  | 'sharedLink'
  | 'expiresIn'
  | 'expiresAt';

/** One of several things that are wrong with the input of an operation. Without an entry and a field, it is the whole. */
export interface Fault {
  readonly entry?: InputEntry | undefined;
  readonly field?: InputField;
  /** The same is in the input, or stored, already. */
  readonly isRepeated?: true;
  readonly detail: string;
  readonly code: ErrorCode;
}

/**
 * The only error that the domain throws on purpose. Any other error that surfaces is a bug and is reported as
 * `internal`.
 */
export class ExchangeError extends Error {
  readonly code: ErrorCode;
  /** How long the caller should wait before the same request may succeed. */
  readonly retryAfterSeconds: number | undefined;
  /** Everything that is wrong, where an operation checks all of a request before it refuses it. */
  readonly faults: readonly Fault[];
  /** The size of the largest file that would be accepted, if one is too large. */
  readonly maxBytes: number | undefined;
  /** The limits that were counted against. */
  readonly limits: readonly LimitState[];
  /** With `unavailable`: the engine that is. */
  readonly engine: EngineName | undefined;
  /** The next step, for those who do not read the machine API's message, which is recorded without one. */
  readonly advice: string | undefined;
  /** The remedy for an operator, if the engine responds, and refuses the call or has no room. */
  readonly remedy: string | undefined;

  constructor(
    code: ErrorCode,
    message: string = errors[code].message,
    options?: ErrorOptions & {
      readonly retryAfterSeconds?: number | undefined;
      readonly faults?: readonly Fault[];
      readonly maxBytes?: number | undefined;
      readonly limits?: readonly LimitState[];
      readonly engine?: EngineName | undefined;
      readonly advice?: string | undefined;
      readonly remedy?: string | undefined;
    },
  ) {
    super(message, options);
    this.name = 'ExchangeError';
    this.code = code;
    this.retryAfterSeconds = options?.retryAfterSeconds ?? errors[code].retryAfterSeconds;
    this.faults = options?.faults ?? [];
    this.maxBytes = options?.maxBytes;
    this.limits = options?.limits ?? [];
    this.engine = options?.engine;
    this.advice = options?.advice;
    this.remedy = options?.remedy;
  }
}

/** The object store does not have an object that it should have. To a reader of the file, the file is damaged. */
export class MissingObject extends ExchangeError {
  constructor(options?: ErrorOptions) {
    super('damaged', undefined, options);
    this.name = 'MissingObject';
  }
}

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
      this.add(place, error.code, [error.message, error.advice].filter((text) => text !== undefined).join(' '));
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
  return count === 1 ? detail : `${count} parts of the request are wrong; nothing was changed. The first: ${detail}`;
}

/** The only fault of an input, in one of its fields. */
export function invalidField(field: InputField, detail: string): ExchangeError {
  return new ExchangeError('invalid_input', detail, { faults: [{ field, detail, code: 'invalid_input' }] });
}
