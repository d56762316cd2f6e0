import { Readable } from 'node:stream';
import { writeCsv } from '@waybill/protocol';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply } from 'fastify';

/** Replies with a table as a file to download. It is written as it is read, so it may be longer than memory has room for. */
export function replyWithCsv(
  reply: FastifyReply,
  fileName: string,
  rows: AsyncIterable<readonly string[]>,
): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', contentDisposition(fileName))
    .header('content-security-policy', "sandbox; default-src 'none'")
    .send(Readable.from(writeCsv(rows), { objectMode: false }));
}
