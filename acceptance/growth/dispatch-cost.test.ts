// The cost of one dispatch from its first request to its end: the figures that docs/scaling.md multiplies.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { uniqueAddress } from '../lib/accounts.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { allMails, linkTokens } from '../lib/people/mailbox.ts';
import { openedLink } from '../lib/people/opened-link.ts';
import { introduce, stage } from '../lib/scenario.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { eventually } from '../lib/wait.ts';
import { noneLeft } from './none-left.ts';

const dispatches = 300;
const sizeBytes = 100_000;
const atOnce = 4;

test('a dispatch of one file to two people, mailed, opened, downloaded and ended', { timeout: 600_000 }, async () => {
  await using exchange = await ownExchange();
  const worker = await exchange.work();
  const client = await exchange.client('costs');
  const receivers = [uniqueAddress('first'), uniqueAddress('second')];
  await introduce(client, receivers);
  const since = Date.now();
  const before = await usage(exchange);
  const cpu = () => ({ serve: cpuMs(exchange.first.pid), work: cpuMs(worker.pid) });
  const idle = cpu();

  await inParallel((number) => send(client.inDraft(`draft-${number}`), receivers));
  await noneLeft(exchange, "messages where state = 'waiting'");
  // The mail server has accepted them, and delivers them a little later.
  const links = await eventually('every link is in a mailbox', async () => {
    const found = await findLinks(receivers, since, exchange.baseUrl);
    return found.length === 2 * dispatches ? found : undefined;
  });
  await inParallel(async (number) => {
    for (const link of links.slice(2 * number, 2 * number + 2)) await fetchFile(link);
  });
  await noneLeft(exchange, 'graphile_worker.jobs');
  const sent = cpu();
  await exchange.query('update drops set expires_at = now()');
  await exchange.sweep();
  // A connection reports its costs when it ends, at the latest.
  await Promise.all([exchange.first.stop(), exchange.rest()]);
  const after = await usage(exchange);

  const each = (total: number) => total / dispatches;
  const cost = {
    'ms of a connection to PostgreSQL': each(after.databaseMs - before.databaseMs),
    'ms of a processor in PostgreSQL': each(after.databaseCpuMs - before.databaseCpuMs),
    'ms of a processor in serve': each(sent.serve - idle.serve),
    'ms of a processor in work': each(sent.work - idle.work),
    'kB of the write-ahead log': each(after.logBytes - before.logBytes) / 1000,
  };
  for (const [what, amount] of Object.entries(cost)) process.stdout.write(`a dispatch: ${amount.toFixed(1)} ${what}\n`);
  expect(cost['ms of a connection to PostgreSQL']).toBeLessThan(100);
});

async function send(client: Client, receivers: string[]): Promise<void> {
  await stage(client, { to: receivers, files: [{ name: 'report.bin', content: randomBytes(sizeBytes) }] });
  succeeded(await client.createDrop({ ddmessage: 'the figures of this month' }));
}

async function findLinks(receivers: readonly string[], since: number, baseUrl: string): Promise<string[]> {
  const mails = await allMails(since);
  const tokens = receivers.flatMap((receiver) => (mails.get(receiver) ?? []).flatMap((mail) => linkTokens(mail, 'd')));
  return [...new Set(tokens)].map((token) => `${baseUrl}/d/${token}`);
}

async function fetchFile(link: string): Promise<void> {
  const { page, headers } = await openedLink(link);
  const html = await (await fetch(page, { headers })).text();
  const href = /href="([^"]*)" download/.exec(html)?.[1] ?? '';
  const response = await fetch(new URL(href, page), { headers });
  expect((await response.arrayBuffer()).byteLength).toBe(sizeBytes);
}

async function inParallel(work: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < dispatches) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

interface Usage {
  readonly databaseCpuMs: number;
  readonly databaseMs: number;
  readonly logBytes: number;
}

async function usage({ query }: OwnExchange): Promise<Usage> {
  const [row] = await query<Omit<Usage, 'databaseCpuMs'>>(
    `select active_time as "databaseMs", pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "logBytes"
     from pg_stat_database where datname = current_database()`,
  );
  if (!row) throw new Error('PostgreSQL keeps no statistics of this database');
  return { ...row, databaseCpuMs: postgresCpuMs() };
}

/** User and system time of a process. */
function cpuMs(pid: number): number {
  return readStat(pid).ownMs;
}

/** For all PostgreSQL processes on this machine; those that have ended are counted with their parent. */
function postgresCpuMs(): number {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readStat(Number(pid))];
      } catch {
        return []; // it ended meanwhile
      }
    })
    .filter(({ name }) => name === 'postgres');
  return found.reduce((sum, { ownMs, childrenMs }) => sum + ownMs + childrenMs, 0);
}

function readStat(pid: number): { name: string; ownMs: number; childrenMs: number } {
  const [, name = '', rest = ''] = /\((.*)\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = rest.split(' ').slice(11, 15).map(Number);
  const msPerTick = 10;
  return { name, ownMs: (user + system) * msPerTick, childrenMs: (childrenUser + childrenSystem) * msPerTick };
}
