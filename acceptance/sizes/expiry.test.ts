// Thousands of drops with the same deadline end at once and leave nothing behind; others hardly notice.
import { setTimeout as pause } from 'node:timers/promises';
import { paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineS3 } from '../../tools/demo/bucket.ts';
import { percentile } from '../../tools/shared/percentile.ts';
import { fullSize } from '../lib/full-size.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { eventually } from '../lib/wait.ts';
import { insertExpiringDrops } from './expiring-drops.ts';

const drops = fullSize ? 10_000 : 500;
/** And as many receivers. */
const filesOfLargest = fullSize ? 1_000 : 500;
const timeout = 1_800_000;

let exchange: OwnExchange;
let sender: Client;
let tokens: string[];
let largest: string;
const workers = ['first', 'second'];
beforeAll(async () => {
  exchange = await ownExchange();
  sender = await exchange.client('sender');
  succeeded(await sender.addContacts(Array.from({ length: 100 }, (_, index) => ({ email: `c${index}@example.org` }))));
  tokens = await insertExpiringDrops(exchange, sender.user, {
    drops,
    filesEach: 2,
    receiversEach: 2,
    inInboxes: false,
  });
  const one = { drops: 1, filesEach: filesOfLargest, receiversEach: filesOfLargest, inInboxes: true };
  largest = (await insertExpiringDrops(exchange, sender.user, one))[0] as string;
}, timeout);
afterAll(() => exchange?.[Symbol.asyncDispose](), timeout);

test('drops that end together', { timeout }, async () => {
  const readStatus = async (token: string) => (await sender.plain('GET', `/d/${token}`)).status;
  const random = () => tokens[Math.floor(Math.random() * tokens.length)] as string;
  expect([await readStatus(random()), await readStatus(largest)]).toEqual([200, 200]);
  const reading = readContacts();
  const statements = watchStatements();

  await exchange.query(`update drops set expires_at = date_trunc('second', now()) + interval '8 seconds'`);
  await eventually('the deadline', () => holds('select from drops where expires_at <= now()'));
  const deadline = performance.now();
  // Before anyone has swept.
  expect([await readStatus(random()), await readStatus(largest)]).toEqual([410, 410]);
  // A worker sweeps as soon as it has started, and both try.
  await Promise.all(
    workers.map((name) => {
      const url = new URL(exchange.databaseUrl);
      url.searchParams.set('application_name', name);
      return exchange.work({ WAYBILL_DATABASE_URL: url.href });
    }),
  );
  statements.countSweepers();
  const statuses = new Set<number>();
  const meanwhile = async (what: string, query: string) => {
    await eventually(
      what,
      async () => {
        statuses.add(await readStatus(random())).add(await readStatus(largest));
        return holds(query);
      },
      { withinMs: timeout / 3 },
    );
    return performance.now();
  };
  const began = await meanwhile('a sweep', 'select from drops where ended_at is not null');
  const ended = await meanwhile('everything gone', `select where not exists (${left})`);
  const seen = await statements.stop();
  const times = await reading.stop();
  const [before, during] = [times.p99(0, deadline), times.p99(began, ended)];
  const seconds = (from: number) => ((ended - from) / 1000).toFixed(0);
  process.stdout.write(
    `expiry: ${drops + 1} drops with ${drops * 2 + filesOfLargest} files gone ${seconds(deadline)} s after their ` +
      `deadline, ${seconds(began)} s after the sweep began; longest statement ${seen.longestMs.toFixed(0)} ms in ` +
      `${seen.samples} samples; contacts_read p99 ${before.ms.toFixed(1)} ms before (${before.count} requests), ` +
      `${during.ms.toFixed(1)} ms meanwhile (${during.count})\n`,
  );
  expect(await objectsLeft()).toBe(0);
  expect([...statuses]).toEqual([410]);
  expect(seen.longestMs).toBeLessThan(5_000);
  expect(seen.sweepersAtOnce, 'workers that sweep at the same time').toBe(1);
  // The margin is for a short sweep, whose p99 is its slowest request.
  expect(during.ms).toBeLessThan(2 * before.ms + 100);
});

/** Rows that still contain a key, are listed, or have objects. */
const left = `select from drops where ended_at is null or link_key is not null or to_empty
  union all select from files where state <> 'gone' or wrapped_key is not null
  union all select from inbox_entries`;

async function holds(query: string): Promise<true | undefined> {
  return (await exchange.query(`${query} limit 1`)).length > 0 ? true : undefined;
}

async function objectsLeft(): Promise<number> {
  const client = engineS3();
  let count = 0;
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: exchange.bucket })) {
    // The keys of days that are not over stay, and so does the log.
    count += Contents.filter(({ Key }) => !/^(?:day-keys|log)\//.test(Key ?? '')).length;
  }
  client.destroy();
  return count;
}

/** Reads the contacts, one request after another with short pauses, until it is stopped. */
function readContacts() {
  const requests: { began: number; ms: number }[] = [];
  const loop = repeatedly(async () => {
    const began = performance.now();
    succeeded(await sender.contacts());
    requests.push({ began, ms: performance.now() - began });
    await pause(5);
  });
  return {
    async stop() {
      await loop.stop();
      return {
        p99(from: number, to: number) {
          const within = requests.filter(({ began }) => began >= from && began < to).map(({ ms }) => ms);
          return { ms: percentile(within, 0.99), count: within.length };
        },
      };
    },
  };
}

/** A statement that ends drops or removes what they leave, in contrast to the many that a worker repeats all the time. */
const sweepsRows = '(update|delete from) "?(drops|files|inbox_entries)';

/**
 * Repeatedly checks what the workers' connections are doing, apart from the job queue. Workers that sweep are counted
 * from when the test says so: a worker that starts has other statements.
 */
function watchStatements() {
  const seen = { longestMs: 0, sweepersAtOnce: 0, samples: 0 };
  let isCounting = false;
  const loop = repeatedly(async () => {
    const wasCounting = isCounting;
    const [row] = await exchange.query<{ longest: number; sweepers: number }>(
      `select coalesce(max(extract(epoch from clock_timestamp() - query_start)) * 1000, 0)::float as longest,
         count(distinct application_name) filter (where query ~* $2)::int as sweepers
       from pg_stat_activity
       where datname = current_database() and application_name = any($1) and state = 'active'
         and query !~ 'graphile_worker|advisory|^select 1$'`,
      [workers, sweepsRows],
    );
    seen.longestMs = Math.max(seen.longestMs, row?.longest ?? 0);
    if (wasCounting) seen.sweepersAtOnce = Math.max(seen.sweepersAtOnce, row?.sweepers ?? 0);
    seen.samples += 1;
    await pause(5);
  });
  return {
    countSweepers() {
      isCounting = true;
    },
    async stop() {
      await loop.stop();
      return seen;
    },
  };
}

function repeatedly(work: () => Promise<void>) {
  const over = new AbortController();
  const running = (async () => {
    while (!over.signal.aborted) await work();
  })();
  return {
    async stop() {
      over.abort();
      await running;
    },
  };
}
