import type { FastifyReply } from 'fastify';
import { isUuid } from '../../../domain/is-uuid.ts';
import { findUploads } from '../../../domain/uploads/account-upload.ts';
import type { AccountUpload } from '../../../domain/uploads/upload-store.ts';
import { handleAccountTus } from '../../../http/transfer/account-uploads.ts';
import type { AppRoute, MemberVisit } from '../shared/app-route.ts';
import { toDraftKey } from './draft-key.ts';

const uploadsPath = '/:user/uploads';
/** Of one request: their addresses fit into its first line. */
const maxIds = 200;

/** The uploads of the composer, by the tus protocol. They become part of a drop when it is sent. */
export const uploadRoutes: readonly AppRoute[] = [
  { method: 'GET', path: uploadsPath, access: 'member', handle: listUploads },
  { method: 'OPTIONS', path: uploadsPath, access: 'member', handle: serveTus },
  { method: 'POST', path: uploadsPath, access: 'member', body: 'stream', handle: serveTus },
  { method: 'HEAD', path: `${uploadsPath}/:id`, access: 'member', handle: serveTus },
  { method: 'PATCH', path: `${uploadsPath}/:id`, access: 'member', body: 'stream', handle: serveTus },
  { method: 'DELETE', path: `${uploadsPath}/:id`, access: 'member', handle: serveTus },
];

function serveTus({ engines, actor, base, request, reply, transfers }: MemberVisit): Promise<FastifyReply> {
  return transfers.runSupervised(reply, (ended) =>
    handleAccountTus(engines, actor, `${base}uploads`, request, reply, ended),
  );
}

/**
 * The state of the uploads that the page names, the token of its forms, and whose drafts they are: a page that stays open
 * for days may outlive the session in which it was loaded, and another person may have signed in since.
 */
async function listUploads(visit: MemberVisit): Promise<FastifyReply> {
  const { engines, actor, csrf, request, reply } = visit;
  const { ids = '' } = request.query as { ids?: unknown };
  const named = String(ids).split(',').filter(isUuid).slice(0, maxIds);
  const uploads = named.length > 0 ? await findUploads(engines, actor, named) : [];
  return reply
    .header('cache-control', 'no-store')
    .send({ csrf, draftKey: toDraftKey(visit), files: uploads.map(toFile) });
}

function toFile({ id, name, path, sizeBytes, receivedBytes, state, scan, unscannedReason, refusal }: AccountUpload) {
  return { id, name, path, sizeBytes, receivedBytes, state, scan, unscannedReason, refusal };
}
