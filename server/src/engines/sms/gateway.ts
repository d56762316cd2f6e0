import { SendFailure, type SmsGateway } from '../../domain/ports/mailer.ts';

export interface SmsGatewayOptions {
  /** Kannel's sendsms, without credentials. */
  readonly address: string;
  readonly username: string;
  readonly password: string;
  /** The sender that a phone shows. */
  readonly from: string;
  /** How long one text may take, from the connection to the end of the response. */
  readonly timeoutMs: number;
}

/**
 * The statuses with which gateways reject this number or this text; other 4xx statuses are about our account or our
 * rate.
 */
const statusesAboutThisText = new Set([400, 422]);
const maxResponseBytes = 500;

/**
 * Kannel's sendsms by POST: the text is the body, and everything else is in headers. With GET it would all be in the
 * URL, which proxies log and error pages repeat.
 */
export function requestTo(
  { address, username, password, from, timeoutMs }: SmsGatewayOptions,
  { to, text }: { readonly to?: string; readonly text: string },
): Promise<Response> {
  return fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'text/plain; charset=UTF-8',
      'x-kannel-username': username,
      'x-kannel-password': password,
      'x-kannel-from': from,
      ...(to !== undefined && { 'x-kannel-to': to }),
      // UCS-2: without it, Kannel replaces characters that are not in the GSM alphabet with question marks.
      ...(fitsGsmAlphabet(text) ? {} : { 'x-kannel-coding': '2' }),
    },
    body: text,
    // A redirect's target must not receive the password.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
}

export function smsGateway(options: SmsGatewayOptions): SmsGateway {
  return {
    async send({ to, text }) {
      // Kannel sends to every number in a list.
      if (!/^\d+$/.test(to)) return { outcome: 'refused', response: 'This is not one telephone number.' };
      const response = await requestTo(options, { to, text }).catch((error: unknown) => {
        const reason = describeFailure(error);
        throw new SendFailure(`The SMS gateway did not respond: ${reason}`, reason, 'sms');
      });
      const reply = `${response.status} ${await readBeginning(response)}`.trimEnd();
      if (response.status === 202) return { outcome: 'sent', response: reply };
      if (statusesAboutThisText.has(response.status)) return { outcome: 'refused', response: reply };
      throw new SendFailure(`The SMS gateway responded with ${reply}`, String(response.status), 'sms');
    },
  };
}

/** On one line. The status has already decided, so a response that is cut off is as good as a complete one. */
async function readBeginning(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of response.body ?? []) {
      pieces.push(piece);
      length += piece.length;
      // Leaving the loop closes the connection.
      if (length >= maxResponseBytes) break;
    }
  } catch {
    // The part that has arrived is kept.
  }
  const bytes = Buffer.concat(pieces).subarray(0, maxResponseBytes);
  return bytes
    .toString('utf8')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
}

/** Node's name for the failure, such as ECONNREFUSED or TimeoutError. Not the message, which may repeat the request. */
export function describeFailure(error: unknown): string {
  const { name, cause } = error as { name: string; cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : name;
}

/**
 * The 7-bit alphabet of GSM 03.38 and its extension, which a telephone shows without being told of another encoding.
 */
const alphabet = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿' +
    'abcdefghijklmnopqrstuvwxyzäöñüà^{}\\[~]|€',
);

function fitsGsmAlphabet(text: string): boolean {
  return Array.from(text).every((character) => alphabet.has(character));
}
