import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyfileProvider } from '../../engines/keyfile/key-provider.ts';
import { openTestExchange, type TestExchange } from '../../testing/exchange.ts';
import type { KeyProvider } from '../ports/index.ts';
import { checkMasterKeys } from './check-master-keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyfile-'));
let exchange: TestExchange;
beforeAll(async () => {
  exchange = await openTestExchange();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await exchange[Symbol.asyncDispose]();
});

/** A key file in which the known version holds another key. */
function wrongKeys(version = 1) {
  const path = join(folder, randomUUID());
  writeFileSync(path, `${version}:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
  return keyfileProvider(path, exchange.engines.random);
}
const checked = (keys: KeyProvider) => checkMasterKeys({ store: exchange.engines.store, keys });
const samples = () => exchange.engines.store.sampleWrappedKeys();

test('keys that open what is stored pass, others are named, be it a drop or a file that was not sent yet', async () => {
  expect(await samples()).toEqual([]);
  await checked(wrongKeys());

  const sender = await exchange.account('receiver@example.org');
  await exchange.prepare(sender, ['receiver@example.org'], ['a.txt']);
  expect(await samples()).toHaveLength(1);
  await checked(exchange.engines.keys);
  await expect(checked(wrongKeys())).rejects.toThrow('The master key of version 1 does not open what is stored.');

  await exchange.drop(await exchange.account('receiver@example.org'), ['receiver@example.org'], ['b.txt']);
  expect(await samples()).toHaveLength(3);
  await checked(exchange.engines.keys);
  await expect(checked(wrongKeys(2))).rejects.toThrow(/version 1 .*WAYBILL_MASTER_KEY_FILE/);
});
