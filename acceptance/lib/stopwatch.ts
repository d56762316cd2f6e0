import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/**
 * Starts a stopwatch, and returns a function that returns the elapsed milliseconds, without those in which the machine
 * did not run: on a shared host, a virtual processor may have to wait for others. For limits that the program must
 * keep.
 */
export function stopwatch(): () => number {
  const began = performance.now();
  const stolenBefore = stolenMs();
  return () => performance.now() - began - (stolenMs() - stolenBefore);
}

/**
 * Reads how long the host has kept this machine's processors from running, on average: in proc(5), hundredths of a
 * second.
 */
function stolenMs(): number {
  const [, ticks = '0'] = /^cpu +(?:\d+ +){7}(\d+)/.exec(readFileSync('/proc/stat', 'utf8')) ?? [];
  return (Number(ticks) * 10) / availableParallelism();
}
