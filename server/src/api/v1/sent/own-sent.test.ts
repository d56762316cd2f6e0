// A key that may send, but not read the history, reads what it sent itself, and nothing else.
import { randomUUID } from 'node:crypto';
import type { Scope } from '@waybill/protocol/v1';
import { describe, expect, test } from 'vitest';
import { readyUpload } from '../../../../test/account-uploads.ts';
import { requestV1 } from '../../../../test/request-v1.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import type { Actor } from '../../../domain/actor.ts';

const { exchange, app } = await useTestServer();

type Owner = Actor & { readonly apiKey: string };

async function createKey(creator: string, scopes: Scope[]): Promise<string> {
  const response = await requestV1(app, 'POST', '/keys', { key: creator, body: { name: scopes.join(' '), scopes } });
  expect(response.status, response.text).toBe(201);
  return response.json().api_key;
}

/** Sends a drop and a request with a key, and returns the paths of both. */
async function send(owner: Owner, key: string): Promise<string[]> {
  const receivers = [{ email: 'anna@example.org' }];
  const uploads = [await readyUpload(exchange, owner, 'a.txt')];
  const bodies = { '/drops': { uploads, receivers }, '/requests': { receivers } };
  const paths: string[] = [];
  for (const [path, body] of Object.entries(bodies)) {
    const response = await requestV1(app, 'POST', path, { key, body });
    expect(response.status, response.text).toBe(201);
    paths.push(`${path}/${response.json().id}`);
  }
  return paths;
}

async function readStatus(key: string, path: string) {
  const response = await requestV1(app, 'GET', path, { key });
  return [response.status, response.status === 200 ? undefined : response.json().code];
}

/** A receipt that the key may read; the log may not have its events yet. */
const found = [
  [200, undefined],
  [503, 'receipt_not_ready'],
];
const notFound = [[404, 'not_found']];
const refused = [[403, 'scope_missing']];

async function expectAll(key: string, paths: readonly string[], expected: readonly unknown[][]) {
  for (const path of paths) {
    for (const part of ['', '/receivers/0/receipt.json', '/receivers/0/receipt.pdf']) {
      expect(expected, `GET ${path}${part}`).toContainEqual(await readStatus(key, `${path}${part}`));
    }
  }
}

describe('a key with the scope send', () => {
  test('reads what it sent, its receivers and their receipts, and not what other keys sent', async () => {
    const owner = await exchange.account();
    const [first, second] = [await createKey(owner.apiKey, ['send']), await createKey(owner.apiKey, ['send'])];
    const [own, others, unrestricted] = [
      await send(owner, first),
      await send(owner, second),
      await send(owner, owner.apiKey),
    ];
    await expectAll(first, own, found);
    await expectAll(first, [...others, ...unrestricted], notFound);
    await expectAll(second, own, notFound);
    const [drop] = own;
    const { receivers, files } = (await requestV1(app, 'GET', String(drop), { key: first })).json();
    expect([receivers, files]).toMatchObject([[{ email: 'anna@example.org', state: 'waiting' }], [{ name: 'a.txt' }]]);
  });

  test('reads nothing that keys sent which it created, or which created it', async () => {
    const owner = await exchange.account();
    const parent = await createKey(owner.apiKey, ['send', 'keys']);
    const child = await createKey(parent, ['send']);
    await expectAll(parent, await send(owner, child), notFound);
    await expectAll(child, await send(owner, parent), notFound);
  });

  test('reads no lists, and nothing that does not exist or is of another type', async () => {
    const owner = await exchange.account();
    const key = await createKey(owner.apiKey, ['send']);
    const [drop, request] = (await send(owner, key)) as [string, string];
    for (const path of ['/drops', '/requests', '/events', '/receipts?reference=WB-0000-0000']) {
      expect(await readStatus(key, path)).toEqual([403, 'scope_missing']);
    }
    const swapped = [drop.replace('drops', 'requests'), request.replace('requests', 'drops')];
    await expectAll(key, [...swapped, `/drops/${randomUUID()}`], notFound);
  });
});

test('a key with another scope does not read what was sent, and one with history reads all of it', async () => {
  const owner = await exchange.account();
  const [sender, reader] = [await createKey(owner.apiKey, ['send']), await createKey(owner.apiKey, ['history'])];
  const paths = await send(owner, sender);
  for (const scope of ['receive', 'contacts', 'webhooks', 'keys'] as const) {
    await expectAll(await createKey(owner.apiKey, [scope]), paths, refused);
  }
  for (const key of [reader, owner.apiKey, await createKey(owner.apiKey, ['history', 'receive'])]) {
    await expectAll(key, paths, found);
  }
});

test('another account reads nothing, whatever its key allows', async () => {
  const [owner, other] = [await exchange.account(), await exchange.account()];
  const paths = await send(owner, await createKey(owner.apiKey, ['send']));
  for (const key of [
    other.apiKey,
    await createKey(other.apiKey, ['send']),
    await createKey(other.apiKey, ['history']),
  ]) {
    await expectAll(key, paths, notFound);
  }
});
