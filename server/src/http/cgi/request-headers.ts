import { limits } from '@waybill/protocol';
import type { FastifyRequest } from 'fastify';
import { draftName } from '../../domain/drafts/draft-name.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';

type Headers = Pick<FastifyRequest, 'headers'>;

/** Our extension: the draft this request is about. */
export function draftOf({ headers }: Headers): string {
  return draftName(headers['waybill-draft'] as string | undefined);
}

/** Our extension: the key that decides alone whether a dispatch is a repetition. */
export function idempotencyKeyOf({ headers }: Headers): string | undefined {
  const key = headers['idempotency-key'] as string | undefined;
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key.slice(0, limits.idempotencyKeyLength + 1).replaceAll(' ', '_'))) {
    throw new ExchangeError('malformed_request', 'Idempotency-Key takes printable ASCII.');
  }
  if (key !== undefined && key.length > limits.idempotencyKeyLength) {
    throw new ExchangeError(
      'malformed_request',
      `Idempotency-Key takes up to ${limits.idempotencyKeyLength} characters.`,
    );
  }
  return key;
}

/** RFC 7240: `Prefer: handling=lenient`. Of two, the first one counts. */
export function prefersLenient({ headers }: Headers): boolean {
  const preferences = String(headers['prefer'] ?? '').split(',');
  const handling = preferences.find((preference) => /^\s*handling\s*=/i.test(preference));
  return /=\s*"?lenient"?\s*(?:;|$)/i.test(handling ?? '');
}

/** RFC 7240: `Prefer: file-digests`, our extension. */
export function prefersFileDigests({ headers }: Headers): boolean {
  const preferences = String(headers['prefer'] ?? '').split(',');
  return preferences.some((preference) => /^\s*file-digests\s*(?:=\s*""\s*)?(?:;|$)/i.test(preference));
}

/** RFC 9110, 13.1.1: the versions If-Match allows, or undefined where any will do. Weak tags never match. */
export function versionsInIfMatch({ headers }: Headers): readonly string[] | undefined {
  const header = headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  const tags = [...header.matchAll(/(W\/)?"([^"]*)"/g)];
  return tags.filter(([, weak]) => !weak).map(([, , version]) => version as string);
}
