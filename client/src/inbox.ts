import type { CallOptions, PostOptions } from './call-options.ts';
import { type Caller, pathTo } from './caller.ts';
import type { ClaimedEntry, EntryDetails, QueuedEntry } from './wire.ts';

export interface InboxFilter extends CallOptions {
  state?: QueuedEntry['state'] | undefined;
}

export interface ClaimOptions extends PostOptions {
  /** How many entries at most, up to 100. */
  max?: number | undefined;
  /** 10 to 3600. */
  leaseSeconds?: number | undefined;
}

/** An entry and its lease. */
export type Leased = Pick<ClaimedEntry, 'id' | 'lease'>;

const defaultLeaseSeconds = 300;

/** What contacts and other accounts have sent to this one. It is a queue that any number of programs can share. */
export class Inbox {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Newest first; those in one state longest in it first. */
  list({ signal, ...filter }: InboxFilter = {}): AsyncGenerator<QueuedEntry, void, void> {
    return this.#caller.list<QueuedEntry>('inbox', filter, { signal });
  }

  /** An entry and its files. */
  async get(id: string, options: CallOptions = {}): Promise<EntryDetails> {
    return await this.#caller.get(pathTo('inbox', id), {}, options);
  }

  /** Leases entries to the caller: no one else gets them until the lease ends. None if none is available. */
  async claim({ max = 1, leaseSeconds = defaultLeaseSeconds, ...options }: ClaimOptions = {}): Promise<ClaimedEntry[]> {
    const asked = { max, lease_seconds: leaseSeconds };
    return (await this.#caller.post<{ data: ClaimedEntry[] }>('inbox/claim', asked, options)).data;
  }

  /** Holds a lease for longer: it ends this long from now. */
  async renew(
    { id, lease }: Leased,
    { leaseSeconds = defaultLeaseSeconds, ...options }: Omit<ClaimOptions, 'max'> = {},
  ): Promise<QueuedEntry> {
    return await this.#caller.post(pathTo('inbox', id, 'renew'), { lease, lease_seconds: leaseSeconds }, options);
  }

  /** The entry is done. */
  async ack({ id, lease }: Leased, options: PostOptions = {}): Promise<void> {
    await this.#caller.post(pathTo('inbox', id, 'ack'), { lease }, options);
  }

  /** Gives an entry back: it is available again, after a delay. */
  async nack(
    { id, lease }: Leased,
    { delaySeconds = 0, ...options }: PostOptions & { delaySeconds?: number | undefined } = {},
  ): Promise<QueuedEntry> {
    return await this.#caller.post(pathTo('inbox', id, 'nack'), { lease, delay_seconds: delaySeconds }, options);
  }

  /** Makes a parked entry available again. */
  async release(id: string, options: PostOptions = {}): Promise<QueuedEntry> {
    return await this.#caller.post(pathTo('inbox', id, 'release'), undefined, options);
  }
}
