// Against a stand-in: neither Vault nor OpenBao can be run where Waybill is tested.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { keyProviderContract } from '../../../test/contracts/key-provider-contract.ts';
import { carryOutRemedy, collectFindings, expectTrouble, readRemedy } from '../../../test/findings.ts';
import { openTransit } from '../../../test/servers/vault.ts';
import { examineVault } from './examine.ts';
import { vaultKeyProvider } from './key-provider.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-vault-'));
const closing: AsyncDisposable[] = [];
afterAll(async () => {
  for (const each of closing) await each[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const dataKey = Buffer.alloc(32, 9);

async function open() {
  const vault = await openTransit();
  closing.push(vault);
  const tokenFile = join(folder, randomUUID());
  writeFileSync(tokenFile, `${vault.token}\n`, { mode: 0o640 });
  const options = { keyUrl: vault.keyUrl, tokenFile, timeoutMs: 300 };
  return { vault, options, tokenFile, keys: vaultKeyProvider(options) };
}

keyProviderContract('Transit', async () => {
  const { vault, keys } = await open();
  return {
    keys,
    async rotate() {
      vault.rotate();
      return keys;
    },
  };
});

test('a request is repeated while Vault is sealed, broken or silent, and then abandoned', async () => {
  const { vault, keys } = await open();
  for (const [first, second] of [
    [503, 500],
    [429, 'silence'],
  ] as const) {
    vault.fail(first, 1);
    vault.fail(second, 1);
    expect((await keys.wrap(dataKey, 'file')).version).toBe(1);
    vault.fail(first, 2);
    vault.fail(second, 1);
    await expect(keys.wrap(dataKey, 'file')).rejects.toMatchObject({ code: 'unavailable' });
  }
});

test('a token that is refused makes the keys unavailable, and a new one in the file is used at once', async () => {
  const { vault, keys, tokenFile } = await open();
  const { wrapped, version } = await keys.wrap(dataKey, 'file');
  vault.setToken('hvs.renewed');
  const refused = keys.unwrap(wrapped, version, 'file');
  await expect(refused).rejects.toMatchObject({
    code: 'unavailable',
    cause: { message: expect.stringContaining('403') },
  });
  await refused.catch((error: Error) => expect(`${error.stack} ${String(error.cause)}`).not.toContain('hvs.'));
  writeFileSync(tokenFile, 'hvs.renewed');
  expect(await keys.unwrap(wrapped, version, 'file')).toEqual(dataKey);
});

test('the doctor finds everything in order', async () => {
  const { options } = await open();
  expect(await collectFindings(examineVault(options))).toMatchObject([{ status: 'ok', check: 'keys.vault' }]);
});

test.each<[string, (opened: Awaited<ReturnType<typeof open>>) => object | void]>([
  ['Vault that does not run', () => ({ keyUrl: 'http://127.0.0.1:9/v1/transit/keys/waybill' })],
  ['Vault that is sealed', ({ vault }) => vault.fail(503, 3)],
  ['a key that does not exist', ({ options }) => ({ keyUrl: options.keyUrl.replace(/waybill$/, 'another') })],
  ['an engine that is not mounted', ({ options }) => ({ keyUrl: options.keyUrl.replace('transit', 'elsewhere') })],
  ['a token without permission', ({ vault }) => vault.setToken('hvs.other')],
  ['a token file that is missing', () => ({ tokenFile: join(folder, 'missing') })],
  ['a token file that everyone can read', ({ tokenFile }) => chmodSync(tokenFile, 0o644)],
])('the doctor names %s', async (_what, break_) => {
  const opened = await open();
  await expectTrouble(examineVault({ ...opened.options, ...break_(opened) }), 'fault keys.vault');
});

test('the address of a key that exists helps, as the remedy says', async () => {
  const { options } = await open();
  let keyUrl = options.keyUrl.replace(/waybill$/, 'another');
  await carryOutRemedy(
    'keys.vault',
    () => examineVault({ ...options, keyUrl }),
    (remedy) => {
      readRemedy(remedy, /(Its address is in WAYBILL_VAULT_KEY)/);
      keyUrl = options.keyUrl;
    },
  );
});

test('the doctor warns of an address of another machine without TLS', async () => {
  const { options } = await open();
  const elsewhere = 'http://vault.invalid:8200/v1/transit/keys/waybill';
  const examination = examineVault({ ...options, keyUrl: elsewhere });
  await expectTrouble(examination, 'warning keys.vault.address', 'fault keys.vault');
  await expectTrouble(examineVault({ ...options, keyUrl: elsewhere.replace('http:', 'https:') }), 'fault keys.vault');
});
