import { ExchangeError } from '../exchange-error.ts';
import type { FileStore } from '../ports.ts';

/** Chunk numbers are reserved in runs, so that a long upload asks the database once in half a GiB. */
const chunksPerReservation = 64;

export interface Lease {
  /** Aborted when the lease is lost or has ended. */
  readonly signal: AbortSignal;
  /** Makes sure that a chunk number is known before its object is. */
  reserve(chunk: number): Promise<void>;
  end(): void;
}

/**
 * Keeps an intent alive while its bytes arrive, however slowly. Reserving chunk numbers before they are used is what
 * lets the sweeper delete a failed attempt's objects without ever listing the bucket. When the lease is lost, the
 * signal stops the upload's writes, so that nothing is stored after the sweep.
 */
export function holdLease(files: FileStore, accountId: string, id: string, leaseSeconds: number): Lease {
  const lost = new AbortController();
  let reserved = 0;
  let renewedAt = performance.now();

  const renew = async (chunkCount: number) => {
    const askedAt = performance.now();
    if (!(await files.reserve(accountId, id, chunkCount, leaseSeconds))) {
      lost.abort(new ExchangeError('unavailable', 'The upload took too long to complete. Send it again.'));
    }
    reserved = chunkCount;
    renewedAt = askedAt;
    lost.signal.throwIfAborted();
  };

  const heartbeat = setInterval(
    () => {
      // Well before the lease ends, so that no write of ours can land after the sweep.
      if (performance.now() - renewedAt > leaseSeconds * 600) lost.abort(new ExchangeError('unavailable'));
      else renew(reserved).catch(() => undefined);
    },
    (leaseSeconds * 1000) / 4,
  );

  return {
    signal: lost.signal,
    async reserve(chunk) {
      lost.signal.throwIfAborted();
      if (chunk >= reserved) await renew(chunk + chunksPerReservation);
    },
    end() {
      clearInterval(heartbeat);
      if (!lost.signal.aborted) lost.abort();
    },
  };
}
