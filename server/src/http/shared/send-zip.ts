import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { callbackify } from 'node:util';
import { safeLocalNames } from '@waybill/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ZipFile } from 'yazl';
import { readSealed } from '../../domain/files/read-sealed.ts';
import type { Engines, SealedFile } from '../../domain/ports/index.ts';
import { noteDelivery } from './send-file.ts';
import { endResponse, writeBytes } from './write-bytes.ts';

/**
 * All files as one ZIP, as they are: what people send is mostly compressed already, and only so is the length known
 * beforehand. It cannot be resumed, and says so. `onComplete` is called when its last byte has left. An aborted signal
 * ends it.
 */
export async function sendZip(
  engines: Pick<Engines, 'objects' | 'keys' | 'readAhead'>,
  files: readonly SealedFile[],
  request: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
  onComplete: () => Promise<void>,
): Promise<FastifyReply> {
  signal.throwIfAborted();
  const failed = new AbortController();
  const stopped = AbortSignal.any([signal, failed.signal]);
  const zip = new ZipFile();
  const broken = new Promise<never>((_resolve, reject) => zip.on('error', reject));
  // The first file is opened before anybody waits for this.
  broken.catch(() => undefined);
  const names = safeLocalNames(files.map(({ name }) => name));
  for (const [index, file] of files.entries()) {
    const entry = { compress: false, size: file.sizeBytes, mtime: new Date(), forceZip64Format: false };
    zip.addReadStreamLazy(names[index] ?? file.name, entry, (open) => {
      // The length is known without the files.
      if (request.method === 'HEAD') return;
      const bytes = readSealed(engines, file, { start: 0, end: file.sizeBytes }, stopped);
      const stream = Readable.from(bytes, { objectMode: false });
      // The library leaves a stream's failure to whoever made the stream.
      stream.on('error', (error) => zip.emit('error', error));
      open(null, stream);
    });
  }
  const length = await new Promise<number>((resolve) => {
    zip.end({ forceZip64Format: false, comment: '' }, resolve as () => void);
  });
  reply.headers({
    'content-type': 'application/zip',
    'content-disposition': 'attachment; filename="files.zip"',
    'content-security-policy': "sandbox; default-src 'none'",
    'accept-ranges': 'none',
    'content-length': String(length),
  });
  if (request.method === 'HEAD') return reply.send();

  signal.throwIfAborted();
  request.endTurn();
  reply.hijack();
  reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
  try {
    await Promise.race([broken, pipeline(zip.outputStream, intoResponse(reply.raw), { signal })]);
    await endResponse(reply.raw);
  } catch (error) {
    if (!signal.aborted) request.log.error({ err: error }, 'a download was broken off');
    failed.abort();
    reply.raw.destroy();
  }
  if (reply.raw.writableFinished) {
    await noteDelivery(request, onComplete);
  }
  return reply;
}

function intoResponse(response: ServerResponse): Writable {
  const write = callbackify((bytes: Buffer) => writeBytes(response, bytes));
  return new Writable({
    write(bytes: Buffer, _encoding, done) {
      write(bytes, done);
    },
  });
}
