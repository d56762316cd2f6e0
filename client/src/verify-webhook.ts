import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import type { AccountEvent, WebhookTestEvent } from './generated/wire.ts';

/**
 * An event as Waybill posts it to a webhook: the same as in lists, or a test. Skip an event whose `id` you have seen, and
 * ignore types that you do not know.
 */
export type WebhookEvent = AccountEvent | WebhookTestEvent;

/** A request that was sent to a webhook. */
export interface WebhookRequest {
  /** The headers as node:http or the Fetch API provides them, or any record. Names are not case-sensitive. */
  headers: { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body exactly as it was received, not parsed and serialized again. */
  body: string | Uint8Array;
}

/** How strictly the time of a request is checked. */
export interface VerifyWebhookOptions {
  /** How many seconds the time of the request may differ from the clock. Defaults to 5 minutes. */
  toleranceSeconds?: number | undefined;
  /** The clock, in milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** The request was not sent for this webhook, was changed in transit, or is too old. Respond with 400 or 401. */
export class WebhookVerificationError extends Error {
  /** Identifies the error. */
  override readonly name = 'WebhookVerificationError';
}

/** The bytes before the 32 bytes of an Ed25519 public key in its DER form (RFC 8410). */
const ed25519DerPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const defaultToleranceSeconds = 5 * 60;

/**
 * Verifies a request to a webhook according to Standard Webhooks 1.0.0, and returns its event. Throws a
 * `WebhookVerificationError` if it is not signed with one of the keys, or if its time differs too much from the clock.
 *
 * @param request The request as it was received.
 * @param keys The webhook's `secret` (`whsec_…`) or its `public_keys` (`whpk_…`); several while the secret is being
 *   replaced.
 * @example
 * import { createServer } from 'node:http';
 * import { buffer } from 'node:stream/consumers';
 *
 * createServer(async (request, response) => {
 *   try {
 *     const event = verifyWebhook({ headers: request.headers, body: await buffer(request) }, process.env.WEBHOOK_SECRET!);
 *     console.log(event.type, event.data);
 *     response.writeHead(204).end();
 *   } catch {
 *     response.writeHead(400).end();
 *   }
 * }).listen(8000);
 */
export function verifyWebhook(
  { headers, body }: WebhookRequest,
  keys: string | readonly string[],
  { toleranceSeconds = defaultToleranceSeconds, now = () => Date.now() }: VerifyWebhookOptions = {},
): WebhookEvent {
  const checks = [keys].flat().map(createCheck);
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature').split(' ');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a time.');
  if (Math.abs(now() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError('webhook-timestamp differs too much from the clock of this machine.');
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), bytes]);
  if (!signatures.some((signature) => checks.some((isSigned) => isSigned(signature, content)))) {
    throw new WebhookVerificationError('No signature matches one of the keys.');
  }
  // Another owner of the key may have sent something else.
  try {
    return { ...(JSON.parse(Buffer.from(bytes).toString('utf8')) as WebhookEvent), id };
  } catch (cause) {
    throw new WebhookVerificationError('The body is not JSON.', { cause });
  }
}

type Check = (signature: string, content: Buffer) => boolean;

/** Creates a check for a key, which is used only for its own kind of signature. */
function createCheck(key: string): Check {
  const [, prefix, base64 = ''] = /^(whsec|whpk)_([A-Za-z0-9+/]+={0,2})$/.exec(key) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  if (prefix === 'whsec') {
    return (signature, content) => {
      const actual = parseSignature(signature, 'v1');
      const expected = createHmac('sha256', bytes).update(content).digest();
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    };
  }
  if (prefix !== 'whpk' || bytes.length !== 32) {
    throw new TypeError('The key of a webhook must begin with whsec_ or whpk_.');
  }
  const publicKey = createPublicKey({ key: Buffer.concat([ed25519DerPrefix, bytes]), format: 'der', type: 'spki' });
  return (signature, content) => {
    const actual = parseSignature(signature, 'v1a');
    return actual.length > 0 && verify(null, content, publicKey, actual);
  };
}

function parseSignature(signature: string, version: 'v1' | 'v1a'): Buffer {
  return Buffer.from(signature.startsWith(`${version},`) ? signature.slice(version.length + 1) : '', 'base64');
}

function readHeader(headers: WebhookRequest['headers'], name: string): string {
  const value = isFetchHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}

function isFetchHeaders(headers: WebhookRequest['headers']): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function';
}
