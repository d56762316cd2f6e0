import type { CallOptions, PostOptions } from '../call-options.ts';
import type { ClaimedEntry, InboxEntry, InboxEntryDetails, ListInboxQuery } from '../generated/wire.ts';
import { type ApiClient, toPath } from '../http/api-client.ts';
import { workInbox } from '../work/work-inbox.ts';
import type { WorkHandler, WorkOptions } from '../work/work-options.ts';
import { Events } from './events.ts';

/** Filters entries by one of these; all are listed by default. */
export interface InboxFilter extends Omit<ListInboxQuery, 'limit' | 'cursor'>, CallOptions {}

/** How long a lease lasts. */
export interface RenewOptions extends PostOptions {
  /** From 10 to 3600. Defaults to 300. */
  leaseSeconds?: number | undefined;
}

/** How many entries to claim, and how long their leases last. */
export interface ClaimOptions extends RenewOptions {
  /** The maximum number of entries, up to 100. Defaults to 1. */
  max?: number | undefined;
  /** How many seconds to wait for an entry if none is available, up to 30. Defaults to 0. */
  wait?: number | undefined;
}

/** When an entry that is returned to the queue can be claimed again. */
export interface NackOptions extends PostOptions {
  /**
   * The delay in seconds, up to 86,400. By default, 30 after the first attempt, twice as many after each further one, and at
   * most 3600.
   */
  delaySeconds?: number | undefined;
}

/** A claimed entry, or only its id and lease. */
export type LeasedEntry = Pick<ClaimedEntry, 'id' | 'lease'>;

const defaultLeaseSeconds = 300;

/**
 * The inbox: everything that contacts and other accounts have sent to the account. It is a queue that any number of
 * programs can share.
 */
export class Inbox {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /**
   * Works on entries, now and as they arrive: claims them, renews their leases, calls the handler for each, and acknowledges
   * it when the handler resolves. If the handler throws, the entry is given back and waits for longer after each attempt.
   *
   * Returns when the signal is aborted and the handlers have ended; unfinished entries are then given back at once. A
   * server that is away for a while, or a network, refuses no entry and does not end the work.
   *
   * @param handler Works on one entry.
   *
   * @example
   * const stop = new AbortController();
   * process.once('SIGTERM', () => stop.abort());
   * await waybill.inbox.work(
   *   async (entry) => {
   *     for (const file of entry.files) await entry.downloadToFolder(file, `/srv/in/${entry.id}`);
   *   },
   *   { concurrency: 4, signal: stop.signal, onError: ({ error, outcome }) => console.error(outcome, error) },
   * );
   */
  async work(handler: WorkHandler, options: WorkOptions = {}): Promise<void> {
    await workInbox({ api: this.#api, inbox: this, events: new Events(this.#api) }, handler, options);
  }

  /** Lists entries, newest first. With a filter by state, those that have been in the state longest come first. */
  list({ signal, ...filter }: InboxFilter = {}): AsyncGenerator<InboxEntry, void, void> {
    return this.#api.list<InboxEntry>('inbox', filter, { signal });
  }

  /**
   * Gets an entry and its files.
   *
   * @param id The entry's id.
   */
  async get(id: string, options: CallOptions = {}): Promise<InboxEntryDetails> {
    return await this.#api.get(toPath('inbox', id), {}, options);
  }

  /**
   * Claims entries: no other program can claim them until the lease ends. Returns an empty list if none is available.
   *
   * @example
   * for (const entry of await waybill.inbox.claim({ max: 10 })) {
   *   for (const file of (await waybill.inbox.get(entry.id)).files) {
   *     await waybill.downloadToFile({ ...file, entry: entry.id }, `/srv/in/${safeLocalName(file.name)}`);
   *   }
   *   await waybill.inbox.ack(entry);
   * }
   */
  async claim({
    max = 1,
    leaseSeconds = defaultLeaseSeconds,
    wait,
    ...options
  }: ClaimOptions = {}): Promise<ClaimedEntry[]> {
    const asked = { max, lease_seconds: leaseSeconds, wait };
    return (await this.#api.post<{ data: ClaimedEntry[] }>('inbox/claim', asked, options)).data;
  }

  /**
   * Renews a lease. Its new duration starts now.
   *
   * @param entry The entry and its lease.
   */
  async renew(
    { id, lease }: LeasedEntry,
    { leaseSeconds = defaultLeaseSeconds, ...options }: RenewOptions = {},
  ): Promise<InboxEntry> {
    return await this.#api.post(toPath('inbox', id, 'renew'), { lease, lease_seconds: leaseSeconds }, options);
  }

  /**
   * Acknowledges an entry, which is then not claimed again.
   *
   * @param entry The entry and its lease.
   */
  async ack({ id, lease }: LeasedEntry, options: PostOptions = {}): Promise<void> {
    await this.#api.post(toPath('inbox', id, 'ack'), { lease }, options);
  }

  /**
   * Returns an entry to the queue, where it is available again after a delay.
   *
   * @param entry The entry and its lease.
   */
  async nack({ id, lease }: LeasedEntry, { delaySeconds, ...options }: NackOptions = {}): Promise<InboxEntry> {
    return await this.#api.post(toPath('inbox', id, 'nack'), { lease, delay_seconds: delaySeconds }, options);
  }

  /**
   * Makes an entry available again that was parked after too many attempts.
   *
   * @param id The entry's id.
   */
  async release(id: string, options: PostOptions = {}): Promise<InboxEntry> {
    return await this.#api.post(toPath('inbox', id, 'release'), undefined, options);
  }
}
