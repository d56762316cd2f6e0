import { readFileSync } from 'node:fs';

/** From /proc: the most memory the process has had resident, in MiB, since it began. */
export function peakMemoryMiB(pid: number): number {
  return readMiB(pid, 'VmHWM');
}

/** Resident now, in MiB. */
export function memoryMiB(pid: number): number {
  return readMiB(pid, 'VmRSS');
}

function readMiB(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kiB = new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kiB === undefined) throw new Error(`/proc/${pid}/status has no ${name}`);
  return Number(kiB) / 1024;
}
