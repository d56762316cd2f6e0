import type { CallOptions, PostOptions } from '../call-options.ts';
import type { ClaimedEntry, InboxEntry, InboxEntryDetails } from '../generated/wire.ts';
import { type ApiClient, toPath } from '../http/api-client.ts';

/** Which entries to list; all if nothing is given. */
export interface InboxFilter extends CallOptions {
  /** Only those in this state. */
  state?: InboxEntry['state'] | undefined;
}

/** For how long a lease is held. */
export interface RenewOptions extends PostOptions {
  /** From 10 to 3600; 300 if not given. */
  leaseSeconds?: number | undefined;
}

/** How many entries to claim, and for how long. */
export interface ClaimOptions extends RenewOptions {
  /** How many entries at most, up to 100; 1 if not given. */
  max?: number | undefined;
}

/** When an entry that is given back can be claimed again. */
export interface NackOptions extends PostOptions {
  /** After how many seconds, up to 86,400; at once if not given. */
  delaySeconds?: number | undefined;
}

/** An entry and its lease: what `claim` returns, or these two fields of it. */
export type LeasedEntry = Pick<ClaimedEntry, 'id' | 'lease'>;

const defaultLeaseSeconds = 300;

/** What contacts and other accounts have sent to this one. It is a queue that any number of programs can share. */
export class Inbox {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Lists entries, newest first; those in one state longest in it first. */
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
   * Leases entries to the caller: no one else gets them until the lease ends. None if none is available.
   *
   * @example
   * for (const entry of await waybill.inbox.claim({ max: 10 })) {
   *   for (const file of (await waybill.inbox.get(entry.id)).files) {
   *     await waybill.downloadToFile({ ...file, entry: entry.id }, `/srv/in/${safeLocalName(file.name)}`);
   *   }
   *   await waybill.inbox.ack(entry);
   * }
   */
  async claim({ max = 1, leaseSeconds = defaultLeaseSeconds, ...options }: ClaimOptions = {}): Promise<ClaimedEntry[]> {
    const asked = { max, lease_seconds: leaseSeconds };
    return (await this.#api.post<{ data: ClaimedEntry[] }>('inbox/claim', asked, options)).data;
  }

  /**
   * Holds a lease for longer: it ends this long from now.
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
   * Acknowledges an entry: it is done, and is not claimed again.
   *
   * @param entry The entry and its lease.
   */
  async ack({ id, lease }: LeasedEntry, options: PostOptions = {}): Promise<void> {
    await this.#api.post(toPath('inbox', id, 'ack'), { lease }, options);
  }

  /**
   * Gives an entry back: it is available again, after a delay.
   *
   * @param entry The entry and its lease.
   */
  async nack({ id, lease }: LeasedEntry, { delaySeconds = 0, ...options }: NackOptions = {}): Promise<InboxEntry> {
    return await this.#api.post(toPath('inbox', id, 'nack'), { lease, delay_seconds: delaySeconds }, options);
  }

  /**
   * Makes an entry available again that is parked after too many attempts.
   *
   * @param id The entry's id.
   */
  async release(id: string, options: PostOptions = {}): Promise<InboxEntry> {
    return await this.#api.post(toPath('inbox', id, 'release'), undefined, options);
  }
}
