import { type ErrorCode, errors } from '@waybill/protocol';
import type { EngineName } from './engine-name.ts';
import type { LimitState } from './ports/limits.ts';

/** An entry of a list in the input of an operation. */
export interface InputEntry {
  readonly of: 'receivers' | 'contacts' | 'uploads';
  readonly index: number;
}

/** A field of the input or, with an entry, of that entry. */
export type InputField =
  | 'email'
  | 'phone'
  | 'language'
  | 'name'
  | 'role'
  | 'url'
  | 'uploads'
  | 'notify'
  | 'secondFactor'
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
  /** What an operator can do, if the engine responds, and refuses the call or has no room. */
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
