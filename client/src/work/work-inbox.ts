import { isWaybillError, WaybillError } from '../errors.ts';
import type { ClaimedEntry } from '../generated/wire.ts';
import { handleEntry } from './handle-entry.ts';
import { InboxWatcher } from './inbox-watcher.ts';
import { mayPass } from './judge-error.ts';
import { leaseSeconds, renewIntervalMs, withLease } from './lease.ts';
import { NotSettledError, releaseLost, settleEntry } from './settle-entry.ts';
import { WorkContext, type WorkNeeds } from './work-context.ts';
import type { InboxClaim, WorkHandler, WorkOptions } from './work-options.ts';

const maxConcurrency = 100;
const defaultPollSeconds = 30;

/** Works on the entries of the inbox until the signal is aborted, or until none is available. */
export async function workInbox(needs: WorkNeeds, handler: WorkHandler, options: WorkOptions = {}): Promise<void> {
  const { concurrency = 1, pollSeconds = defaultPollSeconds } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > maxConcurrency) {
    throw new WaybillError('invalid_argument', `The concurrency must be from 1 to ${maxConcurrency}.`);
  }
  if (!(pollSeconds > 0)) throw new WaybillError('invalid_argument', 'The time between polls must be positive.');
  const context = new WorkContext(needs, handler, { ...options, concurrency, pollSeconds });
  await context.run(() => new WorkLoop(context).run());
}

interface OpenClaim extends InboxClaim {
  startedAt: number;
}

/** Claims entries, and works on several at a time. */
class WorkLoop {
  readonly #context: WorkContext;
  #running = 0;
  /** Resolves when an entry is settled. */
  #slot = Promise.withResolvers<void>();
  readonly #openClaims = new Set<Promise<void>>();
  /** A claim whose response has not arrived: the same request is repeated, so that no entry is leased unnoticed. */
  #pending: OpenClaim | undefined;
  /** The entries whose leases were lost. The end of a lease can park an entry that nobody has refused. */
  readonly #lost = new Set<ClaimedEntry>();

  constructor(context: WorkContext) {
    this.#context = context;
  }

  async run(): Promise<void> {
    try {
      await this.#claimForever();
    } finally {
      await Promise.all(this.#openClaims);
    }
  }

  async #claimForever(): Promise<void> {
    const context = this.#context;
    const { untilEmpty = false, pollSeconds } = context.options;
    let watcher: InboxWatcher | undefined;
    let isClean = false;
    while (!context.stop.aborted) {
      try {
        if (!isClean) await this.#returnEarlierEntries();
        isClean = true;
        if (!untilEmpty) watcher ??= await this.#openWatcher();
        if (await this.#fillSlots()) await this.#waitForSlot();
        else if (watcher) await watcher.waitForArrival(pollSeconds);
        else if (this.#running > 0) await this.#slot.promise;
        else return;
      } catch (error) {
        if (context.stop.aborted) return;
        if (untilEmpty || !mayPass(error)) return context.fail(error);
        context.report({ error, outcome: 'waiting' });
        await context.pause(context.stop).catch(() => undefined);
      }
    }
  }

  async #openWatcher(): Promise<InboxWatcher> {
    const { needs, runtime, stop } = this.#context;
    return await InboxWatcher.open(needs.events, runtime, stop);
  }

  async #waitForSlot(): Promise<void> {
    while (this.#running >= this.#context.options.concurrency) await this.#slot.promise;
  }

  /** Gives the entries back that an earlier process had claimed. An attempt that killed it counts. */
  async #returnEarlierEntries(): Promise<void> {
    const { options, needs, leave } = this.#context;
    for (const claim of (await options.claimStore?.list()) ?? []) {
      for (const entry of await this.#requestClaim(claim)) {
        await needs.inbox.nack(entry, { delaySeconds: 0, signal: leave }).catch((error: unknown) => {
          if (!isWaybillError(error, 'lease_not_held', 'not_found')) throw error;
        });
      }
      await options.claimStore?.end(claim);
    }
  }

  async #requestClaim({ key, max }: InboxClaim): Promise<ClaimedEntry[]> {
    const { needs, leave } = this.#context;
    return await needs.inbox.claim({ max, leaseSeconds, idempotencyKey: key, signal: leave });
  }

  /** Claims entries for all free slots and starts to work on them. Returns false if there were not enough. */
  async #fillSlots(): Promise<boolean> {
    while (this.#running < this.#context.options.concurrency) {
      const claim = this.#pending ?? (await this.#beginClaim());
      if (!claim) return true;
      const entries = await this.#requestClaim(claim);
      this.#pending = undefined;
      this.#startAll(claim, entries);
      for (const entry of this.#lost) {
        if (await releaseLost(this.#context, entry)) this.#lost.delete(entry);
      }
      if (entries.length === 0) return false;
    }
    return true;
  }

  /** Returns undefined if the work was stopped meanwhile: what was not claimed must not be given back. */
  async #beginClaim(): Promise<OpenClaim | undefined> {
    const { needs, options, runtime, stop } = this.#context;
    const max = options.concurrency - this.#running;
    const claim = { key: needs.api.generateKey(), max, startedAt: runtime.now() };
    await options.claimStore?.begin(claim);
    if (stop.aborted) {
      await options.claimStore?.end(claim);
      return undefined;
    }
    this.#pending = claim;
    return claim;
  }

  #startAll(claim: OpenClaim, entries: readonly ClaimedEntry[]): void {
    this.#running += entries.length;
    const settling = entries.map((entry) => this.#start(entry, claim.startedAt));
    const ending = this.#endClaim(claim, settling).finally(() => this.#openClaims.delete(ending));
    this.#openClaims.add(ending);
  }

  /** Deletes a claim when its entries are settled. Otherwise the next process gives them back. */
  async #endClaim(claim: OpenClaim, settling: Promise<boolean>[]): Promise<void> {
    const settled = await Promise.all(settling);
    try {
      if (settled.every(Boolean)) await this.#context.options.claimStore?.end(claim);
    } catch (error) {
      this.#context.fail(error);
    }
  }

  async #start(entry: ClaimedEntry, since: number): Promise<boolean> {
    try {
      return await this.#process(entry, since);
    } finally {
      this.#running -= 1;
      this.#slot.resolve();
      this.#slot = Promise.withResolvers();
    }
  }

  /** Works on an entry under its lease. Returns whether it needs nothing more of this process. */
  async #process(entry: ClaimedEntry, since: number): Promise<boolean> {
    const context = this.#context;
    const { inbox } = context.needs;
    let lease: AbortSignal | undefined;
    try {
      let beganAt = since;
      if (context.runtime.now() >= since + renewIntervalMs) {
        // The response may be one of a claim that was made long ago.
        beganAt = context.runtime.now();
        await inbox.renew(entry, { leaseSeconds, signal: context.leave });
      }
      return await withLease({ inbox, runtime: context.runtime }, entry, beganAt, async (lost) => {
        lease = lost;
        const result = await handleEntry(context, entry, lost);
        lost.throwIfAborted();
        return await settleEntry(context, entry, lost, result);
      });
    } catch (error) {
      const reason = lease?.aborted ? lease.reason : error instanceof NotSettledError ? error.cause : error;
      if (reason !== error || isLeaseLost(error, lease === undefined)) {
        this.#lost.add(entry);
        context.report({ error: reason, outcome: 'lost', entry });
        return true;
      }
      if (!context.stop.aborted) context.fail(error);
      return false;
    }
  }
}

/** A lease from a claim of long ago, of which the server says nothing, counts as lost. */
function isLeaseLost(error: unknown, isOld: boolean): boolean {
  if (isWaybillError(error, 'lease_not_held', 'not_found')) return true;
  return isOld && mayPass(error);
}
