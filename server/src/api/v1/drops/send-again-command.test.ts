// `waybill send --again` and the SDK's `sendAgain`, the real command against the real server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { run } from '../../../../../client/src/command/run.ts';
import { Waybill } from '../../../../../client/src/index.ts';
import { fakeTerminal } from '../../../../../client/src/testing/fake-terminal.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { toReference } from '../../../domain/reference.ts';

const { exchange, app } = await useTestServer();
const url = await app.listen({ port: 0, host: '127.0.0.1' });
const folder = mkdtempSync(join(tmpdir(), 'waybill-again-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Account = Awaited<ReturnType<typeof exchange.account>>;

async function waybill(account: Account, ...words: string[]) {
  const environment = { WAYBILL_URL: url, WAYBILL_USER: account.email, WAYBILL_API_KEY: account.apiKey };
  const terminal = fakeTerminal(folder, environment);
  const exit = await run(terminal, words, new AbortController().signal, '1.2.3');
  return { exit, printed: terminal.output.text, errors: terminal.errors.text };
}

test('a delivery is sent again by its reference, once for each key', async () => {
  const account = await exchange.account('anna@example.org');
  const dropId = await exchange.drop(account, ['anna@example.org'], ['a.txt', 'b.txt']);
  const again = ['send', '--again', toReference(dropId), '--to', 'bo@example.org', '--title', 'The plans'];
  const [first, second] = [
    await waybill(account, ...again, '--key', 'again', '--json'),
    await waybill(account, ...again, '--key', 'again', '--json'),
  ];
  expect([first.exit, first.errors]).toEqual([0, '']);
  const sent = JSON.parse(first.printed);
  expect(sent).toMatchObject({ status: 'sent', files: 2, again: toReference(dropId), to: ['bo@example.org'] });
  expect(JSON.parse(second.printed).id).toBe(sent.id);
  const client = new Waybill({ baseUrl: url, user: account.email, apiKey: account.apiKey, plainHttp: true });
  const drop = await client.drops.get(sent.id);
  expect(drop).toMatchObject({ title: 'The plans', receivers: [{ email: 'bo@example.org' }] });
  expect(drop.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
  const file = { ...(drop.files[1] as NonNullable<(typeof drop.files)[1]>), drop: drop.id };
  await client.downloadToFile(file, join(folder, 'b.txt'));
  client.close();
});

test('what has ended, or has no files, is refused with the next step', async () => {
  const account = await exchange.account('anna@example.org');
  const dropId = await exchange.drop(account, ['anna@example.org'], ['a.txt']);
  await exchange.expire(dropId);
  const ended = await waybill(account, 'send', '--again', dropId, '--to', 'bo@example.org');
  expect(ended.exit).not.toBe(0);
  expect(ended.errors).toContain('Send the files again');
  for (const words of [
    ['send', '--to', 'bo@example.org'],
    ['send', 'a.txt', '--again', dropId, '--to', 'bo@example.org'],
  ]) {
    const { exit, errors } = await waybill(account, ...words);
    expect([exit, errors.includes('--again')]).toEqual([2, true]);
  }
});
