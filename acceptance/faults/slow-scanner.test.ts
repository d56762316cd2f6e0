// A clamd that takes long for one file: that upload takes as long, and no other one does.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoEnvironment } from '../../tools/demo/environment.ts';
import { type SlowClamd, slowToScan, startSlowClamd } from '../../tools/shared/slow-clamd.ts';
import { uniqueAddress } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { inboxFrom } from '../lib/people/contact.ts';
import { ContactUploader } from '../lib/people/contact-uploader.ts';
import { linkTokens, waitForMail } from '../lib/people/mailbox.ts';
import { introduce } from '../lib/scenario.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { eventually } from '../lib/wait.ts';

const scanMs = fullSize ? 90_000 : 35_000;
const timeout = 300_000;

let clamd: SlowClamd;
let exchange: OwnExchange;
beforeAll(async () => {
  clamd = await startSlowClamd(demoEnvironment()['WAYBILL_CLAMD'] ?? '', scanMs);
  exchange = await ownExchange({ settings: { WAYBILL_SCAN: 'required', WAYBILL_CLAMD: clamd.address } });
});
afterAll(async () => {
  await exchange[Symbol.asyncDispose]();
  await clamd[Symbol.asyncDispose]();
});

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const stopwatch = () => {
  const began = performance.now();
  return () => performance.now() - began;
};

describe.concurrent('beside a slow scan', () => {
  test('an upload that takes long to scan succeeds, and others are not held up', { timeout }, async () => {
    const client = await exchange.client('patient');
    const elapsed = stopwatch();
    const slow = client
      .upload({ name: 'slow.bin', content: slowToScan })
      .then((response) => ({ response, ms: elapsed() }));
    const other = client.inDraft('other');
    for (let count = 0; count < 20; count++) succeeded(await other.upload({ name: `${count}.txt`, content: 'quick' }));
    const quickMs = elapsed();
    const { response, ms } = await slow;
    succeeded(response);
    process.stdout.write(`slow scan: 20 uploads in ${inSeconds(quickMs)} beside one of ${inSeconds(ms)}\n`);
    expect(ms).toBeGreaterThanOrEqual(scanMs);
    expect(quickMs).toBeLessThan(scanMs);
    expect((await client.readFiles()).map(({ name }) => name)).toEqual(['slow.bin']);
  });

  test("a contact's upload that takes long to scan can be sent, and another contact's is not held up", {
    timeout,
  }, async () => {
    const client = await exchange.client('asking');
    const contacts = [uniqueAddress('slow'), uniqueAddress('quick')];
    await introduce(client, contacts);
    succeeded(await client.setReceivers(contacts.map((email) => ({ email }))));
    succeeded(await client.giveDrop({}));
    await exchange.work();
    const [slow = '', quick = ''] = contacts;
    const elapsed = stopwatch();
    const slowMs = uploadAndSend(slow, slowToScan).then(elapsed);
    await uploadAndSend(quick, 'quick');
    const quickMs = elapsed();
    process.stdout.write(`slow scan: a contact's in ${inSeconds(await slowMs)}, another's in ${inSeconds(quickMs)}\n`);
    expect(await slowMs).toBeGreaterThanOrEqual(scanMs);
    expect(quickMs).toBeLessThan(scanMs);
    expect(await contentFrom(client, slow)).toBe(slowToScan);
    expect(await contentFrom(client, quick)).toBe('quick');
  });
});

async function uploadAndSend(contact: string, content: string): Promise<void> {
  const { baseUrl } = exchange;
  const [token = ''] = linkTokens(await waitForMail(contact), 'u');
  const uploader = await ContactUploader.open(baseUrl, token);
  const upload = await uploader.announce(baseUrl, 'a.bin', content.length);
  expect((await uploader.continue(baseUrl, upload, Buffer.from(content))).status).toBe(204);
  await eventually('it is scanned and sent', async () => (await uploader.send(baseUrl)).status === 200 || undefined, {
    withinMs: 2 * scanMs,
  });
}

async function contentFrom(client: Client, contact: string): Promise<string> {
  const [entry] = await inboxFrom(client, contact);
  return (await client.download(entry?.url ?? '', 'a.bin')).body.toString();
}
