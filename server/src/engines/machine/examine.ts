import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism, loadavg, totalmem } from 'node:os';
import type { Finding } from '../../domain/doctor/finding.ts';
import { ok, warning } from '../../domain/doctor/finding.ts';

export interface MachineExamination {
  /** The memory that a process may use for transfers. */
  readonly transferBytes: number;
  readonly memoryBytes?: number;
  /** Processes that run or wait to run, per processor, in the last minute. */
  readonly load?: number;
  /** How much of a connection Linux buffers before it is sent; undefined where this is not known. */
  readonly unsentBytes?: number | undefined;
  /** Folders whose file systems must not be full. */
  readonly folders?: readonly string[];
}

const nearlyFull = 0.05;
const overloaded = 4;
/** By default it is without a limit. */
const unsentAtMost = 1024 ** 2;

export async function* examineMachine({
  transferBytes,
  memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
  load = (loadavg()[0] ?? 0) / availableParallelism(),
  unsentBytes = readUnsentBytes(),
  folders = ['/', '/var'],
}: MachineExamination): AsyncGenerator<Finding> {
  const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MiB`;
  const needed = `Transfers may use ${mebibytes(transferBytes)} of ${mebibytes(memoryBytes)} of memory.`;
  yield transferBytes < memoryBytes / 2
    ? ok('machine.memory', needed)
    : warning('machine.memory', needed, 'Lower WAYBILL_UPLOAD_MEMORY_BYTES and WAYBILL_DOWNLOAD_MEMORY_BYTES.');
  const waiting = `${load.toFixed(1)} processes run or wait per processor.`;
  yield load < overloaded
    ? ok('machine.load', waiting)
    : warning(
        'machine.load',
        `${waiting} Engines that are said to be out of reach may only be late.`,
        'Find out what keeps this machine busy, with top, and run the doctor again.',
      );
  if (unsentBytes !== undefined) {
    yield unsentBytes <= unsentAtMost
      ? ok('machine.buffers', `Linux buffers up to ${unsentBytes} unsent bytes of a connection and no more.`)
      : warning(
          'machine.buffers',
          'Linux buffers megabytes of each download, however slow its reader is. A thousand slow readers would make everyone wait, and one below 30 kB/s may be cut although it reads.',
          'Put net.ipv4.tcp_notsent_lowat = 32768 into /etc/sysctl.d/50-waybill.conf, and run sysctl --system. For containers, see docs/proxy.md, "Many slow clients".',
        );
  }
  for (const folder of folders) {
    const { bavail, blocks } = await statfs(folder);
    const free = `${Math.round((100 * bavail) / blocks)} % of the file system of ${folder} is free.`;
    yield bavail / blocks > nearlyFull
      ? ok('machine.disk', free)
      : warning('machine.disk', free, `Free some space, or enlarge it: du -xh ${folder} | sort -h | tail`);
  }
}

/** Undefined where there is no such setting: not on Linux, or hidden from this process. */
function readUnsentBytes(): number | undefined {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/tcp_notsent_lowat', 'utf8'));
  } catch {
    return undefined;
  }
}
