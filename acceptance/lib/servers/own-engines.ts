/**
 * A test's own engines, on free ports: for faults that must never affect the shared ones. They are frozen, killed,
 * restarted and filled up. Whatever happens to the test, they end with it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { enginesDir } from '../../../tools/demo/environment.ts';
import { closedPort } from '../../../tools/shared/tcp.ts';
import type { Endpoint } from '../http/tcp-proxy.ts';
import { eventually } from '../wait.ts';

const run = promisify(execFile);
const readyWithinMs = 60_000;

interface Plan {
  readonly command: (port: number, folder: string) => string[];
  readonly responses: (port: number) => Promise<boolean>;
  readonly prepare?: (folder: string) => Promise<void>;
  /** The size of the folder, which is then in memory. */
  readonly mebibytes?: number;
}

/** One daemon in its own folder. It keeps the same port, however often it is started. */
export class OwnEngine implements AsyncDisposable {
  readonly #plan: Plan;
  readonly folder: string;
  readonly port: number;
  #child: ChildProcess | undefined;

  constructor(plan: Plan, folder: string, port: number) {
    this.#plan = plan;
    this.folder = folder;
    this.port = port;
  }

  static async make<Engine extends OwnEngine>(
    this: new (
      plan: Plan,
      folder: string,
      port: number,
    ) => Engine,
    plan: Plan,
  ): Promise<Engine> {
    const folder = mkdtempSync('/var/tmp/waybill-engine-');
    chmodSync(folder, 0o755);
    if (plan.mebibytes) await run('mount', ['-t', 'tmpfs', '-o', `size=${plan.mebibytes}m`, 'tmpfs', folder]);
    const engine = new this(plan, folder, await closedPort());
    try {
      await plan.prepare?.(folder);
      await engine.start();
    } catch (error) {
      await engine[Symbol.asyncDispose]();
      throw error;
    }
    return engine;
  }

  get endpoint(): Endpoint {
    return { host: '127.0.0.1', port: this.port };
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('it was not started');
    return this.#child.pid;
  }

  get runs(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async start(): Promise<void> {
    await eventually(
      `a response on port ${this.port} of ${this.#plan.command(this.port, this.folder).join(' ')}`,
      async () => {
        // Tried again if it ended at once: what it left when it was killed may still have been in use.
        if (!this.runs) this.#spawn();
        return (await this.#plan.responses(this.port)) || undefined;
      },
      { withinMs: readyWithinMs, everyMs: 50 },
    );
  }

  #spawn(): void {
    // The kernel kills it when this process ends.
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', ...this.#plan.command(this.port, this.folder)], {
      cwd: this.folder,
      env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
      stdio: 'ignore',
    });
    this.#child.on('error', () => undefined);
  }

  /** Freezes it and its children: connections stay open, and nothing responds. */
  async freeze(): Promise<void> {
    const pids = [this.pid, ...descendants(this.pid)];
    for (const pid of pids) signal(pid, 'SIGSTOP');
    // On a busy machine its threads continue for a while after the signal.
    await eventually('it is stopped', async () => pids.every(isStopped) || undefined, { everyMs: 5 });
  }

  thaw(): void {
    for (const pid of [this.pid, ...descendants(this.pid)]) signal(pid, 'SIGCONT');
  }

  /** Kills it, as a power failure would. */
  async kill(): Promise<void> {
    if (!this.runs || !this.#child) return;
    const exited = once(this.#child, 'exit');
    for (const pid of [...descendants(this.pid), this.pid]) signal(pid, 'SIGKILL');
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    if (this.#plan.mebibytes) await run('umount', ['-l', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Sends a signal to a process that may already have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** True when all its threads have stopped, or it has ended. */
function isStopped(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) =>
      /^State:\s+[TtZX]/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')),
    );
  } catch {
    return !existsSync(`/proc/${pid}`);
  }
}

function descendants(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return children.flatMap((child) => [Number(child), ...descendants(Number(child))]);
  } catch {
    return []; // it ended meanwhile
  }
}

/** Whether a port sends this in reply to these bytes within that time. */
export function isReachable(port: number, question: string, expected: RegExp, withinMs = 1000): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    const settle = (reachable: boolean) => {
      socket.destroy();
      resolve(reachable);
    };
    socket.setTimeout(withinMs, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.once('data', (bytes) => settle(expected.test(bytes.toString('latin1'))));
    socket.write(question, 'latin1');
  });
}

const asPostgres = ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--init-groups'];

export class OwnPostgres extends OwnEngine {
  /** With the same durability as in production. A small disk is memory of that size. */
  static async start({
    environment = {},
    ...options
  }: {
    mebibytes?: number;
    environment?: Record<string, string>;
  } = {}): Promise<OwnPostgres> {
    const { stdout } = await run('sh', ['-c', 'printf "%s\\n" /usr/lib/postgresql/*/bin | sort -V | tail -n 1']);
    const bin = stdout.trim();
    return await this.make({
      ...options,
      async prepare(folder) {
        await run('install', ['-d', '-o', 'postgres', '-g', 'postgres', '-m', '700', `${folder}/data`]);
        const how = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C.UTF-8', '--wal-segsize=4', '-N'];
        await run('setpriv', [...asPostgres.slice(1), `${bin}/initdb`, '-D', `${folder}/data`, ...how]);
      },
      command: (port, folder) => [
        ...asPostgres.slice(1),
        // Set here and not before: the preloaded library must not be loaded as root first.
        'env',
        ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
        `${bin}/postgres`,
        '-D',
        `${folder}/data`,
        '-p',
        String(port),
        ...Object.entries({
          listen_addresses: '127.0.0.1',
          unix_socket_directories: '',
          max_connections: '100',
          min_wal_size: '8MB',
          max_wal_size: options.mebibytes ? '16MB' : '1GB',
        }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      async responses(port) {
        const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', connectionTimeoutMillis: 1000 });
        client.on('error', () => undefined);
        const reachable = await client.connect().then(
          () => true,
          () => false,
        );
        await client.end().catch(() => undefined);
        return reachable;
      },
    });
  }

  get url(): string {
    // It trusts everyone, but PgBouncer asks for a password.
    return `postgres://postgres:any@127.0.0.1:${this.port}/postgres`;
  }

  /** Like `pg_ctl restart -m immediate`: every backend ends at once, and the next start recovers from the log. */
  async restartImmediately(): Promise<void> {
    process.kill(this.pid, 'SIGQUIT');
    await eventually('it has ended', async () => !this.runs || undefined, { everyMs: 10 });
    await this.start();
  }
}

/** In front of a PostgreSQL on this machine, set up by deploy/postgres/pgbouncer.ini. */
export class OwnPgBouncer extends OwnEngine {
  /** Knows the user that this address names. */
  static start(url: string): Promise<OwnPgBouncer> {
    const { port: behind, username, password } = new URL(url);
    return this.make({
      command(port, folder) {
        const users = join(folder, 'userlist.txt');
        writeFileSync(users, `"${username}" "${password}"\n`);
        const file = join(folder, 'pgbouncer.ini');
        const shipped = readFileSync(new URL('../../../deploy/postgres/pgbouncer.ini', import.meta.url), 'utf8');
        const adapted = shipped
          .replace('port=5000', `port=${behind}`)
          .replace('listen_port = 6432', `listen_port = ${port}`)
          .replace('/etc/pgbouncer/userlist.txt', users);
        writeFileSync(file, `${adapted}unix_socket_dir =\n`);
        return [...asPostgres.slice(1), 'pgbouncer', '--quiet', file];
      },
      responses: (port) => isReachable(port, '\0\0\0\x08\x04\xd2\x16\x2f', /^[NS]/),
    });
  }

  /** The same database, through PgBouncer. */
  through(url: string): string {
    const through = new URL(url);
    through.port = String(this.port);
    return through.href;
  }
}

export class OwnRedis extends OwnEngine {
  static start(): Promise<OwnRedis> {
    return this.make({
      command: (port) => [
        'redis-server',
        '--bind',
        '127.0.0.1',
        '--port',
        String(port),
        '--save',
        '',
        '--appendonly',
        'no',
      ],
      responses: (port) => isReachable(port, 'PING\r\n', /^\+PONG/),
    });
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async flush(): Promise<void> {
    await isReachable(this.port, 'FLUSHALL\r\n', /^\+OK/);
  }
}

/** An additional S3 gateway to the shared cluster. */
export class OwnGateway extends OwnEngine {
  static start(): Promise<OwnGateway> {
    const configuration = `${enginesDir}/ceph/ceph.conf`;
    return this.make({
      command: (port) => [
        'radosgw',
        '-f',
        '-n',
        'client.rgw',
        '-c',
        configuration,
        `--rgw-frontends=beast endpoint=127.0.0.1:${port}`,
      ],
      responses: (port) => isReachable(port, 'GET / HTTP/1.0\r\n\r\n', /^HTTP\/1/),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }
}

/** With the settings and the signatures of the shared one, except for its port. */
export class OwnClamd extends OwnEngine {
  static start(): Promise<OwnClamd> {
    const shared = `${enginesDir}/clamd`;
    return this.make({
      // A copy: Debian's AppArmor profile for the original's path restricts it to the system's folders.
      prepare: async (folder) => void (await run('cp', [`${shared}/clamd`, join(folder, 'clamd')])),
      command(port, folder) {
        const settings = readFileSync(`${shared}/clamd.conf`, 'utf8')
          .replace(/^TCPSocket .*$/m, `TCPSocket ${port}`)
          .replace(/^(TemporaryDirectory|LogFile) .*$/gm, '')
          .concat(`\nTemporaryDirectory ${folder}\n`);
        writeFileSync(join(folder, 'clamd.conf'), settings);
        return [join(folder, 'clamd'), `--config-file=${join(folder, 'clamd.conf')}`];
      },
      responses: (port) => isReachable(port, 'nPING\n', /^PONG/),
    });
  }
}
