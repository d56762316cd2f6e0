import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { closedPort } from '../../../tools/shared/tcp.ts';
import { requireKind } from '../../../tools/test/require-kind.ts';
import { startDaemon } from './own-daemon.ts';

requireKind('engines');

const asPostgres = ['--reuid', 'postgres', '--regid', 'postgres', '--init-groups'];

export interface OwnPostgres extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The folder of its socket, where a user of the system logs in by its own name. */
  readonly folder: string;
}

export interface SmallPostgres extends OwnPostgres {
  /** Makes room on its disk. */
  enlargeDisk(): void;
}

/** A PostgreSQL for one test that waits for a primary server forever, and can be read meanwhile. */
export const startStandby = async (): Promise<OwnPostgres> => startPostgres('touch "$data/standby.signal"');

/** A PostgreSQL for one test that has a small disk of its own for new tables, which is nearly full. */
export async function startNearlyFull(): Promise<SmallPostgres> {
  const own = await startPostgres('mkdir "$folder/disk"');
  const disk = join(own.folder, 'disk');
  const client = new pg.Client({ connectionString: own.url });
  await client.connect();
  try {
    await client.query(`create tablespace small location '${disk}'`);
    await client.query('alter database postgres set default_tablespace = small');
  } finally {
    await client.end();
  }
  const remount = ['mount', '-o', 'remount,size=64m', disk];
  return Object.assign(own, {
    enlargeDisk: () => void execFileSync('nsenter', [`--mount=/proc/${own.pid}/ns/mnt`, ...remount]),
  });
}

/** Runs the script as root before it starts, with the variables `folder` and `data`. */
async function startPostgres(prepare: string): Promise<OwnPostgres & { readonly pid: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-postgres-'));
  const data = join(folder, 'data');
  const script = `bin=$(printf '%s\\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    chown postgres "${folder}"
    setpriv ${asPostgres.join(' ')} "$bin/initdb" -D "${data}" -U postgres --auth-host=trust --auth-local=peer -E UTF8 --locale C.UTF-8 -N >/dev/null
    folder="${folder}" data="${data}"
    ${prepare}
    printf %s "$bin"`;
  const bin = execFileSync('sh', ['-euc', script], { encoding: 'utf8' });
  const port = await closedPort();
  const settings = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'dynamic_shared_memory_type=mmap',
  ];
  const postgres = [`${bin}/postgres`, '-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])];
  const onDisk = `if test -d "$0"; then mount -t tmpfs -o size=256k none "$0"; chown postgres "$0"; fi; exec "$@"`;
  // Its shared memory and its disk end with it, although it is killed.
  const inside = ['--ipc', '--mount', 'sh', '-euc', onDisk, join(folder, 'disk')];
  const daemon = await startDaemon(port, 'unshare', ...inside, 'setpriv', ...asPostgres, ...postgres);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  // It accepts connections a moment before it serves them.
  while (!(await serves(url))) await setTimeout(20);
  return {
    url,
    port,
    folder,
    pid: daemon.pid,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

async function serves(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}
