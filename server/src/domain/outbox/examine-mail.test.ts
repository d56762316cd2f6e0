import { expect, test } from 'vitest';
import { startScriptedSmtp } from '../../../../tools/shared/scripted-smtp.ts';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { carryOutRemedy, collectFindings, expectTrouble, readRemedy } from '../../../test/findings.ts';
import { startDns } from '../../../test/servers/dns-server.ts';
import { dnsRecords } from '../../engines/dns/records.ts';
import { probeMailServer } from '../../engines/smtp/probe.ts';
import { examineMail } from './test-mail.ts';

const good = {
  'example.org': { TXT: ['v=spf1 mx -all'], MX: ['10 mx.example.org'] },
  'mail._domainkey.example.org': { TXT: ['v=DKIM1; p=abc'] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=none'] },
};
const domains = { from: 'waybill@example.org', bounces: 'bounces@example.org' };

async function* examine(url: string, records: Parameters<typeof startDns>[0]) {
  await using dns = await startDns(records);
  yield* examineMail(() => probeMailServer(url), dnsRecords({ server: dns.address }), domains);
}

test('a mail server that accepts us, and records that say so', async () => {
  await using smtp = await startScriptedSmtp();
  const findings = await collectFindings(examine(smtp.url, good));
  expect(findings.map(({ status, check }) => `${status} ${check}`)).toEqual([
    'ok mail.connection',
    'ok mail.encryption',
    'ok mail.login',
    'ok mail.spf',
    // Without the selector, only the existence of keys can be seen.
    'skipped mail.dkim',
    'ok mail.dmarc',
    'ok mail.bounces',
  ]);
});

test('stopped', async () => {
  const url = `smtp://127.0.0.1:${await closedPort()}`;
  await expectTrouble(examine(url, good), 'fault mail.connection');
});

test('a certificate that is not accepted', async () => {
  let url = engineAddresses.smtp;
  await carryOutRemedy(
    'mail.connection',
    () => examine(url, good),
    (remedy) => (url += readRemedy(remedy, /Add (\S+) to WAYBILL_SMTP_URL/)),
  );
});

test('a password that is refused', async () => {
  await using smtp = await startScriptedSmtp({ AUTH: '535 5.7.8 no' });
  await using other = await startScriptedSmtp();
  let { url } = smtp;
  await carryOutRemedy(
    'mail.login',
    () => examine(url, good),
    (remedy) => {
      readRemedy(remedy, /(Check the user name and the password in WAYBILL_SMTP_URL)/);
      ({ url } = other);
    },
  );
});

test('the records that the remedies name help', async () => {
  await using smtp = await startScriptedSmtp();
  let records: Record<string, Record<string, string[]>> = good;
  const look = () => examine(smtp.url, records);
  const publish = (remedy: string) => {
    const [, type = '', domain = ''] = /Publish an? (TXT|MX) record at (\S+?)[ ;]/.exec(remedy) ?? [];
    const value = type === 'MX' ? '10 mx.example.org' : readRemedy(remedy, /"([^"]+)"/);
    records = { ...records, [domain]: { ...records[domain], [type]: [value] } };
  };
  records = { ...good, 'example.org': { MX: ['10 mx.example.org'] } };
  await carryOutRemedy('mail.spf', look, publish);
  records = { ...good, '_dmarc.example.org': {} };
  await carryOutRemedy('mail.dmarc', look, publish);
  records = { ...good, 'example.org': { TXT: ['v=spf1 mx -all'] } };
  await carryOutRemedy('mail.bounces', look, publish);
});

test.each<[what: string, records: Parameters<typeof startDns>[0], expected: string]>([
  ['no SPF record', { ...good, 'example.org': { MX: ['10 mx.example.org'] } }, 'warning mail.spf'],
  [
    'two SPF records',
    { ...good, 'example.org': { TXT: ['v=spf1 mx -all', 'v=spf1 -all'], MX: ['10 mx.example.org'] } },
    'fault mail.spf',
  ],
  ['no DMARC record', { ...good, '_dmarc.example.org': {} }, 'warning mail.dmarc'],
  ['no server for returned mails', { ...good, 'example.org': { TXT: ['v=spf1 mx -all'] } }, 'warning mail.bounces'],
])('%s', async (_what, records, expected) => {
  await using smtp = await startScriptedSmtp();
  await expectTrouble(examine(smtp.url, records), expected);
});
