import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ZipFile } from 'yazl';
import { readSealed } from '../../domain/files/read-sealed.ts';
import type { Engines, SealedFile } from '../../domain/ports.ts';

/**
 * All files as one ZIP, as they are: what people send is mostly compressed already, and only so is the length known
 * beforehand. It cannot be resumed, and says so. `onComplete` is called when its last byte has left.
 */
export async function sendZip(
  engines: Pick<Engines, 'objects' | 'keys'>,
  files: readonly SealedFile[],
  request: FastifyRequest,
  reply: FastifyReply,
  onComplete: () => Promise<void>,
): Promise<FastifyReply> {
  const gone = new AbortController();
  request.raw.socket.once('close', () => gone.abort());
  const zip = new ZipFile();
  for (const file of files) {
    const entry = { compress: false, size: file.sizeBytes, mtime: new Date(), forceZip64Format: false };
    zip.addReadStreamLazy(file.name, entry, (open) => {
      const bytes = readSealed(engines, file, { start: 0, end: file.sizeBytes }, gone.signal);
      open(null, Readable.from(bytes, { objectMode: false }));
    });
  }
  const length = await new Promise<number>((resolve) => {
    zip.end({ forceZip64Format: false, comment: '' }, resolve as () => void);
  });
  zip.on('error', (error: Error) => {
    if (!gone.signal.aborted) request.log.error({ err: error }, 'a download was broken off');
    reply.raw.destroy();
  });
  reply.raw.once('finish', () => {
    onComplete().catch((error: unknown) => request.log.error({ err: error }, 'a delivery could not be noted'));
  });
  return reply
    .headers({
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="files.zip"',
      'content-security-policy': "sandbox; default-src 'none'",
      'accept-ranges': 'none',
      'content-length': String(length),
    })
    .send(zip.outputStream);
}
