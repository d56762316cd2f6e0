import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { Mail } from '../../domain/ports.ts';
import { engineAddresses } from '../../testing/engine-addresses.ts';
import { delivered } from '../../testing/mailbox.ts';
import { closedPort, startPeer } from '../../testing/tcp.ts';
import { smtpMailer } from './mailer.ts';

const mailer = smtpMailer({ url: `${engineAddresses.smtp}?tls.rejectUnauthorized=false` });
afterAll(() => mailer.close());

const mail = (changes: Partial<Mail> = {}): Mail => ({
  messageId: `<${randomUUID()}@files.example.org>`,
  from: 'waybill@example.org',
  to: `${randomUUID()}@receiver.test`,
  subject: 'a@example.org has sent you files',
  text: 'Grüße\n\n.\nhttps://files.example.org/d/token\n',
  html: '<!doctype html><p>Grüße</p>\n.\n<p><a href="https://files.example.org/d/token">Open</a></p>\n',
  ...changes,
});
const headersOf = (message: { headers: { key: string; value: string }[] }, key: string) =>
  message.headers.filter((header) => header.key === key).map(({ value }) => value);

describe('a mail', () => {
  test('arrives as it was written', async () => {
    const sent = mail();
    expect(await mailer.send(sent)).toEqual({ outcome: 'sent', answer: expect.stringMatching(/^250 /) });
    const [message, ...more] = await delivered(sent.to);
    expect(more).toEqual([]);
    expect(message).toMatchObject({
      messageId: sent.messageId,
      subject: sent.subject,
      from: { address: sent.from },
      to: [{ address: sent.to }],
    });
    expect(message?.text?.trimEnd()).toBe(sent.text.trimEnd());
    expect(message?.html?.trimEnd()).toBe(sent.html.trimEnd());
    expect(headersOf(message as never, 'auto-submitted')).toEqual(['auto-generated']);
  });

  test('has the headers it should have, whatever stands in the subject', async () => {
    const bystander = `${randomUUID()}@receiver.test`;
    const sent = mail({ subject: `hello\r\nBcc: ${bystander}\r\nX-Injected: yes\r\n\r\nbody\n.\r\nQUIT\r\n` });
    await mailer.send(sent);
    const [message] = await delivered(sent.to);
    for (const key of ['bcc', 'x-injected']) expect(headersOf(message as never, key)).toEqual([]);
    expect(message?.subject).toContain('hello');
    expect(message?.text?.trimEnd()).toBe(sent.text.trimEnd());
    // Whoever had been added would have been delivered to by now, for this one comes after it.
    const marker = mail({ to: bystander });
    await mailer.send(marker);
    expect((await delivered(bystander)).map(({ messageId }) => messageId)).toEqual([marker.messageId]);
  });

  test('goes to one recipient, whatever stands in the text', async () => {
    const sent = mail({ text: 'hello\r\n.\r\nMAIL FROM:<x@example.org>\r\n' });
    await mailer.send(sent);
    const [message] = await delivered(sent.to);
    expect(message?.text).toContain('MAIL FROM:<x@example.org>');
  });
});

describe('a mail that the server does not take', () => {
  test('for ever is refused, with what the server said', async () => {
    const result = await mailer.send(mail({ to: 'nouser@receiver.test' }));
    expect(result).toEqual({ outcome: 'refused', answer: expect.stringContaining('550 5.1.1') });
  });

  test('for now is to be tried again', async () => {
    await expect(mailer.send(mail({ to: 'tempfail@receiver.test' }))).rejects.toThrow('451');
  });

  test.each([
    ['refuses the connection', undefined],
    ['hangs up', ''],
    ['is busy', '421 too busy\r\n'],
  ])('because it %s is to be tried again', async (_why, greeting) => {
    await using peer = await startPeer((socket) => {
      socket.end(greeting ?? '');
    });
    const port = greeting === undefined ? await closedPort() : peer.port;
    const away = smtpMailer({ url: `smtp://127.0.0.1:${port}` });
    await expect(away.send(mail())).rejects.toThrow();
    away.close();
  });

  test('does not spoil the connection for the next', async () => {
    await mailer.send(mail({ to: 'nouser@receiver.test' }));
    expect(await mailer.send(mail())).toMatchObject({ outcome: 'sent' });
  });
});
