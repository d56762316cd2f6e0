// Redis holds nothing permanent: if it is flushed, killed or silent, a client only needs a new token and a moment.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uniqueAddress } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { assertErrorResponse, assertStatus } from '../lib/http/expect.ts';
import { TcpProxy } from '../lib/http/tcp-proxy.ts';
import { introduce, stage } from '../lib/scenario.ts';
import { OwnRedis } from '../lib/servers/own-engines.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { stopwatch } from '../lib/stopwatch.ts';
import { eventually } from '../lib/wait.ts';

const momentMs = 3_000;
let redis: OwnRedis;
let way: TcpProxy;
let exchange: OwnExchange;
let client: Client;

beforeAll(async () => {
  redis = await OwnRedis.start();
  way = await TcpProxy.before(redis.endpoint);
  exchange = await ownExchange({ settings: { WAYBILL_REDIS_URL: way.through(redis.url) } });
  client = (await exchange.client('lost')).impatient();
});
afterAll(async () => {
  await exchange[Symbol.asyncDispose]();
  await way[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

const losses: Record<string, () => Promise<void>> = {
  flushed: () => redis.flush(),
  'killed, and started': async () => {
    await redis.kill();
    await redis.start();
  },
};
for (const [how, lose] of Object.entries(losses)) {
  test(`${how}: the token is refused, a new one works, and staged files are still there`, async () => {
    const receiver = uniqueAddress('receiver');
    const draft = client.inDraft(how.slice(0, 6));
    await introduce(client, [receiver]);
    await stage(draft, { to: [receiver], files: [{ name: 'kept.txt', content: 'kept' }] });
    await lose();
    const refused = await eventually('Redis is asked again', async () => {
      const response = await draft.files();
      return response.status === 503 ? undefined : response;
    });
    assertErrorResponse(refused, 403, 'csrf_rejected');
    draft.discardToken();
    expect((await draft.readFiles()).map(({ name }) => name)).toEqual(['kept.txt']);
    assertStatus(await draft.createDrop({ ddmessage: how }), 'ok');
    client.discardToken();
  });
}

for (const fault of ['swallow', 'freeze', 'refuse'] as const) {
  test(`${fault}: no request waits for long, and the same token works afterwards`, async () => {
    expect((await client.contacts()).status).toBe(200);
    way.fault = fault;
    try {
      const elapsed = stopwatch();
      assertErrorResponse(await client.contacts(), 503, 'unavailable');
      expect(elapsed()).toBeLessThan(momentMs);
    } finally {
      way.fault = 'pass';
    }
    await eventually('it gets a response', async () => (await client.contacts()).status === 200 || undefined);
  });
}
