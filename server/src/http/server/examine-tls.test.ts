import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { carryOutRemedy, collectFindings, expectTrouble, readRemedy } from '../../../test/findings.ts';
import { makeCertificate } from '../../../test/transports.ts';
import { examineTls } from './examine-tls.ts';

const good = makeCertificate('files.example.org', { days: 90 });
let folder: string;
const files = () => ({ certificate: join(folder, 'fullchain.pem'), key: join(folder, 'privkey.pem') });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-tls-'));
  store(good);
});
afterEach(() => rmSync(folder, { recursive: true }));

function store({ cert, key } = good): void {
  writeFileSync(files().certificate, cert);
  writeFileSync(files().key, key, { mode: 0o640 });
}
const examine = (publicUrl = 'https://files.example.org', days = 0) =>
  examineTls({ files: files(), publicUrl, now: () => Date.now() + days * 86_400_000 });

test('a certificate that can be served', async () => {
  const findings = await collectFindings(examine());
  expect(findings.map(({ status, check }) => `${status} ${check}`)).toEqual([
    'ok tls.files',
    'ok tls.validity',
    'ok tls.name',
  ]);
});

test.each<[what: string, damage: () => void]>([
  ['is missing', () => rmSync(files().certificate)],
  ['is none', () => writeFileSync(files().certificate, 'no certificate')],
  ['belongs to another key', () => writeFileSync(files().certificate, makeCertificate().cert)],
  ['has a key that everyone can read', () => chmodSync(files().key, 0o644)],
])('a certificate that %s', async (_what, damage) => {
  damage();
  await expectTrouble(examine(), 'fault tls.files');
});

test.each([
  ['soon', 80, 'warning tls.validity'],
  ['already', 100, 'fault tls.validity'],
])('a certificate that expires %s', async (_when, days, expected) => {
  await expectTrouble(examine(undefined, days), expected);
});

test.each(['https://other.example.org', 'https://192.0.2.1', 'https://[2001:db8::1]'])(
  'a certificate for another name than that of %s',
  async (publicUrl) => {
    await expectTrouble(examine(publicUrl), 'fault tls.name');
  },
);

test('another certificate helps, as the remedies say', async () => {
  store(makeCertificate('files.example.org', { days: 5 }));
  await carryOutRemedy('tls.validity', examine, (remedy) => {
    expect(remedy).toMatch(/^Renew it/);
    store(makeCertificate('files.example.org', { days: 90 }));
  });
  const elsewhere = () => examine('https://other.example.org');
  const install = (remedy: string) =>
    store(makeCertificate(readRemedy(remedy, /Install a certificate for (\S+),/), { days: 90 }));
  await carryOutRemedy('tls.name', elsewhere, install);
});
