import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { keyfileProvider } from '../../engines/keyfile/key-provider.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { KeyProvider } from '../ports/key-provider.ts';
import { checkKeys } from './check-master-keys.ts';
import { DayKeys } from './day-keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyfile-'));
const exchange = await useTestExchange();
afterAll(() => rmSync(folder, { recursive: true }));

/** A key file in which the known version has a different key. */
function wrongKeys(version = 1) {
  const path = join(folder, randomUUID());
  writeFileSync(path, `${version}:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
  return keyfileProvider(path, exchange.engines.random);
}
const objects = memoryObjectStore();
function checked(masterKeys: KeyProvider) {
  const { store, random } = exchange.engines;
  return checkKeys({ store, masterKeys, dayKeys: new DayKeys({ store, objects, masterKeys, random }) });
}
test('keys that do not open a day key are named; one that is lost or out of reach says nothing about them', async () => {
  const { store, random, masterKeys } = exchange.engines;
  await new DayKeys({ store, objects, masterKeys, random }).wrap(randomBytes(32), 'a file', null);
  await checked(masterKeys);
  await expect(checked(wrongKeys())).rejects.toThrow('The master key of version 1 does not open what is stored.');
  const away = { ...objects, read: () => Promise.reject(new ExchangeError('unavailable')) };
  const outOfReach = new DayKeys({ store, objects: away, masterKeys, random });
  await checkKeys({ store, masterKeys, dayKeys: outOfReach }, AbortSignal.timeout(10_000));
  await expect(checkKeys({ store, masterKeys, dayKeys: outOfReach })).rejects.toThrow(ExchangeError);
  objects.objects.clear();
  await checked(wrongKeys());
});
