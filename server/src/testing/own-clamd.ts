import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ping } from '../engines/clamd/connection.ts';
import { eicar } from './eicar.ts';

export interface OwnClamd extends AsyncDisposable {
  readonly address: string;
  readonly process: ChildProcess;
}

/** A file over which the clamd below thinks for seconds, using its processor: the expression tries every division of the a's. */
export const slowToScan = `slow ${'a'.repeat(24)}!b`;
const slowSignature = 'Slow.Test;Engine:81-255,Target:0;0&1;736c6f77;0/(a+)+b/\n';
const startWithinMs = 20_000;

/** A real clamd of the test's own, with the settings of development and others. */
export async function startClamd(...settings: readonly string[]): Promise<OwnClamd> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-clamd-'));
  const at = (name: string) => join(folder, name);
  mkdirSync(at('db'));
  mkdirSync(at('tmp'));
  writeFileSync(at('db/eicar.ndb'), `Eicar-Test-Signature:0:*:${Buffer.from(eicar).toString('hex')}\n`);
  writeFileSync(at('db/slow.ldb'), slowSignature);
  const configuration = [
    `LocalSocket ${at('clamd.sock')}`,
    `DatabaseDirectory ${at('db')}`,
    `TemporaryDirectory ${at('tmp')}`,
    'Foreground yes',
    'AlertExceedsMax yes',
    'AlertEncrypted yes',
    'PCREMatchLimit 2000000000',
    // Or the second scan of a file would not be one.
    'DisableCache yes',
    ...settings,
  ];
  writeFileSync(at('clamd.conf'), `${configuration.join('\n')}\n`);
  // A copy: Debian's AppArmor profile keeps /usr/sbin/clamd, by that path, out of any folder but the system's.
  copyFileSync('/usr/sbin/clamd', at('clamd'));
  chmodSync(at('clamd'), 0o755);
  const process = spawn(at('clamd'), [`--config-file=${at('clamd.conf')}`], { stdio: 'ignore' });
  const exited = once(process, 'exit');
  const stop = async () => {
    process.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true });
  };
  const deadline = AbortSignal.timeout(startWithinMs);
  while (!(await ping(at('clamd.sock'), 1_000, deadline))) {
    if (deadline.aborted || process.exitCode !== null) {
      await stop();
      throw new Error('clamd did not start');
    }
    await setTimeout(20);
  }
  return { address: at('clamd.sock'), process, [Symbol.asyncDispose]: stop };
}
