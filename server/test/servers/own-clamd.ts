import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { eicar } from '../../../tools/shared/eicar.ts';
import { requireKind } from '../../../tools/test/require-kind.ts';
import { findFailure } from '../../src/engines/clamd/connection.ts';

requireKind('engines');

export interface OwnClamd extends AsyncDisposable {
  readonly address: string;
  readonly process: ChildProcess;
}

const startWithinMs = 20_000;

/** A real clamd for one test, with the development settings unless others replace them. */
export async function startClamd(...settings: readonly string[]): Promise<OwnClamd> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-clamd-'));
  const at = (name: string) => join(folder, name);
  mkdirSync(at('db'));
  mkdirSync(at('tmp'));
  writeFileSync(at('db/eicar.ndb'), `Eicar-Test-Signature:0:*:${Buffer.from(eicar).toString('hex')}\n`);
  const configuration = [
    `LocalSocket ${at('clamd.sock')}`,
    `DatabaseDirectory ${at('db')}`,
    `TemporaryDirectory ${at('tmp')}`,
    'Foreground yes',
    ...['AlertExceedsMax', 'AlertEncrypted']
      .filter((name) => !settings.some((line) => line.startsWith(`${name} `)))
      .map((name) => `${name} yes`),
    ...settings,
  ];
  writeFileSync(at('clamd.conf'), `${configuration.join('\n')}\n`);
  // A copy: Debian's AppArmor profile keeps /usr/sbin/clamd, by that path, out of all folders except the system's.
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
  while ((await findFailure(at('clamd.sock'), 1_000, deadline)) !== undefined) {
    if (deadline.aborted || process.exitCode !== null) {
      await stop();
      throw new Error('clamd did not start');
    }
    await setTimeout(20);
  }
  return { address: at('clamd.sock'), process, [Symbol.asyncDispose]: stop };
}
