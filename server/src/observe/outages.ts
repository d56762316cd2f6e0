import type { LogFn, Logger } from 'pino';
import { toOutage } from '../domain/engine-name.ts';

/** How soon the same line may be written again while a fault lasts. */
const repeatMs = 5 * 60_000;
/** How soon the same fault of an engine may be written again after it was over. */
const soonMs = 60_000;
/** Works again: it did for this long without another failure. */
const settleMs = 5_000;
/** Reasons of one fault that are written at most, in case each is different. */
const maxReasons = 8;

export const engineUnavailable = 'an engine is unavailable';

interface Fault {
  readonly sinceMs: number;
  /** When it failed last. */
  lastMs: number;
  failures: number;
  isWritten: boolean;
  reason: string;
  /** Whether the last check of the engine failed too. */
  isAway: boolean;
  /** Calls that failed while its checks succeeded, and have not succeeded since. */
  readonly failedCalls: Set<string>;
}

interface Written {
  readonly atMs: number;
  /** How soon it may be written again. */
  pauseMs: number;
  /** How often it would have been written since. */
  repeated: number;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Writes what fails again and again once, again when its reason changes and every few minutes, and once more when it
 * works again: with an engine away, every request, loop and connection fails for the same reason, many times a second.
 *
 * `hooks` are those of the log: a line about an error that an engine has caused is written by the same rule, whoever
 * writes it, and names the engine, its address and the reason.
 */
export class Outages {
  readonly #addresses: Readonly<Record<string, string>>;
  readonly #now: () => number;
  readonly #faults = new Map<string, Fault>();
  /** By event and subject, then by reason. */
  readonly #written = new Map<string, Map<string, Written>>();
  #log: Logger | undefined;

  /** Addresses by the engine's name, without credentials. */
  constructor(addresses: Readonly<Record<string, string>>, now: () => number = () => performance.now()) {
    this.#addresses = addresses;
    this.#now = now;
  }

  readonly hooks = { logMethod: toHook((fields, event) => this.#replace(fields, event)) };

  writeTo(log: Logger): void {
    this.#log = log;
  }

  /** An engine did not do its work: in this call, or in a check if there is none. */
  failed(engine: string, reason: string, call?: string): void {
    const fault = this.#count(engine, reason);
    if (call === undefined) {
      fault.isAway = true;
      fault.failedCalls.clear();
    } else if (!fault.isAway) fault.failedCalls.add(call);
    const repeated = this.#admit(`${engineUnavailable} ${engine}`, reason);
    if (repeated === undefined) return;
    fault.isWritten = true;
    this.#log?.warn({ ...this.#name(engine), reason, ...repeated }, engineUnavailable);
  }

  /** An engine is up, but takes long. */
  slow(engine: string): void {
    const repeated = this.#admit(`slow ${engine}`, '');
    if (repeated) this.#log?.warn({ ...this.#name(engine), ...repeated }, 'an engine is slow');
  }

  /** A call did its work. Whether the fault is over is left to the next check. */
  callSucceeded(call: string): void {
    for (const { failedCalls } of this.#faults.values()) failedCalls.delete(call);
  }

  /** An engine responds. With a full disk it also does, so calls that failed have to succeed, or not to be made any more. */
  responded(engine: string): void {
    const fault = this.#faults.get(engine);
    if (!fault) return;
    fault.isAway = false;
    if (fault.failedCalls.size > 0 && this.#now() - fault.lastMs < repeatMs) return;
    const over = this.#end(engine);
    if (!over) return;
    this.#beginAnew(engine);
    this.#log?.info({ ...this.#name(engine), ...over }, 'an engine is available again');
  }

  /** A loop of `work` failed, and will be run again. */
  loopFailed(loop: string, event: string, error: unknown): void {
    const outage = toOutage(error);
    const reason = error instanceof Error ? error.message : String(error);
    const fault = this.#count(`loop ${loop}`, reason);
    const repeated = this.#admit(event, outage?.engine ?? reason);
    if (repeated === undefined) return;
    fault.isWritten = true;
    this.#log?.warn({ loop, ...(outage ? this.#describe(outage) : { err: error }), ...repeated }, event);
  }

  loopSucceeded(loop: string): void {
    const over = this.#end(`loop ${loop}`);
    if (over) this.#log?.info({ loop, ...over }, 'a loop works again');
  }

  /** The fields of a line about an error that an engine has caused; undefined if it was written a moment ago. */
  #replace({ err, ...fields }: Fields, event: string): Fields | undefined {
    const outage = toOutage(err);
    if (!outage) return { ...fields, err };
    const described = this.#describe(outage);
    const repeated = this.#admit(event, outage.engine ?? String(described['reason']));
    return repeated && { ...fields, ...described, ...repeated };
  }

  #describe({ engine, reason }: NonNullable<ReturnType<typeof toOutage>>): Fields {
    if (engine === undefined) return { reason };
    return { ...this.#name(engine), reason: reason ?? this.#faults.get(engine)?.reason };
  }

  #name(engine: string): Fields {
    return { engine, address: this.#addresses[engine] };
  }

  #count(subject: string, reason: string): Fault {
    const now = this.#now();
    const fault = this.#faults.get(subject) ?? toFault(now, reason);
    Object.assign(fault, { lastMs: now, failures: fault.failures + 1, reason });
    this.#faults.set(subject, fault);
    return fault;
  }

  /** The lines about an engine are written again in its next outage, and count only what that one repeats. */
  #beginAnew(engine: string): void {
    for (const [subject, reasons] of this.#written) {
      for (const [reason, written] of reasons) {
        if (subject !== `${engineUnavailable} ${engine}` && reason !== engine) continue;
        Object.assign(written, { pauseMs: soonMs, repeated: 0 });
      }
    }
  }

  /** How long it lasted, unless there was none, or it may not be over. */
  #end(subject: string): { seconds: number; failures: number } | undefined {
    const fault = this.#faults.get(subject);
    if (!fault || this.#now() - fault.lastMs < settleMs) return undefined;
    this.#faults.delete(subject);
    const { isWritten, failures, sinceMs, lastMs } = fault;
    return isWritten ? { seconds: Math.round((lastMs - sinceMs) / 1000), failures } : undefined;
  }

  /** Undefined if the line was written a moment ago; otherwise how often it was left out since. */
  #admit(subject: string, reason: string): { repeated?: number } | undefined {
    const now = this.#now();
    const reasons = this.#written.get(subject) ?? new Map<string, Written>();
    this.#written.set(subject, reasons);
    for (const [known, { atMs }] of reasons) if (known !== reason && now - atMs >= repeatMs) reasons.delete(known);
    const last = reasons.get(reason);
    if (last ? now - last.atMs < last.pauseMs : reasons.size >= maxReasons) {
      if (last) last.repeated += 1;
      return undefined;
    }
    reasons.set(reason, { atMs: now, pauseMs: repeatMs, repeated: 0 });
    return last && last.repeated > 0 ? { repeated: last.repeated } : {};
  }
}

function toFault(now: number, reason: string): Fault {
  const about = { isWritten: false, reason, isAway: false, failedCalls: new Set<string>() };
  return { sinceMs: now, lastMs: now, failures: 0, ...about };
}

/** Of a line with an `err`, the hook replaces the fields, or leaves the line out. */
function toHook(replace: (fields: Fields, event: string) => Fields | undefined) {
  return function (this: Logger, args: Parameters<LogFn>, write: LogFn): void {
    const [given, event]: readonly unknown[] = args;
    const isError = typeof given === 'object' && given !== null && 'err' in given;
    const fields = isError ? replace(given, String(event)) : (given as Fields);
    if (fields !== undefined) write.apply(this, [fields, ...args.slice(1)] as unknown as Parameters<LogFn>);
  };
}
