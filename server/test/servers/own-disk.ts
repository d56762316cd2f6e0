import { execFileSync } from 'node:child_process';
import { requireKind } from '../../../tools/test/require-kind.ts';

requireKind('engines');

/**
 * Runs a module, given as text, in a process that has a file system of its own at /mnt, of this size and with this many
 * bytes in it. Both vanish with the process. Returns what it printed.
 */
export function runOnOwnDisk(module: string, sizeBytes: number, usedBytes: number): string {
  const script = `mount -t tmpfs -o size=${sizeBytes} none /mnt
    head -c ${usedBytes} /dev/zero >/mnt/ballast
    exec "$0" --input-type=module -e "$1"`;
  const own = ['--mount', '--map-root-user', 'sh', '-euc', script, process.execPath, module];
  return execFileSync('unshare', own, { encoding: 'utf8' });
}
