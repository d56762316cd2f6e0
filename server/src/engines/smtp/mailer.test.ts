import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { type SmtpStage, startScriptedSmtp } from '../../../../tools/shared/scripted-smtp.ts';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { exampleMail, mailerContract } from '../../../test/contracts/mailer-contract.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { waitForMails, waitForRawMails } from '../../../test/mailbox.ts';
import type { Mail } from '../../domain/ports/mailer.ts';
import { SendFailure } from '../../domain/ports/mailer.ts';
import { smtpMailer } from './mailer.ts';

const mailer = smtpMailer({ url: `${engineAddresses.smtp}?tls.rejectUnauthorized=false`, connections: 4 });
afterAll(() => mailer.close());

const mail = exampleMail;
const readHeaders = (message: { headers: { key: string; value: string }[] }, key: string) =>
  message.headers.filter((header) => header.key === key).map(({ value }) => value);

mailerContract('Postfix', mailer, async (address) =>
  (await waitForMails(address)).map(({ messageId = '', from, replyTo, to, subject = '', text = '', html = '' }) => ({
    messageId,
    from: from as Mail['from'],
    replyTo: replyTo?.[0]?.address ?? '',
    to: to?.[0]?.address ?? '',
    subject,
    // Mails end in an empty line.
    text: `${text.trimEnd()}\n`,
    html: `${html.trimEnd()}\n`,
  })),
);

describe('a mail', () => {
  test('has the logo as a part of its HTML, not as an attachment to be listed', async () => {
    const logo = Buffer.from('89504e470d0a1a0a', 'hex');
    const sent = mail({ html: '<!doctype html><img src="cid:logo@waybill" alt="">', logo });
    await mailer.send(sent);
    const [message] = await waitForMails(sent.to);
    expect(message?.attachments).toMatchObject([
      { contentId: '<logo@waybill>', mimeType: 'image/png', disposition: 'inline', related: true },
    ]);
    expect(Buffer.from(message?.attachments[0]?.content as ArrayBuffer)).toEqual(logo);
  });

  test('carries attachments beside its text and logo', async () => {
    const content = Buffer.from('%PDF-1.7 …');
    const sent = mail({ attachments: [{ name: 'WB-7F3K-29QD.pdf', mediaType: 'application/pdf', content }] });
    await mailer.send(sent);
    const [message] = await waitForMails(sent.to);
    expect(message?.attachments).toMatchObject([
      { filename: 'WB-7F3K-29QD.pdf', mimeType: 'application/pdf', disposition: 'attachment' },
    ]);
    expect(Buffer.from(message?.attachments[0]?.content as ArrayBuffer)).toEqual(content);
  });

  test('is marked as written by a program, without a stop link that it does not have', async () => {
    const sent = mail();
    await mailer.send(sent);
    const [message] = await waitForMails(sent.to);
    expect(readHeaders(message as never, 'auto-submitted')).toEqual(['auto-generated']);
    expect(readHeaders(message as never, 'list-unsubscribe')).toEqual([]);
  });

  test('offers its stop link to mail programs (RFC 8058)', async () => {
    const stopLink = `https://files.${'subdivision.'.repeat(6)}example.org/m/${'x'.repeat(43)}`;
    const sent = mail({ stopLink });
    await mailer.send(sent);
    const [message] = await waitForMails(sent.to);
    expect(readHeaders(message as never, 'list-unsubscribe')).toEqual([`<${stopLink}>`]);
    expect(readHeaders(message as never, 'list-unsubscribe-post')).toEqual(['List-Unsubscribe=One-Click']);
  });

  test('has the headers it should have, whatever is in the subject', async () => {
    const bystander = `${randomUUID()}@receiver.test`;
    const sent = mail({ subject: `hello\r\nBcc: ${bystander}\r\nX-Injected: yes\r\n\r\nbody\n.\r\nQUIT\r\n` });
    await mailer.send(sent);
    const [message] = await waitForMails(sent.to);
    for (const key of ['bcc', 'x-injected']) expect(readHeaders(message as never, key)).toEqual([]);
    expect(message?.subject).toContain('hello');
    expect(message?.text?.trimEnd()).toBe(sent.text.trimEnd());
    // An added recipient would have received the mail by now, because this one comes after it.
    const marker = mail({ to: bystander });
    await mailer.send(marker);
    expect((await waitForMails(bystander)).map(({ messageId }) => messageId)).toEqual([marker.messageId]);
  });

  test('goes to one recipient, whatever is in the text', async () => {
    const sent = mail({ text: 'hello\r\n.\r\nMAIL FROM:<x@example.org>\r\n' });
    await mailer.send(sent);
    const [message] = await waitForMails(sent.to);
    expect(message?.text).toContain('MAIL FROM:<x@example.org>');
  });
});

test('a delivery is reported if it is asked for, with the headers of the mail alone', async () => {
  const [sent, silent] = [true, false].map((reportDelivery) =>
    mail({ envelopeFrom: `bounces+${randomUUID()}@receiver.test`, reportDelivery }),
  ) as [Mail, Mail];
  await mailer.send(silent);
  await mailer.send(sent);
  const [report] = await waitForRawMails(sent.envelopeFrom);
  expect(report).toMatch(/^Action: delivered\r?$/m);
  expect(report).toMatch(/^Status: 2\./m);
  expect(report).toContain(sent.messageId);
  expect(report).not.toContain('files.example.org/d/token');
  await expect(waitForRawMails(silent.envelopeFrom, 0)).resolves.toEqual([]);
});

describe('a mail that the server does not take', () => {
  test.each([
    ['refuses the connection', undefined],
    ['hangs up', ''],
    ['is busy', '421 too busy\r\n'],
  ])('because it %s is to be tried again', async (_why, greeting) => {
    await using peer = await startPeer((socket) => {
      socket.end(greeting ?? '');
    });
    const port = greeting === undefined ? await closedPort() : peer.port;
    const away = smtpMailer({ url: `smtp://127.0.0.1:${port}`, connections: 4 });
    await expect(away.send(mail())).rejects.toMatchObject({
      engine: 'smtp',
      reason: greeting === undefined ? `connect ECONNREFUSED 127.0.0.1:${port}` : expect.any(String),
    });
    away.close();
  });

  const failureAt = async (stage: SmtpStage, reply: string, mailOf = mail()) => {
    await using server = await startScriptedSmtp({ [stage]: reply });
    const scripted = smtpMailer({ url: server.url, connections: 4 });
    try {
      return await scripted.send(mailOf).then(
        ({ outcome }) => outcome,
        (error: unknown) => error,
      );
    } finally {
      scripted.close();
    }
  };

  test.each<[SmtpStage, string, string]>([
    ['greeting', '554 5.7.1 your address is blocked', 'CONN: 554 5.7.1'],
    ['greeting', '521 no mail here', 'CONN: 521'],
    ['EHLO', '421 4.3.2 shutting down', 'EHLO: 421 4.3.2'],
    ['AUTH', '535 5.7.8 password expired', 'AUTH PLAIN: 535 5.7.8'],
    ['AUTH', '530 5.7.0 STARTTLS first', 'AUTH PLAIN: 530 5.7.0'],
    ['MAIL FROM', '530 5.7.0 authentication required', 'MAIL FROM: 530 5.7.0'],
    ['MAIL FROM', '550 5.1.8 unknown sender', 'MAIL FROM: 550 5.1.8'],
    ['MAIL FROM', '553 5.7.1 not your address', 'MAIL FROM: 553 5.7.1'],
    ['RCPT TO', '554 5.7.1 client host rejected', 'RCPT TO: 554 5.7.1'],
    ['RCPT TO', '550 5.1.8 sender refused', 'RCPT TO: 550 5.1.8'],
    ['RCPT TO', '530 authentication required', 'RCPT TO: 530'],
    ['RCPT TO', '503 5.5.1 bad sequence', 'RCPT TO: 503 5.5.1'],
    ['RCPT TO', '450 4.2.0 greylisted', 'RCPT TO: 450 4.2.0'],
    ['DATA', '554 5.5.1 no transaction', 'DATA: 554 5.5.1'],
    ['DATA', '451 4.3.0 try later', 'DATA: 451 4.3.0'],
    ['message', '550 5.3.2 system full', 'DATA: 550 5.3.2'],
    ['message', '452 4.3.1 disk full', 'DATA: 452 4.3.1'],
  ])('at %s with "%s" is to be tried again', async (stage, reply, reason) => {
    expect(await failureAt(stage, reply)).toMatchObject({ message: expect.stringContaining(reply), reason });
  });

  test.each<[SmtpStage, string]>([
    ['MAIL FROM', '450 4.1.8 unknown domain'],
    ['RCPT TO', '450 4.2.1 the mailbox is busy'],
    ['message', '451 4.7.1 try later'],
  ])('at %s has the reply of the server as its message, because senders read it', async (stage, reply) => {
    expect(((await failureAt(stage, reply)) as SendFailure).message).toBe(reply);
  });

  test('because STARTTLS fails is to be tried again', async () => {
    await using server = await startScriptedSmtp({
      EHLO: '250-scripted\r\n250 STARTTLS',
      STARTTLS: '554 5.7.0 no TLS',
    });
    const scripted = smtpMailer({ url: `${server.url}?requireTLS=true`, connections: 4 });
    await expect(scripted.send(mail())).rejects.toMatchObject({ reason: 'STARTTLS: 554 5.7.0' });
    scripted.close();
  });

  test.each<[SmtpStage, string]>([
    ['RCPT TO', '550 5.1.1 no such user'],
    ['RCPT TO', '550 no such user'],
    ['RCPT TO', '552 5.2.2 mailbox full'],
    ['RCPT TO', '556 5.1.10 the domain takes no mail'],
    ['message', '554 5.7.1 looks like spam'],
    ['message', '552 5.3.4 too large'],
  ])('at %s with "%s" is refused', async (stage, reply) => {
    expect(await failureAt(stage, reply)).toBe('refused');
  });

  test('has a reason that does not repeat what the server quotes of it', async () => {
    const failure = await failureAt('message', '451 4.7.1 try without https://files.example.org/d/token');
    expect((failure as SendFailure).reason).toBe('DATA: 451 4.7.1');
  });

  test('because Postfix’s certificate is not trusted is to be tried again', async () => {
    const distrustful = smtpMailer({ url: engineAddresses.smtp, connections: 4 });
    await expect(distrustful.send(mail())).rejects.toBeInstanceOf(SendFailure);
    distrustful.close();
  });

  test('in time ends, and the next one gets a connection', async () => {
    const replies: Partial<Record<SmtpStage, string | null>> = { 'RCPT TO': null };
    await using server = await startScriptedSmtp(replies);
    const hasty = smtpMailer({ url: server.url, connections: 4, waitWithinMs: 300, sendWithinMs: 1_000 });
    const sixMails = () => Array.from({ length: 6 }, () => hasty.send(mail()));
    // Four have a connection each, and the others wait for one in vain.
    const failures = await Promise.allSettled(sixMails());
    expect(failures.map(({ status }) => status)).toEqual(failures.map(() => 'rejected'));
    expect(failures.slice(4)).toMatchObject([
      { reason: { reason: 'no free connection' } },
      { reason: { reason: 'no free connection' } },
    ]);
    delete replies['RCPT TO'];
    const outcomes = await Promise.all(sixMails());
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(outcomes.map(() => 'sent'));
    // None of the failed mails was sent later.
    expect(server.accepted).toHaveLength(6);
    hasty.close();
  });
});
