import type { FastifyRequest } from 'fastify';
import { draftName } from '../../domain/drafts/draft-name.ts';
import { header } from '../shared/openapi.ts';

type Headers = Pick<FastifyRequest, 'headers'>;

/** Our extension: the draft this request is about. */
export const draftHeader = header('Waybill-Draft', 'The draft this is about; without it, the account’s own.', {
  pattern: '^[A-Za-z0-9_-]{1,64}$',
});

export function readDraftName({ headers }: Headers): string {
  return draftName(headers['waybill-draft'] as string | undefined);
}

/** RFC 7240: `Prefer: handling=lenient`. If there are two, the first one counts. */
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
