/**
 * Holds a draft for as long as this page is open, so that two tabs never send the same one. Returns whether this page has
 * got it. Without locks every page gets it, and the server recognises a repeated request.
 */
export function holdDraft(id: string, withinMs: number): Promise<boolean> {
  if (!('locks' in navigator)) return Promise.resolve(true);
  const options = withinMs > 0 ? { signal: AbortSignal.timeout(withinMs) } : { ifAvailable: true };
  return new Promise((resolve) => {
    const asking = navigator.locks.request(toLock(id), options, async (lock) => {
      resolve(lock !== null);
      // Never resolves: the browser releases the lock when the page is left.
      if (lock) await new Promise(() => {});
    });
    asking.catch(() => resolve(false));
  });
}

/** Whether this page or another tab has the draft. */
export async function isDraftHeld(id: string): Promise<boolean> {
  if (!('locks' in navigator)) return false;
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === toLock(id));
}

const toLock = (id: string) => `waybill draft ${id}`;
