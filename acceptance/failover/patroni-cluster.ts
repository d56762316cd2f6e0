/**
 * Three PostgreSQL servers under Patroni, with HAProxy and PgBouncer in front of them, set up as in deploy/postgres. Each
 * server has its own processes and shared memory, as on a machine of its own, and loses all of them at once.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { parse, stringify } from 'yaml';
import { closedPort } from '../../tools/shared/tcp.ts';
import { isReachable, OwnEngine, OwnPgBouncer } from '../lib/servers/own-engines.ts';
import { eventually } from '../lib/wait.ts';

/** The folder into which tools/lab/runs/failover-test unpacked Debian's packages. */
const programs = process.env['WAYBILL_FAILOVER_PROGRAMS'] ?? '';
const shipped = (name: string) => readFileSync(new URL(`../../deploy/postgres/${name}`, import.meta.url), 'utf8');
const settledWithinMs = 120_000;

/** As Patroni reports it. */
interface Member {
  readonly name: string;
  readonly role: 'leader' | 'sync_standby' | 'replica';
  readonly state: string;
  readonly lag?: number | 'unknown';
}

interface Server {
  readonly name: string;
  readonly restPort: number;
  readonly engine: OwnEngine;
}

export class PatroniCluster implements AsyncDisposable {
  readonly #engines = new AsyncDisposableStack();
  readonly #servers: readonly Server[];
  /** The primary, by way of HAProxy. */
  readonly url: string;
  readonly bouncer: OwnPgBouncer;

  private constructor(made: { servers: readonly Server[]; url: string; bouncer: OwnPgBouncer }) {
    this.#servers = made.servers;
    this.url = made.url;
    this.bouncer = made.bouncer;
  }

  static async start(): Promise<PatroniCluster> {
    await using engines = new AsyncDisposableStack();
    const etcd = engines.use(await startEtcd());
    const servers: Server[] = [];
    for (const name of ['postgres1', 'postgres2', 'postgres3']) {
      const restPort = await closedPort();
      servers.push({ name, restPort, engine: engines.use(await startServer(name, restPort, etcd.port)) });
    }
    const proxy = engines.use(await startProxy(servers));
    const url = `postgres://waybill:secret@127.0.0.1:${proxy.port}/postgres`;
    const bouncer = engines.use(await OwnPgBouncer.start(url));
    const cluster = new PatroniCluster({ servers, url, bouncer });
    await cluster.settled();
    await asSuperuser(proxy.port, "create role waybill login createdb password 'secret'");
    cluster.#engines.use(engines.move());
    return cluster;
  }

  /** Waits until all servers run and one of them is a synchronous standby without lag. */
  async settled(): Promise<void> {
    await eventually(
      'a primary, a synchronous standby and another standby',
      async () => {
        const members = await this.#members();
        const roles = members.filter(isUpToDate).map(({ role }) => role);
        return roles.toSorted().join() === 'leader,replica,sync_standby' || undefined;
      },
      { withinMs: settledWithinMs },
    );
  }

  /** SIGKILL to PostgreSQL and Patroni on the server with this role. Returns what starts it again. */
  async kill(role: 'leader' | 'sync_standby'): Promise<() => Promise<void>> {
    const { engine } = await this.#serverWith(role);
    await engine.kill();
    return () => engine.start();
  }

  /** As `patronictl switchover` does. */
  async switchOver(): Promise<void> {
    const [from, to] = await Promise.all([this.#serverWith('leader'), this.#serverWith('sync_standby')]);
    const response = await fetch(`http://127.0.0.1:${from.restPort}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: from.name, candidate: to.name }),
    });
    if (!response.ok) throw new Error(`no switchover: ${response.status} ${await response.text()}`);
  }

  async #serverWith(role: Member['role']): Promise<Server> {
    const member = (await this.#members()).find((candidate) => candidate.role === role);
    const server = this.#servers.find(({ name }) => name === member?.name);
    if (!server) throw new Error(`no server is ${role}`);
    return server;
  }

  async #members(): Promise<readonly Member[]> {
    for (const { restPort, engine } of this.#servers) {
      const response = engine.runs && (await fetch(`http://127.0.0.1:${restPort}/cluster`).catch(() => undefined));
      if (response) return ((await response.json()) as { members: Member[] }).members;
    }
    return [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engines.disposeAsync();
  }
}

const isUpToDate = ({ role, state, lag }: Member) =>
  ['running', 'streaming'].includes(state) && (role === 'leader' || lag === 0);

async function startEtcd(): Promise<OwnEngine> {
  const peers = `http://127.0.0.1:${await closedPort()}`;
  return await OwnEngine.make({
    command(port, folder) {
      const clients = `http://127.0.0.1:${port}`;
      const options = {
        'data-dir': join(folder, 'data'),
        'listen-client-urls': clients,
        'advertise-client-urls': clients,
        'listen-peer-urls': peers,
        'initial-advertise-peer-urls': peers,
        'initial-cluster': `default=${peers}`,
      };
      return [join(programs, 'usr/bin/etcd'), ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)];
    },
    responses: (port) => isReachable(port, 'GET /health HTTP/1.0\r\n\r\n', /^HTTP\/1.\d 200/),
  });
}

async function startServer(name: string, restPort: number, etcdPort: number): Promise<OwnEngine> {
  return await OwnEngine.make({
    command(port, folder) {
      const file = join(folder, 'patroni.yml');
      writeFileSync(file, stringify(patroniSettings({ name, restPort, etcdPort, port, folder })));
      // It makes its data folder itself.
      chmodSync(folder, 0o777);
      const patroni = ['/usr/bin/python3', join(programs, 'usr/bin/patroni'), file].join(' ');
      const script = [
        // PostgreSQL would take a process with the number of its predecessor for its predecessor.
        `echo ${1000 + Math.floor(Math.random() * 20_000)} >/proc/sys/kernel/ns_last_pid`,
        'mount -t tmpfs tmpfs /dev/shm',
        `export PYTHONPATH=${programs}/usr/lib/python3/dist-packages`,
        `setpriv --reuid postgres --regid postgres --init-groups ${patroni} >>${folder}/patroni.log 2>&1 &`,
        'wait',
      ];
      const isolated = ['--pid', '--ipc', '--mount', '--mount-proc', '--fork', '--kill-child'];
      return ['unshare', ...isolated, 'sh', '-euc', script.join('\n')];
    },
    responses: () => isReachable(restPort, 'GET /health HTTP/1.0\r\n\r\n', /^HTTP\/1.\d 200/),
  });
}

interface Place {
  readonly name: string;
  readonly restPort: number;
  readonly etcdPort: number;
  readonly port: number;
  readonly folder: string;
}

/** The shipped settings, with the addresses and folders of this machine. */
function patroniSettings({ name, restPort, etcdPort, port, folder }: Place): Record<string, unknown> {
  const settings = parse(shipped('patroni.yml').replaceAll('10.0.0.0/24', '127.0.0.1/32'));
  const at = (own: number) => ({ listen: `127.0.0.1:${own}`, connect_address: `127.0.0.1:${own}` });
  return {
    ...settings,
    name,
    restapi: { ...settings.restapi, ...at(restPort) },
    etcd3: { hosts: `127.0.0.1:${etcdPort}` },
    postgresql: {
      ...settings.postgresql,
      ...at(port),
      data_dir: join(folder, 'data'),
      pgpass: join(folder, 'pgpass'),
      parameters: { unix_socket_directories: '' },
    },
  };
}

function startProxy(servers: readonly Server[]): Promise<OwnEngine> {
  return OwnEngine.make({
    command(port, folder) {
      const file = join(folder, 'haproxy.cfg');
      const adapted = servers.reduce(
        (text, { name, restPort, engine }) =>
          text.replace(new RegExp(`server ${name} .*`), `server ${name} 127.0.0.1:${engine.port} port ${restPort}`),
        shipped('haproxy.cfg').replace('bind 127.0.0.1:5000', `bind 127.0.0.1:${port}`),
      );
      writeFileSync(file, adapted);
      return ['haproxy', '-db', '-f', file];
    },
    // Until it has asked a server for the first time, HAProxy takes it for a primary, and chooses from them in turn.
    responses: async (port) => (await Promise.all(servers.map(() => isPrimary(port)))).every(Boolean),
  });
}

async function isPrimary(port: number): Promise<boolean> {
  const rows = await asSuperuser(port, 'select pg_is_in_recovery() as standby').catch(() => []);
  return rows[0]?.['standby'] === false;
}

async function asSuperuser(port: number, statement: string): Promise<Record<string, unknown>[]> {
  const { username: user, password } = parse(shipped('patroni.yml')).postgresql.authentication.superuser;
  const client = new pg.Client({ host: '127.0.0.1', port, user, password, connectionTimeoutMillis: 1000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
