// Each operation on a Waybill with few drops and on one with many, in turn: the number of drops does not affect its
// duration.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fill } from '../../tools/lab/grow/fill.ts';
import { percentile } from '../../tools/shared/percentile.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { openResponse } from '../lib/http/stream.ts';
import { openedLink } from '../lib/people/opened-link.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { memoryMiB } from '../sizes/process-memory.ts';
import { noneLeft } from './none-left.ts';

const few = 10_000;
const many = Number(process.env['WAYBILL_GROWTH_DROPS'] ?? 1_000_000);
const rounds = 1000;
/** The number of drops that end, or get a reminder, at once. */
const due = 100;
const warmUp = 30;
const hours = 3_600_000;

interface Grown {
  readonly exchange: OwnExchange;
  /** Owns a tenth of all drops. */
  readonly largest: Client;
  readonly ordinary: Client;
  /** Tokens of live links. The links that are opened are not those that are only viewed. */
  readonly tokens: string[];
}

let worlds: { few: Grown; many: Grown };
beforeAll(async () => {
  worlds = { few: await grown(few), many: await grown(many) };
}, 4 * hours);
afterAll(async () => {
  for (const { exchange } of Object.values(worlds ?? {})) await exchange[Symbol.asyncDispose]();
}, hours);

async function grown(drops: number): Promise<Grown> {
  const exchange = await ownExchange();
  const [largest, ordinary] = [await exchange.client('largest'), await exchange.client('ordinary')];
  succeeded(await largest.addContacts(contacts));
  const pool = new pg.Pool({ connectionString: exchange.databaseUrl, max: 2 });
  const began = performance.now();
  await fill(pool, { drops, largest: largest.user });
  const { rows: sizes } = await pool.query<{ size: string }>(
    'select pg_size_pretty(pg_database_size(current_database())) as size',
  );
  const { rows } = await pool.query<{ token: string }>(
    `select grown_token(id, position) as token from drops, generate_series(0, 4) as position
     where expires_at > now() + interval '3 hours' and type = 'downloadfiles' order by random() limit $1`,
    [2 * (rounds + warmUp)],
  );
  // Nothing may become due while a sweep is timed: with ten million drops per year, one ends every three seconds.
  for (const moment of ['expires_at', 'remind_at']) {
    await pool.query(
      `update drops set ${moment} = now() + interval '3 hours'
       where ended_at is null and ${moment} < now() + interval '3 hours'`,
    );
  }
  await pool.end();
  report(`${drops} drops, ${sizes[0]?.size}, filled in ${Math.round((performance.now() - began) / 1000)} s`);
  // Its token may have expired while the database was being filled.
  largest.discardToken();
  return { exchange, largest, ordinary, tokens: rows.map(({ token }) => token) };
}

const contacts = [{ email: 'somebody@example.org' }];
/** `round` is different in every call. */
const operations: Record<string, (world: Grown, round: number) => Promise<unknown>> = {
  'contacts_read.cgi': async ({ ordinary }) => succeeded(await ordinary.contacts()),
  'contacts_add.cgi': async ({ ordinary }, round) =>
    succeeded(await ordinary.addContacts([{ email: `contact-${round}@example.org` }])),
  'receivers_set.cgi': async ({ largest }) => succeeded(await largest.setReceivers(contacts)),
  'get_files.cgi': async ({ largest }) => succeeded(await largest.files()),
  'upload.cgi, 1 kB': async ({ largest }, round) =>
    succeeded(
      // A draft can hold a thousand.
      await largest.inDraft(`files-${round % 10}`).upload({ name: `${round}.txt`, content: 'x'.repeat(1000) }),
    ),
  'createdrop.cgi': async ({ largest }, round) => {
    const draft = largest.inDraft(`draft-${round}`);
    return succeeded(await draft.createDrop({ ddmessage: `message ${round}` }));
  },
  'givedrop.cgi': async ({ largest }, round) => {
    const draft = largest.inDraft(`request-${round}`);
    return succeeded(await draft.giveDrop({ ddmessage: `request ${round}` }));
  },
  'get_history.cgi, a short one': async ({ ordinary }) => succeeded(await ordinary.history()),
  'get_history.cgi, the first byte of the longest': async ({ largest }) => {
    const response = await openResponse(largest, 'cgi/get_history.cgi');
    if (response.statusCode !== 200) throw new Error(`the response was ${response.statusCode}`);
    await new Promise((resolve) => response.once('data', resolve));
    response.destroy();
  },
  'a link': async ({ exchange, tokens }, round) => expectOk(await fetch(toLink(exchange, tokens, 2 * round))),
  'opening a link': async ({ exchange, tokens }, round) => await openedLink(toLink(exchange, tokens, 2 * round + 1)),
};

/** Steps that precede an operation and are not timed. */
const preparations: Record<string, (world: Grown, round: number) => Promise<unknown>> = {
  'createdrop.cgi': async ({ largest }, round) => {
    const draft = largest.inDraft(`draft-${round}`);
    succeeded(await draft.setReceivers(contacts));
    succeeded(await draft.files());
    succeeded(await draft.upload({ name: 'x.txt', content: 'x' }));
  },
  'givedrop.cgi': async ({ largest }, round) =>
    succeeded(await largest.inDraft(`request-${round}`).setReceivers(contacts)),
};

test.each(Object.keys(operations))('%s', { timeout: hours }, async (name) => {
  const operation = operations[name] as (typeof operations)[string];
  const times = { few: [] as number[], many: [] as number[] };
  for (let round = -warmUp; round < rounds; round++) {
    // In turn, each as often first as second, so that other load affects both equally.
    for (const size of round % 2 === 0 ? (['few', 'many'] as const) : (['many', 'few'] as const)) {
      await preparations[name]?.(worlds[size], round + warmUp);
      const began = performance.now();
      await operation(worlds[size], round + warmUp);
      if (round >= 0) times[size].push(performance.now() - began);
    }
  }
  const shown = (part: number) => [percentile(times.few, part), percentile(times.many, part)] as const;
  const [[few50, many50], [few99, many99]] = [shown(0.5), shown(0.99)];
  report(
    `${name}: median ${few50.toFixed(1)} → ${many50.toFixed(1)} ms, p99 ${few99.toFixed(1)} → ${many99.toFixed(1)} ms ` +
      `(× ${(many99 / few99).toFixed(2)})`,
  );
  // The database determines the median; the p99 of 1,000 requests is the tenth slowest, which depends on a busy
  // machine.
  expect(many50).toBeLessThan(1.3 * few50 + 1);
});

test('the whole history of the account with most drops', { timeout: hours }, async () => {
  const { exchange, largest } = worlds.many;
  // With a heap smaller than the response, growth shows memory that is really held, not garbage that is still
  // uncollected.
  const serve = await exchange.serve({ NODE_OPTIONS: '--max-old-space-size=64' });
  const client = largest.through(serve.baseUrl);
  succeeded(await client.contacts());
  const before = memoryMiB(serve.pid);
  let [bytes, max] = [0, before];
  for await (const piece of (await openResponse(client, 'cgi/get_history.cgi')) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    max = Math.max(max, memoryMiB(serve.pid));
  }
  report(
    `the longest history: ${Math.round(bytes / 1024 ** 2)} MiB, process ${before.toFixed(0)} → ${max.toFixed(0)} MiB`,
  );
  expect(max - before).toBeLessThan(64);
});

test('a sweep that finds nothing', { timeout: hours }, async () => {
  const { large } = await sweepTimes('a sweep that finds nothing', async ({ exchange }) => {
    await exchange.work();
    await noneLeft(exchange, "messages where state = 'waiting'");
    await exchange.rest();
  });
  expect(large).toBeLessThan(50);
});

test.each([
  [`reminders of ${due} drops`, 'remind_at'],
  [`the end of ${due} drops`, 'expires_at'],
])('%s', { timeout: hours }, async (name, moment) => {
  const { small, large } = await sweepTimes(name, ({ exchange }) =>
    exchange.query(
      `update drops set ${moment} = now() where (account_id, id) in
         (select account_id, id from drops
          where ended_at is null and remind_at is not null and type = 'downloadfiles' order by id desc limit ${due})`,
    ),
  );
  expect(large).toBeLessThan(1.3 * small + 50);
});

/** Database time, once with few drops and once with many. */
async function sweepTimes(name: string, prepare: (world: Grown) => Promise<unknown>) {
  const databaseMs = async (world: Grown) => {
    await world.exchange.sweep();
    await prepare(world);
    // Otherwise the time of the preparation is reported later, and counted as part of the sweep.
    await world.exchange.query('select pg_stat_force_next_flush()');
    const before = await activeMs(world.exchange);
    await world.exchange.sweep();
    return (await activeMs(world.exchange)) - before;
  };
  const [small, large] = [await databaseMs(worlds.few), await databaseMs(worlds.many)];
  report(`${name}: ${small.toFixed(0)} → ${large.toFixed(0)} ms of the database's time`);
  return { small, large };
}

/**
 * The time that PostgreSQL has spent on statements in this database. A connection reports it when it ends, as that of
 * an `admin` command has.
 */
async function activeMs({ query }: OwnExchange): Promise<number> {
  const [row] = await query<{ ms: number }>(
    'select active_time as ms from pg_stat_database where datname = current_database()',
  );
  return row?.ms ?? Number.NaN;
}

function toLink({ baseUrl }: OwnExchange, tokens: readonly string[], round: number): string {
  return `${baseUrl}/d/${tokens[round % tokens.length]}`;
}

async function expectOk(response: Response): Promise<void> {
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`the response was ${response.status}`);
}

function report(line: string): void {
  process.stdout.write(`growth: ${line}\n`);
}
