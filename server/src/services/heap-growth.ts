import { setFlagsFromString } from 'node:v8';

/** By how much the heap may grow, relative to what was in use after the last collection. */
const growthPercent = 200;

/**
 * Lets the heap triple before it is collected. V8 counts the buffers of transfers as growth of the heap, although they are freed
 * as soon as they are sent. With its own limit, which is a third above a heap of 40 MB, each 50 MiB of a transfer caused a
 * collection of the whole heap.
 */
export function letHeapGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}
