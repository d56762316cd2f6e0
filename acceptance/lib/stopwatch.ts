import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/**
 * Starts a stopwatch; what it returns tells how many milliseconds have passed, without those in which the machine did not
 * run: on a shared host, a virtual processor may have to wait for others. It is for limits that the program must keep.
 */
export function stopwatch(): () => number {
  const began = performance.now();
  const stolenBefore = stolenMs();
  return () => performance.now() - began - (stolenMs() - stolenBefore);
}

/** How long the host has kept this machine's processors from running, on average: in proc(5), hundredths of a second. */
function stolenMs(): number {
  const [, ticks = '0'] = /^cpu +(?:\d+ +){7}(\d+)/.exec(readFileSync('/proc/stat', 'utf8')) ?? [];
  return (Number(ticks) * 10) / availableParallelism();
}
