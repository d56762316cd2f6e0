import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SmtpStage, startScriptedSmtp } from '../../../../tools/shared/scripted-smtp.ts';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { testPolicy } from '../../../test/exchange.ts';
import { waitForMails } from '../../../test/mailbox.ts';
import { plainOperator } from '../../../test/plain-operator.ts';
import { startDns } from '../../../test/servers/dns-server.ts';
import { dnsRecords } from '../../engines/dns/records.ts';
import { smtpMailer } from '../../engines/smtp/mailer.ts';
import { probeMailServer } from '../../engines/smtp/probe.ts';
import { createMailTemplates } from '../../present/mails/mail-templates.ts';
import { createTranslators } from '../../present/texts/translator.ts';
import type { DnsRecords } from '../ports/mailer.ts';
import { findMailRecords } from './find-mail-records.ts';
import { ReturnPaths } from './return-paths.ts';
import { type MailCheck, type MailFinding, testMail } from './test-mail.ts';

const longKey = `v=DKIM1; k=rsa; p=${'A'.repeat(400)}`;
let server: Awaited<ReturnType<typeof startDns>>;
let dns: DnsRecords;
beforeAll(async () => {
  server = await startDns({
    'good.example': { TXT: ['something else', 'v=spf1 mx -all'], MX: ['20 mx2.good.example', '10 mx1.good.example'] },
    's1._domainkey.good.example': { TXT: [longKey] },
    'old._domainkey.good.example': { TXT: ['v=DKIM1; p='] },
    '_dmarc.good.example': { TXT: ['v=DMARC1; p=reject'] },
    'files.good.example': { A: ['192.0.2.1'] },
    'bare.example': { TXT: ['v=spf10 is something else'] },
    'twice.example': { TXT: ['v=spf1 mx -all', 'v=spf1 a -all'], MX: ['0 .'] },
  });
  dns = dnsRecords({ server: server.address, timeoutMs: 500 });
});
afterAll(() => server[Symbol.asyncDispose]());

const brief = (findings: readonly MailFinding[]) =>
  Object.fromEntries(findings.map(({ check, state }) => [check, state])) as Partial<Record<MailCheck, string>>;

describe('in DNS', () => {
  test('records that are as they should be', async () => {
    const domains = { from: 'w@good.example', bounces: 'bounces@good.example', dkimSelector: 's1' };
    const findings = await findMailRecords(dns, domains);
    expect(brief(findings)).toEqual({ SPF: 'ok', DKIM: 'ok', DMARC: 'ok', bounces: 'ok' });
    expect(findings.map(({ found }) => found)).toEqual([
      'good.example: v=spf1 mx -all',
      's1._domainkey.good.example has a key',
      '_dmarc.good.example: v=DMARC1; p=reject',
      'good.example is served by mx1.good.example, mx2.good.example',
    ]);
  });

  test.each<[string, Parameters<typeof findMailRecords>[1], ReturnType<typeof brief>]>([
    [
      'nothing at all',
      { from: 'w@none.example', bounces: undefined },
      { SPF: 'missing', DKIM: 'missing', DMARC: 'missing', bounces: 'missing' },
    ],
    [
      'a domain with other records',
      { from: 'w@bare.example', bounces: 'b@bare.example' },
      { SPF: 'missing', DKIM: 'missing', DMARC: 'missing', bounces: 'missing' },
    ],
    [
      'two SPF records, and a domain that takes no mail',
      { from: 'w@twice.example', bounces: 'b@twice.example' },
      { SPF: 'failed', DKIM: 'missing', DMARC: 'missing', bounces: 'missing' },
    ],
    [
      'keys whose names are not known',
      { from: 'w@good.example', bounces: undefined },
      { SPF: 'ok', DKIM: 'cannot tell', DMARC: 'ok', bounces: 'missing' },
    ],
    [
      'a key that is revoked',
      { from: 'w@good.example', bounces: undefined, dkimSelector: 'old' },
      { SPF: 'ok', DKIM: 'failed', DMARC: 'ok', bounces: 'missing' },
    ],
    [
      'a key that is not there',
      { from: 'w@good.example', bounces: undefined, dkimSelector: 's2' },
      { SPF: 'ok', DKIM: 'missing', DMARC: 'ok', bounces: 'missing' },
    ],
    [
      'a policy of the domain above, and mail to a host',
      { from: 'w@files.good.example', bounces: 'b@files.good.example' },
      { SPF: 'missing', DKIM: 'missing', DMARC: 'ok', bounces: 'ok' },
    ],
    [
      'a server that cannot say',
      { from: 'w@broken.example', bounces: 'b@broken.example' },
      { SPF: 'cannot tell', DKIM: 'missing', DMARC: 'missing', bounces: 'cannot tell' },
    ],
  ])('%s', async (_, domains, states) => {
    const findings = await findMailRecords(dns, domains);
    expect(brief(findings)).toEqual(states);
    for (const { state, advice } of findings) expect(advice === undefined).toBe(state === 'ok');
  });

  test('no response', async () => {
    const silent = dnsRecords({ server: `127.0.0.1:${await closedPort()}`, timeoutMs: 100 });
    const findings = await findMailRecords(silent, { from: 'w@good.example', bounces: 'b@good.example' });
    expect(new Set(findings.map(({ state }) => state))).toEqual(new Set(['cannot tell']));
  });
});

describe('of the mail server', () => {
  const to = `${randomUUID()}@receiver.test`;
  const tested = async (url: string) => {
    const mailer = smtpMailer({ url, connections: 1 });
    const engines = {
      mailer,
      probeMailServer: () => probeMailServer(url),
      mailTemplates: createMailTemplates(createTranslators({ fallback: 'en' }), plainOperator),
      policy: { ...testPolicy, mailFrom: 'waybill@good.example' },
      returnPaths: new ReturnPaths('bounces@good.example', randomBytes(32)),
      random: { bytes: randomBytes, uuid: () => randomUUID() },
    };
    try {
      return await testMail(engines, dns, to);
    } finally {
      mailer.close();
    }
  };

  test('one that takes mails, with TLS', async () => {
    const findings = await tested(`${engineAddresses.smtp}?tls.rejectUnauthorized=false`);
    expect(findings.slice(0, 4)).toEqual([
      { check: 'connection', state: 'ok', found: 'the mail server responds' },
      { check: 'encryption', state: 'ok', found: 'TLSv1.3' },
      { check: 'login', state: 'ok', found: 'WAYBILL_SMTP_URL has no user name' },
      { check: 'mail', state: 'ok', found: expect.stringMatching(/^250 2\.0\.0 Ok: queued as/) },
    ]);
    expect(findings.map(({ check }) => check).slice(4)).toEqual(['SPF', 'DKIM', 'DMARC', 'bounces']);
    const [mail] = await waitForMails(to);
    expect(mail).toMatchObject({ subject: 'Test message', from: { address: 'waybill@good.example' } });
    expect(mail?.headers.find(({ key }) => key === 'return-path')?.value).toMatch(
      /^<bounces\+[0-9a-f]{52}@good\.example>$/,
    );
  });

  test('one whose certificate is not trusted', async () => {
    const [connection, mail] = await tested(engineAddresses.smtp);
    expect([connection, mail]).toMatchObject([
      { check: 'connection', state: 'failed', found: expect.stringMatching(/certificate/) },
      { check: 'mail', state: 'cannot tell' },
    ]);
  });

  test('none', async () => {
    const findings = await tested(`smtp://127.0.0.1:${await closedPort()}`);
    expect(brief(findings)).toMatchObject({ connection: 'failed', mail: 'cannot tell', SPF: 'ok' });
    expect(findings[0]?.found).toContain('ECONNREFUSED');
  });

  test.each<[string, Partial<Record<SmtpStage, string>>, ReturnType<typeof brief>]>([
    [
      'one that takes a password, in plain text on this machine',
      {},
      { connection: 'ok', encryption: 'ok', login: 'ok', mail: 'ok' },
    ],
    [
      'one that refuses the password',
      { AUTH: '535 5.7.8 expired' },
      { connection: 'ok', encryption: 'ok', login: 'failed', mail: 'cannot tell' },
    ],
    ['one that refuses the recipient', { 'RCPT TO': '550 5.1.1 no such user' }, { login: 'ok', mail: 'failed' }],
    ['one that refuses the sender', { 'MAIL FROM': '553 5.7.1 not yours' }, { login: 'ok', mail: 'failed' }],
  ])('%s', async (_, replies, states) => {
    await using smtp = await startScriptedSmtp(replies);
    const findings = await tested(smtp.url);
    expect(brief(findings)).toMatchObject(states);
    expect(JSON.stringify(findings)).not.toContain('expired-password');
    expect(JSON.stringify(findings)).toContain(Object.values(replies)[0]?.slice(4) ?? 'took the user name');
  });
});
