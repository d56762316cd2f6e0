import { ExchangeError } from '../exchange-error.ts';
import type { UploadStore, UploadWriter } from './upload-store.ts';

const writersPerRenewal = 1_000;
/**
 * A lease that could not be renewed for this part of its length counts as lost, so that no write lands after the sweep.
 */
const lostAfter = 0.6;

export interface HeldUpload {
  /** Aborted when another writer has taken over, or when the lease is lost. */
  readonly signal: AbortSignal;
  release(): void;
}

interface Holder extends UploadWriter {
  readonly lost: AbortController;
  renewedAt: number;
}

/**
 * The uploads that requests of this process are writing. One statement renews all their leases, and reports which
 * uploads were taken over in another process. Within the process, a new writer cancels the previous one at once.
 */
export class LiveUploads {
  readonly #renew: UploadStore['renew'];
  readonly #leaseSeconds: number;
  readonly #holders = new Map<string, Holder>();
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(uploads: Pick<UploadStore, 'renew'>, options: { leaseSeconds: number }) {
    this.#renew = (...asked) => uploads.renew(...asked);
    this.#leaseSeconds = options.leaseSeconds;
  }

  get size(): number {
    return this.#holders.size;
  }

  hold({ accountId, id, writer }: UploadWriter): HeldUpload {
    this.#holders.get(id)?.lost.abort(new ExchangeError('upload_superseded'));
    const holder: Holder = { accountId, id, writer, lost: new AbortController(), renewedAt: performance.now() };
    this.#holders.set(id, holder);
    this.#heartbeat ??= setInterval(() => void this.#beat(), (this.#leaseSeconds * 1000) / 4).unref();
    return {
      signal: holder.lost.signal,
      release: () => {
        if (this.#holders.get(id) === holder) this.#holders.delete(id);
        if (!holder.lost.signal.aborted) holder.lost.abort();
        if (this.#holders.size === 0) {
          clearInterval(this.#heartbeat);
          this.#heartbeat = undefined;
        }
      },
    };
  }

  async #beat(): Promise<void> {
    const now = performance.now();
    const holders = [...this.#holders.values()];
    for (const { renewedAt, lost } of holders) {
      if (now - renewedAt > this.#leaseSeconds * 1000 * lostAfter) lost.abort(leaseLost());
    }
    for (let from = 0; from < holders.length; from += writersPerRenewal) {
      await this.#renewSome(holders.slice(from, from + writersPerRenewal)).catch(() => undefined);
    }
  }

  async #renewSome(holders: readonly Holder[]): Promise<void> {
    // A lease counts from when its renewal was requested, because the database may have been slow to respond.
    const askedAt = performance.now();
    const writers = holders.map(({ accountId, id, writer }) => ({ accountId, id, writer }));
    const renewed = await this.#renew(writers, this.#leaseSeconds);
    for (const holder of holders) {
      if (renewed.has(holder.id)) holder.renewedAt = askedAt;
      else holder.lost.abort(new ExchangeError('upload_superseded'));
    }
  }
}

function leaseLost(): ExchangeError {
  const cause = new Error('the lease of an upload was not renewed in time');
  return new ExchangeError('unavailable', undefined, { cause, engine: 'postgres' });
}
