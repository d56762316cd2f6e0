import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Engines } from '../../domain/engines.ts';
import type { SealedFile } from '../../domain/files/file-store.ts';
import { type ByteRange, readSealed } from '../../domain/files/read-sealed.ts';
import { replyWithBody } from './reply-with-body.ts';

/** Replies with a file: always as an attachment of plain bytes, whatever its name or content claims to be. */
export async function replyWithFile(
  engines: Pick<Engines, 'objects' | 'dayKeys' | 'downloads'>,
  file: SealedFile,
  request: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
  onSent: (sent: ByteRange) => Promise<void>,
): Promise<FastifyReply> {
  const digest = file.sha256.toString('base64');
  const body = {
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': contentDisposition(file.name),
      'repr-digest': `sha-256=:${digest}:`,
      // Our extension: where the file was in the folder that was sent.
      'waybill-path': file.path.split('/').map(encodeURIComponent).join('/'),
    },
    sizeBytes: file.sizeBytes,
    etag: `"${digest}"`,
    about: { fileId: file.id },
    read: (range: ByteRange) => readSealed(engines, file, range, signal),
    onSent,
  };
  return replyWithBody(body, request, reply, signal);
}
