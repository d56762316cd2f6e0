import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply } from 'fastify';
import { makeReceipt, type ReceiptNeeds, type WantedReceipt } from '../../domain/evidence/make-receipt.ts';

/** Replies with a receipt as a file to download. */
export async function replyWithReceipt(
  engines: ReceiptNeeds,
  reply: FastifyReply,
  wanted: WantedReceipt,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const { name, mediaType, content } = await makeReceipt(engines, wanted, gone.signal);
  return reply
    .type(mediaType)
    .header('content-disposition', contentDisposition(name))
    .header('content-security-policy', "sandbox; default-src 'none'")
    .send(content);
}
