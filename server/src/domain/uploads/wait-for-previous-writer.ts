import type { Engines } from '../engines.ts';

const lookEveryMs = 50;
/** A request that has stored nothing for so long may belong to a connection whose other end is gone. */
const silenceMs = 2_000;
const longestMs = 10_000;

/**
 * Waits while an earlier request, in whichever process, stores what it has received of an upload. Otherwise a client
 * whose connection broke, and that continues at once, would have to send all of that again. Rejects when the signal is
 * aborted, because there is no one left to wait for.
 */
export async function waitForPreviousWriter(
  { store }: Pick<Engines, 'store'>,
  { accountId, draft, id }: { readonly accountId: string; readonly draft: string; readonly id: string },
  signal?: AbortSignal,
): Promise<void> {
  const begunAt = performance.now();
  let changedAt = begunAt;
  let before: number | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const storedBytes = await store.uploads.storedByWriter(accountId, draft, id);
    if (storedBytes === undefined) return;
    const now = performance.now();
    if (storedBytes !== before) changedAt = now;
    before = storedBytes;
    if (now - changedAt >= silenceMs || now - begunAt >= longestMs) return;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}
