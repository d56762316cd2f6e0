// One account, many processes: no one's files or receivers get into another's drop.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Waybill } from '../../client/src/index.ts';
import { createAccount, uniqueAddress } from '../lib/accounts.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { ended } from './command.ts';
import type { Orders } from './sender.ts';

const processes = 10;
const sendsOfEach = 20;
const senderPath = fileURLToPath(new URL('sender.ts', import.meta.url));

function makeOrders(account: { user: string; apiKey: string }, process_: number): Orders {
  const sends = Array.from({ length: sendsOfEach }, (_, send) => ({
    message: `${process_}-${send}`,
    files: Array.from({ length: 1 + (send % 3) }, (_unused, file) => ({
      name: `file-${file}.txt`, // the same names everywhere: only drafts keep them apart
      content: `${process_}-${send}-${file} ${randomUUID()}`,
    })),
    to: Array.from({ length: 1 + (send % 2) }, () => uniqueAddress(`receiver-${process_}-${send}`)),
  }));
  return { baseUrl: demo().base_url, user: account.user, apiKey: account.apiKey, sends };
}

test('200 sends of ten processes make 200 drops, each with its own files and receivers', {
  timeout: 300_000,
}, async () => {
  const account = await createAccount('shared');
  const orders = Array.from({ length: processes }, (_, index) => makeOrders(account, index));
  const results = await Promise.all(
    orders.map((order) => ended(spawn(process.execPath, [senderPath, JSON.stringify(order)]))),
  );
  expect(results.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
    orders.map(() => ({ exitCode: 0, stderr: '' })),
  );
  const client = new Waybill({ baseUrl: demo().base_url, ...account });
  const made: unknown[] = [];
  for await (const { id } of client.drops.list()) {
    const { message, files, receivers } = await client.drops.get(id);
    made.push({ message, files: files.map(({ name }) => name).toSorted(), to: receivers.map(({ email }) => email) });
  }
  const wanted = orders.flatMap(({ sends }) =>
    sends.map(({ message, files, to }) => ({ message, files: files.map(({ name }) => name), to })),
  );
  const byMessage = (a: unknown, b: unknown) => JSON.stringify(a).localeCompare(JSON.stringify(b));
  expect(made.toSorted(byMessage)).toEqual(wanted.toSorted(byMessage));
  client.close();
});
