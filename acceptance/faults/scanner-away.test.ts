// The virus scanner is unreachable: the policy decides, and "not scanned" is never reported as clean.
import { expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { assertErrorResponse, assertJson, assertStatus } from '../lib/http/expect.ts';
import { deliver } from '../lib/scenario.ts';
import { clamdThatIsAway, type OwnServe, ownServe } from '../lib/servers/own-serve.ts';

async function serving(policy: string, work: (serve: OwnServe) => Promise<void>): Promise<void> {
  const serve = await ownServe({ WAYBILL_SCAN: policy, WAYBILL_CLAMD: await clamdThatIsAway() });
  try {
    await work(serve);
  } finally {
    await serve.stop();
  }
}

const isTimeOut = (reason: unknown) => String(reason).startsWith('no response within');

test('policy required: an upload gets 503, nothing of it is kept, and the log names clamd', async () => {
  await serving('required', async ({ baseUrl, said }) => {
    const client = (await freshClient('required', { baseUrl })).impatient();
    assertErrorResponse(await client.upload({ name: 'a.txt', content: 'a' }), 503, 'unavailable');
    assertJson(await client.files(), []);
    // Everything else continues.
    assertStatus(await client.addContacts([{ email: 'ann@example.org' }]), 'ok');
    const trouble = said
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
      // A busy machine makes engines slow, up to no response in time.
      .filter(({ level, msg, reason }) => Number(level) > 30 && msg !== 'an engine is slow' && !isTimeOut(reason));
    const named = {
      engine: 'clamd',
      address: expect.stringMatching(/./),
      reason: expect.stringMatching(/ENOENT|ECONNREFUSED/),
    };
    expect(trouble).toContainEqual(expect.objectContaining({ ...named, msg: 'a request could not be served' }));
    for (const line of trouble) {
      expect(line).toMatchObject(named);
      expect(line).not.toHaveProperty('err');
    }
  });
});

test('policy best-effort: an upload is accepted, and the file is marked as not scanned wherever it is listed', async () => {
  await serving('best-effort', async ({ baseUrl }) => {
    const [sender, receiver] = [await freshClient('sender', { baseUrl }), await freshClient('receiver', { baseUrl })];
    const entry = await deliver(sender, receiver, [{ name: 'a.txt', content: 'a' }]);
    const marks = (files: { settings: string }[]) => files.map(({ settings }) => JSON.parse(settings) as unknown);
    expect(marks(entry.files)).toEqual([['unscanned']]);
    expect(marks((await sender.readHistory()).history[0]?.files ?? [])).toEqual([['unscanned']]);
    expect((await receiver.download(entry.url, 'a.txt')).body.toString()).toBe('a');
  });
});

test('policy off: an upload is accepted, and not marked as scanned', async () => {
  await serving('off', async ({ baseUrl }) => {
    const [sender, receiver] = [await freshClient('sender', { baseUrl }), await freshClient('receiver', { baseUrl })];
    const entry = await deliver(sender, receiver, [{ name: 'a.txt', content: 'a' }]);
    expect(entry.files.map(({ settings }) => JSON.parse(settings) as unknown)).toEqual([['unscanned']]);
  });
});
