// An engine stops responding: clients that need it are told so in time, others notice nothing, and when it is back,
// everything works again.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeConduct } from '../checker/conduct.ts';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import type { Client } from '../lib/http/client.ts';
import { request } from '../lib/http/request.ts';
import { type HttpResponse, header, text } from '../lib/http/response.ts';
import type { InboxEntry } from '../lib/http/shapes.ts';
import { linkTokens, waitForMail } from '../lib/people/mailbox.ts';
import { deliver, introduce } from '../lib/scenario.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { stopwatch } from '../lib/stopwatch.ts';
import { eventually } from '../lib/wait.ts';
import { FaultyWorld } from './faulty-world.ts';

const outageMs = fullSize ? 60_000 : 15_000;
const responseWithinMs = 12_000;
const backWithinMs = 10_000;
const memoryMiB = 512;
/** On a machine that does other work as well, a single request may be late by this much. */
const noiseMs = 100;

type Ask = () => Promise<HttpResponse>;
type Asks = Record<string, Ask>;

let world: FaultyWorld;
let client: Client;
let receiver: Client;
/** A client of the demo. */
let undisturbed: Client;
let entry: InboxEntry;
let linkToken: string;

beforeAll(async () => {
  world = await FaultyWorld.start();
  undisturbed = (await freshClient('undisturbed')).impatient();
  const [sending, receiving] = [await world.exchange.client('sending'), await world.exchange.client('receiving')];
  [client, receiver] = [sending.impatient(), receiving.impatient()];
  entry = await deliver(sending, receiving, [{ name: 'a.txt', content: 'here before' }], { desttime: 500_000 });
  const outside = uniqueAddress('outside');
  await introduce(client, [outside]);
  await client.setReceivers([{ email: outside }]);
  await client.files();
  await client.upload({ name: 'b.txt', content: 'b' });
  await client.createDrop({ desttime: 500_000 });
  linkToken = linkTokens(await waitForMail(outside), 'd')[0] ?? '';
});
afterAll(() => world[Symbol.asyncDispose]());

const plain = (path: string): Promise<HttpResponse> =>
  request(world.exchange.baseUrl, 'GET', path, { headers: { Host: new URL(demo().base_url).host } });
let uploads = 0;

/** Requests by the engines that they need for a complete response. */
const asks = {
  'contacts_read.cgi': () => client.contacts(),
  'get_history.cgi': () => client.history(),
  'upload.cgi': () => client.inDraft(`upload-${uploads++ % 8}`).upload({ name: 'c.txt', content: 'c' }),
  download: () => receiver.download(entry.url, 'a.txt'),
  'the index page': () => client.index(),
  'a receiver’s link': () => plain(`/d/${linkToken}`),
  'the description of the API': () => plain('/openapi.json'),
  'a request without credentials': () => plain('/somebody@example.org/'),
} satisfies Asks;
const only = (...names: (keyof typeof asks)[]): Asks => Object.fromEntries(names.map((name) => [name, asks[name]]));

interface Outage {
  engine: string;
  begin: () => unknown;
  end: () => unknown;
  needing: Asks;
  /** Everything else is served as usual. */
  others: Asks;
}
const outages: Outage[] = [
  {
    engine: 'PostgreSQL frozen',
    begin: () => world.postgres.freeze(),
    end: () => world.postgres.thaw(),
    needing: only(
      'contacts_read.cgi',
      'get_history.cgi',
      'upload.cgi',
      'download',
      'the index page',
      'a receiver’s link',
    ),
    others: only('the description of the API', 'a request without credentials'),
  },
  {
    engine: 'S3 frozen',
    begin: () => world.gateway.freeze(),
    end: () => world.gateway.thaw(),
    needing: only('upload.cgi', 'download'),
    others: only(
      'contacts_read.cgi',
      'get_history.cgi',
      'the index page',
      'a receiver’s link',
      'the description of the API',
    ),
  },
  {
    engine: 'Redis black-holed',
    begin: () => (world.ways.redis.fault = 'swallow'),
    end: () => (world.ways.redis.fault = 'pass'),
    needing: only('contacts_read.cgi', 'get_history.cgi', 'upload.cgi', 'download', 'the index page'),
    others: only('a receiver’s link', 'the description of the API', 'a request without credentials'),
  },
];

interface Timed {
  name: string;
  tookMs: number;
  response: HttpResponse | Error;
}

async function timed(name: string, ask: Ask): Promise<Timed> {
  const elapsed = stopwatch();
  const response = await ask().catch((error: Error) => error);
  return { name, tookMs: elapsed(), response };
}

/** Makes each request repeatedly, several at once, until told to stop. */
async function load(wanted: Asks, atOnce: number, until: () => boolean, everyMs = 0): Promise<Timed[]> {
  const seen: Timed[] = [];
  const loop = async ([name, ask]: [string, Ask]) => {
    while (!until()) {
      seen.push(await timed(name, ask));
      await pause(everyMs);
    }
  };
  await Promise.all(Object.entries(wanted).flatMap((one) => Array.from({ length: atOnce }, () => loop(one))));
  return seen;
}

const isServed = ({ response }: Timed) => !(response instanceof Error) && [200, 401].includes(response.status);

function p99(seen: Timed[]): number {
  const sorted = seen.map(({ tookMs }) => tookMs).toSorted((left, right) => left - right);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
}

function describeBad({ name, tookMs, response }: Timed): string {
  const what = response instanceof Error ? response.message : `${response.status} ${text(response).slice(0, 100)}`;
  return `${name}: ${what} after ${Math.round(tookMs)} ms`;
}

for (const { engine, begin, end, needing, others } of outages) {
  describe(`${engine} for ${outageMs / 1000} s`, () => {
    let during: Timed[];
    let besides: Timed[];
    let usual: Timed[];
    let elsewhere: Timed[];
    let backMs: number;

    beforeAll(async () => {
      const after = (ms: number) => {
        const deadline = Date.now() + ms;
        return () => Date.now() > deadline;
      };
      usual = await load(others, 2, after(4_000), 20);
      await begin();
      const over = after(outageMs);
      const tries = load(needing, 8, over, 50);
      // Another Waybill on the same machine, whose engines all respond: it shows how busy the machine is meanwhile.
      [besides, elsewhere] = await Promise.all([
        load(others, 2, over, 20),
        load({ 'contacts_read.cgi of the demo': () => undisturbed.contacts() }, 2, over, 20),
      ]);
      await end();
      const elapsed = stopwatch();
      for (const [name, ask] of Object.entries(needing)) {
        await eventually(`${name} is served`, async () => isServed(await timed(name, ask)) || undefined, {
          withinMs: 60_000,
          everyMs: 50,
        });
      }
      backMs = elapsed();
      during = await tries;
    }, outageMs + 180_000);

    test(`every request gets a response within ${responseWithinMs / 1000} s, with a 503 that says when to come back`, () => {
      const bad = during.filter((one) => {
        if (one.response instanceof Error || one.tookMs > responseWithinMs) return true;
        return (
          !isServed(one) &&
          !(one.response.status === 503 && /^[1-9]\d*$/.test(header(one.response, 'Retry-After') ?? ''))
        );
      });
      const slowest = Math.max(...during.map(({ tookMs }) => tookMs));
      say(`${engine}: ${during.length} requests put off or served, the slowest in ${Math.round(slowest)} ms`);
      expect(bad.map(describeBad).slice(0, 10)).toEqual([]);
      expect(during.filter((one) => !isServed(one)).length, 'requests put off').toBeGreaterThan(0);
    });

    test('requests that do not need it are served as usual', () => {
      const [before, meanwhile, busy] = [usual, besides, elsewhere].map(p99).map(Math.round) as [
        number,
        number,
        number,
      ];
      say(`${engine}: others' p99 ${before} ms before, ${meanwhile} ms meanwhile, ${busy} ms elsewhere`);
      expect(
        besides
          .filter((one) => !isServed(one))
          .map(describeBad)
          .slice(0, 10),
      ).toEqual([]);
      expect(meanwhile).toBeLessThan(2 * Math.max(before, busy) + noiseMs);
    });

    test(`everything is served again within ${backWithinMs / 1000} s, by the same processes`, async () => {
      say(`${engine}: back after ${Math.round(backMs)} ms`);
      expect(backMs).toBeLessThan(backWithinMs);
      const secrets = new Map([
        ['an API key', client.account.apiKey],
        ['a link', linkToken],
      ]);
      expect(await judgeConduct(world.conducts, { memoryMiB, secrets })).toEqual([]);
    });
  });
}

function say(line: string): void {
  process.stdout.write(`outage: ${line}\n`);
}
