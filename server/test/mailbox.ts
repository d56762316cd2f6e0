import { fileURLToPath } from 'node:url';
import type { Email } from 'postal-mime';
import { vi } from 'vitest';
import { type Mail, readMailsTo } from '../../tools/shared/mailbox.ts';
import { requireKind } from '../../tools/test/require-kind.ts';

requireKind('engines');

const folder = fileURLToPath(new URL('../../.engines/postfix/mail/all/new/', import.meta.url));
const started = Date.now() - 5_000;

/** Waits until Postfix has delivered this many mails to the envelope address, and returns them. */
export async function waitForMails(address: string, count = 1): Promise<Email[]> {
  return (await waitFor(address, count)).map(({ email }) => email);
}

/** The same, as they are stored. */
export async function waitForRawMails(address: string, count = 1): Promise<string[]> {
  return (await waitFor(address, count)).map(({ raw }) => raw);
}

function waitFor(address: string, count: number): Promise<Mail[]> {
  return vi.waitFor(
    async () => {
      const mails = await readMailsTo(folder, address, started);
      if (mails.length < count) throw new Error(`${mails.length} of ${count} mails have arrived for ${address}`);
      return mails;
    },
    { timeout: 15_000, interval: 100 },
  );
}
