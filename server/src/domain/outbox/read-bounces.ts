import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Mailbox } from '../ports/mailbox.ts';
import { maxBounceBytes, recordBounce } from './record-bounce.ts';

/** The rest is read next time. */
const mailsAtOnce = 1000;

/** Reads returned mails and removes them. Several workers may do so at once: a mail that is read twice counts once. */
export async function readBounces(
  engines: Pick<Engines, 'store' | 'random' | 'readReport' | 'returnPaths' | 'logger'>,
  mailbox: Mailbox,
  signal?: AbortSignal,
): Promise<void> {
  for (const name of await mailbox.list(mailsAtOnce)) {
    signal?.throwIfAborted();
    try {
      const mail = await mailbox.read(name, maxBounceBytes);
      if (mail) await recordBounce(engines, mail);
    } catch (error) {
      // While the database is unavailable, the mail stays where it is.
      if (error instanceof ExchangeError && error.code === 'unavailable') throw error;
      engines.logger.warn('a mail that came back could not be read and was set aside', {
        reason: error instanceof Error ? error.name : 'unknown',
      });
      await mailbox.setAside(name);
      continue;
    }
    await mailbox.remove(name);
  }
}
