import { readdir, readFile, stat } from 'node:fs/promises';
import PostalMime, { type Email } from 'postal-mime';
import { vi } from 'vitest';
import { requireKind } from '../../../tools/test/require-kind.ts';

requireKind('engines');

const folder = new URL('../../../.engines/postfix/mail/all/new/', import.meta.url);
const started = Date.now() - 5_000;

/** The mails that Postfix delivered to an address, once as many as expected have arrived. */
export async function delivered(address: string, count = 1): Promise<Email[]> {
  return vi.waitFor(
    async () => {
      const mails = await mailsTo(address);
      if (mails.length < count) throw new Error(`${mails.length} of ${count} mails have arrived for ${address}`);
      return mails;
    },
    { timeout: 15_000, interval: 100 },
  );
}

async function mailsTo(address: string): Promise<Email[]> {
  const mails: Email[] = [];
  for (const name of await readdir(folder)) {
    const file = new URL(name, folder);
    if ((await stat(file)).mtimeMs < started) continue;
    const source = await readFile(file);
    // The envelope's recipient, whatever the headers say.
    if (source.includes(`X-Original-To: ${address}\n`)) mails.push(await PostalMime.parse(source));
  }
  return mails;
}
