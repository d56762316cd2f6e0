import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Mail, Mailer } from '../../src/domain/ports/mailer.ts';
import { SendFailure } from '../../src/domain/ports/mailer.ts';

/** A mail as its receiver has it. */
export type ReceivedMail = Pick<Mail, 'messageId' | 'from' | 'replyTo' | 'to' | 'subject' | 'text' | 'html'>;

export const exampleMail = (changes: Partial<Mail> = {}): Mail => ({
  messageId: `<${randomUUID()}@files.example.org>`,
  from: { name: 'Åsa "A" via Acme Files', address: 'waybill@example.org' },
  replyTo: 'sender@example.org',
  envelopeFrom: 'waybill@example.org',
  to: `${randomUUID()}@receiver.test`,
  subject: 'a@example.org has sent you files',
  text: 'Grüße\n\n.\nhttps://files.example.org/d/token\n',
  html: '<!doctype html><p>Grüße</p>\n.\n<p><a href="https://files.example.org/d/token">Open</a></p>\n',
  ...changes,
});

/**
 * The behaviour of every mailer, both with Postfix and in memory. `receive` returns the mails to an address, at least
 * one.
 */
export function mailerContract(
  name: string,
  mailer: Mailer,
  receive: (address: string) => Promise<readonly ReceivedMail[]>,
): void {
  describe(`${name} as a mailer`, () => {
    test('delivers a mail once, to its receiver alone, as it was written', async () => {
      const [sent, other] = [exampleMail(), exampleMail()];
      for (const mail of [sent, other]) {
        expect(await mailer.send(mail)).toEqual({ outcome: 'sent', response: expect.stringMatching(/^250 /) });
      }
      const { envelopeFrom: _, ...expected } = sent;
      expect(await receive(sent.to)).toEqual([expected]);
      expect(await receive(other.to)).toHaveLength(1);
    });

    test('reports that a receiver is refused for good', async () => {
      const result = await mailer.send(exampleMail({ to: 'nouser@receiver.test' }));
      expect(result).toEqual({ outcome: 'refused', response: expect.stringContaining('550 5.1.1') });
    });

    test('throws a SendFailure for a receiver that is refused for now', async () => {
      const failure: unknown = await mailer.send(exampleMail({ to: 'tempfail@receiver.test' })).catch((error) => error);
      expect(failure).toBeInstanceOf(SendFailure);
      expect(failure).toMatchObject({
        message: expect.stringContaining('451'),
        reason: expect.stringMatching(/^RCPT TO: 451/),
      });
    });

    test('sends the next mail after one that was refused', async () => {
      await mailer.send(exampleMail({ to: 'nouser@receiver.test' }));
      expect(await mailer.send(exampleMail())).toMatchObject({ outcome: 'sent' });
    });
  });
}
