import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '../command/terminal/terminal.ts';

export interface CommandOnDisk {
  child: ChildProcess;
  /** The exit code and the signal that ended it. */
  ended: Promise<unknown[]>;
  errors: string;
  /** The disk as this process sees it. */
  disk: string;
}

/**
 * Runs the command with a disk of 8 MiB at /mnt, which a script prepares. The disk is seen by the command alone, and
 * vanishes with it.
 */
export function runOnSmallDisk(words: readonly string[], prepare: string, environment: Environment): CommandOnDisk {
  const program = new URL('../command/main.ts', import.meta.url).pathname;
  const script = `mount -t tmpfs -o size=8m none /mnt && { ${prepare}; } && exec "$0" --conditions=source "$@"`;
  const args = ['-r', '-m', 'sh', '-uc', script, process.execPath, program, ...words];
  const child = spawn('unshare', args, { env: { ...environment } });
  const run = { child, ended: once(child, 'exit'), errors: '', disk: `/proc/${child.pid}/root/mnt` };
  child.stderr.setEncoding('utf8').on('data', (text: string) => (run.errors += text));
  return run;
}

/** Fills a part of the disk. */
export const fillDisk = (bytes: number) => `head -c ${bytes} /dev/zero >/mnt/ballast`;
