import { randomInt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SmsGateway } from '../../src/domain/ports/mailer.ts';

/** A phone that nothing else in this run uses. */
export const newPhone = () => `46${randomInt(10 ** 6, 10 ** 7)}${randomInt(10 ** 5, 10 ** 6)}`;

/**
 * The behaviour of every SMS gateway, both of Kannel and in memory. `receive` returns the texts to a phone, at least
 * one.
 */
export function smsGatewayContract(
  name: string,
  gateway: SmsGateway,
  receive: (phone: string) => Promise<readonly string[]>,
): void {
  describe(`${name} as an SMS gateway`, () => {
    test.each([
      ['with the characters of forms and markup', 'Your code is 482913 &to=46700000000 %41 + <b>  "x"'],
      ['of 160 characters', '0123456789'.repeat(16)],
      ['beyond the GSM alphabet', 'Код 日本 🎉'],
    ])('delivers a text %s once, as it was written', async (_what, text) => {
      const to = newPhone();
      expect(await gateway.send({ to, text })).toEqual({ outcome: 'sent', response: '202 0: Accepted for delivery' });
      expect(await receive(to)).toEqual([text]);
    });

    test.each(['', `${newPhone()} ${newPhone()}`, `${newPhone()}\r\nX-Kannel-To: ${newPhone()}`, 'nobody'])(
      'refuses %j, which is not one phone',
      async (to) => {
        expect(await gateway.send({ to, text: 'hello' })).toMatchObject({ outcome: 'refused' });
      },
    );
  });
}
