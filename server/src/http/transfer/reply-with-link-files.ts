import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Engines } from '../../domain/engines.ts';
import { takeFolder } from '../../domain/files/take-folder.ts';
import { findDroppedFile, listDroppedFiles } from '../../domain/links/find-link.ts';
import { holdPlace } from '../../domain/links/hold-place.ts';
import type { Link } from '../../domain/links/link-store.ts';
import { recordDelivery } from '../../domain/links/record-delivery.ts';
import { toReference } from '../../domain/reference.ts';
import { requireScanned } from '../../domain/require-scanned.ts';
import { replyWithFile } from './reply-with-file.ts';
import { replyWithZip } from './reply-with-zip.ts';
import type { Transfers } from './transfers.ts';

/** A request for files of a receiver's link, and the downloads that it joins. */
export interface LinkReply {
  readonly engines: Pick<Engines, 'store' | 'policy' | 'objects' | 'dayKeys' | 'downloads' | 'random'>;
  readonly link: Link;
  readonly transfers: Transfers;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export function replyWithLinkFile(linkReply: LinkReply, fileId: string): Promise<FastifyReply> {
  const { engines, link, request, reply } = linkReply;
  return run(linkReply, async (signal) => {
    const file = await findDroppedFile(engines, link, fileId);
    return replyWithFile(engines, file, request, reply, signal, (sent) =>
      recordDelivery(engines, link, [{ file, sent }]),
    );
  });
}

/** A request for the headers alone is no download. */
function run(
  { engines, link, transfers, request, reply }: LinkReply,
  send: (signal: AbortSignal) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  return transfers.run(reply, link, (signal) =>
    request.method === 'GET' ? holdPlace(engines, link, signal, send) : send(signal),
  );
}

/** Replies with all files of the link, or those of one folder, as one ZIP, with their folders. */
export function replyWithLinkZip(linkReply: LinkReply, folderKey?: string): Promise<FastifyReply> {
  const { engines, link, request, reply } = linkReply;
  return run(linkReply, async (signal) => {
    const all = await listDroppedFiles(engines, link);
    const { path: folder, files } = folderKey === undefined ? { path: '', files: all } : takeFolder(all, folderKey);
    await requireScanned(engines, link.accountId, files);
    const drop = { ...link, reference: toReference(link.dropId), folder, files };
    return replyWithZip(engines, drop, request, reply, signal, (sent) => recordDelivery(engines, link, sent));
  });
}
