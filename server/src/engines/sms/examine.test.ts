import { expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { carryOutRemedy, collectFindings, expectTrouble, readRemedy } from '../../../test/findings.ts';
import { examineSms } from './examine.ts';

const working = { ...engineAddresses.sms, from: 'Waybill', timeoutMs: 2_000 };

test('a gateway that accepts us sends nothing', async () => {
  const findings = await collectFindings(examineSms(working));
  expect(findings.map(({ status, check }) => `${status} ${check}`)).toEqual(['ok sms.login']);
});

test('stopped', async () => {
  const address = `http://127.0.0.1:${await closedPort()}/cgi-bin/sendsms`;
  let options = { ...working, address };
  await carryOutRemedy(
    'sms.reachable',
    () => examineSms(options),
    (remedy) => {
      readRemedy(remedy, /(or correct WAYBILL_SMS_URL)/);
      options = working;
    },
  );
});

test('silent', async () => {
  await using peer = await startPeer(() => undefined);
  const address = `http://127.0.0.1:${peer.port}/cgi-bin/sendsms`;
  await expectTrouble(examineSms({ ...working, address, timeoutMs: 100 }), 'fault sms.reachable');
});

test('a wrong password', async () => {
  let options = { ...working, password: 'wrong' };
  await carryOutRemedy(
    'sms.login',
    () => examineSms(options),
    (remedy) => {
      readRemedy(remedy, /(Correct the user and the password in WAYBILL_SMS_URL)/);
      options = { ...working, password: working.password };
    },
  );
});

test('a wrong path', async () => {
  const address = working.address.replace('sendsms', 'sendmms');
  await expectTrouble(examineSms({ ...working, address }), 'fault sms.reachable');
});
