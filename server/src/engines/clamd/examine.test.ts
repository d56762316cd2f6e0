import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { carryOutRemedy, collectFindings, expectTrouble, readRemedy } from '../../../test/findings.ts';
import { type OwnClamd, startClamd } from '../../../test/servers/own-clamd.ts';
import { examineClamd } from './examine.ts';

const maxBytes = 2 * 1024 ** 2;
/** The development clamd has only the signature of the test virus. */
const noDate = 'warning clamd.signatures';

test('a clamd that is set up well scans, finds and reports what it should', async () => {
  const findings = await collectFindings(examineClamd({ address: engineAddresses.clamd, maxBytes }));
  expect(findings.filter(({ status }) => status === 'ok').map(({ check }) => check)).toEqual([
    'clamd.reachable',
    'clamd.detection',
    'clamd.size',
    'clamd.encrypted',
  ]);
});

test('stopped', async () => {
  const address = `127.0.0.1:${await closedPort()}`;
  await expectTrouble(examineClamd({ address, maxBytes }), 'fault clamd.reachable');
});

test('no socket', async () => {
  await expectTrouble(examineClamd({ address: '/run/no-such-socket', maxBytes }), 'fault clamd.reachable');
});

test('silent', async () => {
  await using peer = await startPeer(() => undefined);
  await expectTrouble(examineClamd({ address: `127.0.0.1:${peer.port}`, maxBytes }), 'fault clamd.reachable');
});

test.each([
  ['accepts less than we promise to scan', ['StreamMaxLength 1M'], 'fault clamd.size'],
  ['inspects less than we promise to scan', ['MaxScanSize 1M', 'MaxFileSize 1M'], 'fault clamd.size'],
  ['passes what it cannot read', ['AlertEncrypted no'], 'warning clamd.encrypted'],
])('a clamd that %s', async (_what, settings, expected) => {
  await using clamd = await startClamd(...settings);
  await expectTrouble(examineClamd({ address: clamd.address, maxBytes }), noDate, expected);
});

test('the settings that the remedies name help', async () => {
  let address = `127.0.0.1:${await closedPort()}`;
  const examine = () => examineClamd({ address, maxBytes });
  await carryOutRemedy(
    'clamd.reachable',
    examine,
    (remedy) => {
      readRemedy(remedy, /(or correct WAYBILL_CLAMD)/);
      address = engineAddresses.clamd;
    },
    'clamd.signatures',
  );
  await using small = await startClamd('StreamMaxLength 1M', 'MaxScanSize 1M', 'MaxFileSize 1M');
  ({ address } = small);
  let raised: OwnClamd | undefined;
  const raise = async (remedy: string) => {
    const names = readRemedy(remedy, /Raise (.+) in clamd\.conf/).match(/\w+Max\w*|Max\w+/g) ?? [];
    raised = await startClamd(...names.map((name) => `${name} ${maxBytes}`));
    ({ address } = raised);
  };
  await carryOutRemedy('clamd.size', examine, raise, 'clamd.signatures');
  await raised?.[Symbol.asyncDispose]();
  await using trusting = await startClamd('AlertEncrypted no');
  ({ address } = trusting);
  let wary: OwnClamd | undefined;
  const report = async (remedy: string) => {
    wary = await startClamd(readRemedy(remedy, /Set (\w+ yes) in clamd\.conf/));
    ({ address } = wary);
  };
  await carryOutRemedy('clamd.encrypted', examine, report, 'clamd.signatures');
  await wary?.[Symbol.asyncDispose]();
});

/** Says how old its signatures are, as a clamd with official ones does, and finds nothing. */
const oldClamd = (version: string) =>
  startPeer((socket) => {
    let sent = 0;
    socket.on('data', (bytes: Buffer) => {
      sent += bytes.length;
      if (bytes.includes('zVERSION')) socket.end(`${version}\0`);
      else if (bytes.includes('zPING')) socket.end('PONG\0');
      else if (bytes.subarray(-4).equals(Buffer.alloc(4)) && sent > 4) socket.end('stream: OK\0');
    });
  });

test.each([
  ['a day', '2026-11-15T12:00:00Z', []],
  ['four days', '2026-11-18T12:00:00Z', ['warning clamd.signatures']],
  ['a month', '2026-12-14T12:00:00Z', ['fault clamd.signatures']],
])('signatures that are %s old, and do not find the test virus', async (_age, now, expected) => {
  await using clamd = await oldClamd('ClamAV 1.4.3/27823/Sat Nov 14 08:33:00 2026');
  const examination = { address: `127.0.0.1:${clamd.port}`, maxBytes: 1024, now: () => Date.parse(now) };
  const others = ['fault clamd.detection', 'warning clamd.encrypted'];
  await expectTrouble(examineClamd(examination), ...expected, ...others);
});

test('the remedies name the commands of the guide, which Debian’s units understand', async () => {
  const guide = readFileSync(new URL('../../../../docs/install.md', import.meta.url), 'utf8');
  await using old = await oldClamd('ClamAV 1.4.3/27823/Sat Nov 14 08:33:00 2026');
  const addresses = [`127.0.0.1:${await closedPort()}`, `127.0.0.1:${old.port}`];
  const examined = await Promise.all(
    addresses.map((address) =>
      collectFindings(examineClamd({ address, maxBytes: 1024, now: () => Number.MAX_SAFE_INTEGER })),
    ),
  );
  const remedies = new Map(examined.flat().flatMap(({ check, remedy }) => (remedy ? [[check, remedy]] : [])));
  for (const check of ['clamd.reachable', 'clamd.signatures', 'clamd.detection']) {
    const commands = [...(remedies.get(check) ?? '').matchAll(/`(\w+ctl [^`]+)`/g)].map(([, command]) => command ?? '');
    expect(commands.length, check).toBeGreaterThan(1);
    expect(commands.filter((command) => !guide.includes(command))).toEqual([]);
  }
});

test.each(['ClamAV 0.103.12', 'ClamAV 1.3.2', 'ClamAV'])('%s, which is old or does not say', async (program) => {
  await using clamd = await oldClamd(`${program}/27823/Sat Nov 14 08:33:00 2026`);
  const now = () => Date.parse('2026-11-15T12:00:00Z');
  const findings = await collectFindings(examineClamd({ address: `127.0.0.1:${clamd.port}`, maxBytes: 1024, now }));
  expect(findings).toContainEqual(expect.objectContaining({ status: 'warning', check: 'clamd.version' }));
});
