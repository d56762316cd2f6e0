import { expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { engineAddresses } from '../../testing/engine-addresses.ts';
import { collectFindings, expectTrouble } from '../../testing/findings.ts';
import { examineSms } from './examine.ts';

const working = { ...engineAddresses.sms, from: 'Waybill', timeoutMs: 2_000 };

test('a gateway that accepts us sends nothing', async () => {
  const findings = await collectFindings(examineSms(working));
  expect(findings.map(({ status, check }) => `${status} ${check}`)).toEqual(['ok sms.login']);
});

test('stopped', async () => {
  const address = `http://127.0.0.1:${await closedPort()}/cgi-bin/sendsms`;
  await expectTrouble(examineSms({ ...working, address }), 'fault sms.reachable');
});

test('silent', async () => {
  await using peer = await startPeer(() => undefined);
  const address = `http://127.0.0.1:${peer.port}/cgi-bin/sendsms`;
  await expectTrouble(examineSms({ ...working, address, timeoutMs: 100 }), 'fault sms.reachable');
});

test('a wrong password', async () => {
  await expectTrouble(examineSms({ ...working, password: 'wrong' }), 'fault sms.login');
});

test('a wrong path', async () => {
  const address = working.address.replace('sendsms', 'sendmms');
  await expectTrouble(examineSms({ ...working, address }), 'fault sms.reachable');
});
