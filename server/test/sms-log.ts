import { readFile } from 'node:fs/promises';
import { vi } from 'vitest';
import { requireKind } from '../../tools/test/require-kind.ts';

requireKind('engines');

const log = new URL('../../.engines/kannel/sms.log', import.meta.url);

export interface ReceivedSms {
  readonly from: string;
  readonly coding: string;
  readonly text: string;
}

/** The one-line texts that the carrier behind Kannel received for a number, once there is one. */
export async function receivedBy(number: string): Promise<ReceivedSms[]> {
  return vi.waitFor(
    async () => {
      const received = await textsTo(number);
      if (received.length === 0) throw new Error(`nothing has arrived for ${number}`);
      return received;
    },
    { timeout: 15_000, interval: 50 },
  );
}

async function textsTo(number: string): Promise<ReceivedSms[]> {
  const lines = await readFile(log, 'utf8');
  return [...lines.matchAll(new RegExp(`Got message \\d+: <(\\S+) ${number} (\\S+) (.*)>$`, 'gm'))].map(
    ([, from = '', coding = '', content = '']) => ({
      from,
      coding,
      text: coding === 'ucs-2' ? fromUcs2(content) : content,
    }),
  );
}

/** The carrier writes the bytes escaped, as in a form. */
function fromUcs2(escaped: string): string {
  const bytes = escaped
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return new TextDecoder('utf-16be').decode(Buffer.from(bytes, 'latin1'));
}
