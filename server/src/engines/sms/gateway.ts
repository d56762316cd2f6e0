import { SendFailure } from '../../domain/outbox/send-failure.ts';
import type { SmsGateway } from '../../domain/ports/index.ts';
import { fitsGsmAlphabet } from './gsm-alphabet.ts';

export interface SmsGatewayOptions {
  /** Kannel's sendsms, without credentials. */
  readonly address: string;
  readonly username: string;
  readonly password: string;
  /** Whom a telephone shows as the sender. */
  readonly from: string;
  /** How long one text may take, from the connection to the end of the answer. */
  readonly timeoutMs: number;
}

/** What gateways answer when they will not take this number or this text; other 4xx are about our account or our pace. */
const statusesAboutThisText = new Set([400, 422]);
const maxAnswerBytes = 500;

/**
 * Kannel's sendsms by POST: the text is the body, everything else is in headers. By GET it would all be in the
 * address, which proxies log and error pages repeat.
 */
export function smsGateway({ address, username, password, from, timeoutMs }: SmsGatewayOptions): SmsGateway {
  const ask = (to: string, text: string) =>
    fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'text/plain; charset=UTF-8',
        'x-kannel-username': username,
        'x-kannel-password': password,
        'x-kannel-from': from,
        'x-kannel-to': to,
        // UCS-2: without it Kannel puts question marks in the place of what GSM's alphabet does not have.
        ...(fitsGsmAlphabet(text) ? {} : { 'x-kannel-coding': '2' }),
      },
      body: text,
      // Elsewhere nobody may have the password.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });

  return {
    async send({ to, text }) {
      // Kannel sends to every number in a list.
      if (!/^\d+$/.test(to)) return { outcome: 'refused', answer: 'This is not one telephone number.' };
      const response = await ask(to, text).catch((error: unknown) => {
        const reason = reasonOf(error);
        throw new SendFailure(`The SMS gateway did not answer: ${reason}`, reason);
      });
      const answer = `${response.status} ${await beginningOf(response)}`.trimEnd();
      if (response.status === 202) return { outcome: 'sent', answer };
      if (statusesAboutThisText.has(response.status)) return { outcome: 'refused', answer };
      throw new SendFailure(`The SMS gateway answered ${answer}`, String(response.status));
    },
  };
}

/** On one line. The status has decided already: an answer that breaks off is as good as one that does not. */
async function beginningOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of response.body ?? []) {
      pieces.push(piece);
      length += piece.length;
      // Leaving the loop closes the connection.
      if (length >= maxAnswerBytes) break;
    }
  } catch {
    // What came is kept.
  }
  const bytes = Buffer.concat(pieces).subarray(0, maxAnswerBytes);
  return bytes
    .toString('utf8')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
}

/** A word of Node's, such as ECONNREFUSED or TimeoutError. Not the message: it may repeat what was asked. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as { name: string; cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : name;
}
