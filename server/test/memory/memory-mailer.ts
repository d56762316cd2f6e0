import type { Mail, Mailer } from '../../src/domain/ports/mailer.ts';
import { SendFailure } from '../../src/domain/ports/mailer.ts';

export interface MemoryMailer extends Mailer {
  /** The mails that were accepted, in order. */
  readonly sent: readonly Mail[];
}

/**
 * Keeps mails and fulfils the contract of the real mailer (mailer-contract.ts): like the Postfix of `npm run engines`, it
 * refuses nouser@receiver.test for good and tempfail@receiver.test for now.
 */
export function memoryMailer(): MemoryMailer {
  const sent: Mail[] = [];
  return {
    sent,
    async send(mail) {
      if (mail.to === 'nouser@receiver.test') return { outcome: 'refused', response: '550 5.1.1 no such user' };
      if (mail.to === 'tempfail@receiver.test') throw new SendFailure('451 4.3.0 try again', 'RCPT TO: 451 4.3.0');
      return { outcome: 'sent', response: `250 2.0.0 Ok: queued as ${sent.push(mail)}` };
    },
  };
}
