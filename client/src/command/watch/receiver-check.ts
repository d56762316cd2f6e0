import { join } from 'node:path';
import type { Waybill } from '../../waybill.ts';
import { describeError } from '../error-report.ts';
import type { WatchEvents } from './watch-events.ts';
import { judgeFault } from './watch-faults.ts';
import type { DeliveryFields } from './watch-journal.ts';

/** A folder whose receiver was refused is tried again after this time: a contact or a limit may have changed. */
const recheckMs = 300_000;
const maxRemembered = 10_000;

/** Checks receivers and options before the first file of a folder is claimed. */
export class ReceiverCheck {
  readonly #client: Waybill;
  readonly #events: WatchEvents;
  readonly #toFields: (folder: string) => DeliveryFields;
  readonly #accepted = new Set<string>();
  readonly #refused = new Map<string, number>();

  constructor(client: Waybill, events: WatchEvents, toFields: (folder: string) => DeliveryFields) {
    this.#client = client;
    this.#events = events;
    this.#toFields = toFields;
  }

  /** Returns whether the folder was refused a short while ago. */
  isRefused(folder: string, now: number): boolean {
    const at = this.#refused.get(folder);
    if (at !== undefined && now - at >= recheckMs) this.#refused.delete(folder);
    return this.#refused.has(folder);
  }

  /** Throws the refusal. */
  async check(folder: string, signal: AbortSignal): Promise<void> {
    if (this.#accepted.has(folder)) return;
    await this.#client.drops.check({ uploads: [], ...this.#toFields(folder) }, { signal });
    if (this.#accepted.size >= maxRemembered) this.#accepted.clear();
    this.#accepted.add(folder);
  }

  /** Returns false, and says why, if the server refuses the receiver. */
  async accepts(root: string, folder: string, now: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.check(folder, signal);
      return true;
    } catch (error) {
      if (signal.aborted || !['refuse', 'later'].includes(judgeFault(error))) throw error;
      if (this.#refused.size >= maxRemembered) this.#refused.clear();
      this.#refused.set(folder, now);
      const { code, message, next } = describeError(error);
      const path = join(root, folder);
      await this.#events.hindered({ status: 'ignored', path, code, message: `${path} is not sent: ${message}`, next });
      return false;
    }
  }
}
