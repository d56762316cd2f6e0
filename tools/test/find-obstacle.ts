import { once } from 'node:events';
import { connect } from 'node:net';
import pg from 'pg';
import { databaseUrl } from '../../server/test/database-url.ts';
import { engineAddresses } from '../../server/test/engine-addresses.ts';
import type { TestKind } from './require-kind.ts';

export interface Obstacle {
  readonly says: string;
  readonly remedy: string;
  /** Nothing runs there, as opposed to something that cannot be used. */
  readonly isAbsent: boolean;
}

/** The reason why tests of this kind cannot run here, if there is one. */
export async function findObstacle(kind: TestKind): Promise<Obstacle | undefined> {
  if (kind === 'unit') return undefined;
  return kind === 'postgres' ? findPostgresObstacle() : ((await findPostgresObstacle()) ?? findEnginesObstacle());
}

async function findPostgresObstacle(): Promise<Obstacle | undefined> {
  const server = `PostgreSQL at ${new URL(databaseUrl).host || databaseUrl}`;
  const remedy = 'see "Tests" in CONTRIBUTING.md, and WAYBILL_TEST_DATABASE_URL';
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ role: string; isAllowed: boolean }>(
      'select rolname as role, rolcreatedb or rolsuper as "isAllowed" from pg_roles where rolname = current_user',
    );
    const [current] = rows;
    if (current?.isAllowed) return undefined;
    const role = current?.role ?? '';
    const says = `the role ${role} of ${server} may not create databases`;
    return { says, remedy: `as a superuser: alter role "${role}" createdb`, isAbsent: false };
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    // Node reports a host with several addresses by a code alone.
    const isAbsent = code === 'ECONNREFUSED' && !process.env['WAYBILL_TEST_DATABASE_URL'];
    return { says: `${server} cannot be used (${message || code})`, remedy, isAbsent };
  } finally {
    await client.end();
  }
}

async function findEnginesObstacle(): Promise<Obstacle | undefined> {
  const { s3, valkey, clamd, smtp, sms } = engineAddresses;
  const engines = {
    'the object store': s3.endpoint,
    Redis: valkey,
    clamd: `tcp://${clamd}`,
    Postfix: smtp,
    Kannel: sms.address,
  };
  const unreachable = await Promise.all(
    Object.entries(engines).map(async ([name, address]) => {
      const { hostname, port } = new URL(address);
      return (await acceptsConnections(hostname, Number(port))) ? [] : [`${name} (${hostname}:${port})`];
    }),
  );
  if (unreachable.flat().length === 0) return undefined;
  const says = `these do not respond: ${unreachable.flat().join(', ')}`;
  return { says, remedy: 'on Debian 12, as root: npm run engines -- up', isAbsent: true };
}

async function acceptsConnections(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: 5_000 });
  socket.on('timeout', () => socket.destroy(new Error('timeout')));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
