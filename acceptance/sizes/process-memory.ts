import { readFileSync } from 'node:fs';

/** From /proc: the peak resident memory of the process, in MiB, since it began. */
export function peakMemoryMiB(pid: number): number {
  return readMiB(pid, 'VmHWM');
}

/** The same for a process that may be ending: it then has no memory, and the result is 0. */
export function peakMemoryIfRunningMiB(pid: number): number {
  try {
    return peakMemoryMiB(pid);
  } catch {
    return 0;
  }
}

/** Current resident memory, in MiB. */
export function memoryMiB(pid: number): number {
  return readMiB(pid, 'VmRSS');
}

/** The memory that would be free without the process, as the task manager of a browser shows it. */
export function privateBytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Array.from(
    rollup.matchAll(/^(?:Private_Clean|Private_Dirty|Swap): +(\d+) kB$/gm),
    ([, kiB]) => Number(kiB) * 1024,
  ).reduce((sum, bytes) => sum + bytes, 0);
}

function readMiB(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kiB = new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kiB === undefined) throw new Error(`/proc/${pid}/status has no ${name}`);
  return Number(kiB) / 1024;
}
