import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { discardBuffer } from '../../domain/flow/discard-buffer.ts';

/**
 * The bytes of a body as they arrive. A piece belongs to its reader until the reader asks for the next one; then its
 * memory is freed. A body that is not read to its end is not destroyed, because its connection has to carry the
 * response.
 */
export async function* readBody({ body }: Pick<FastifyRequest, 'body'>): AsyncGenerator<Buffer, void, void> {
  if (!(body instanceof Readable)) return;
  for await (const bytes of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    yield bytes;
    discardBuffer(bytes);
  }
}
