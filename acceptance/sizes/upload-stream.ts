import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Client } from '../lib/http/client.ts';
import { openRequest } from '../lib/http/stream.ts';
import type { Keystream } from './keystream.ts';

/**
 * Uploads the first bytes of a keystream as a file, without ever holding all of it; waits for `onSent`. Returns its
 * SHA-256.
 */
export async function uploadStream(
  client: Client,
  name: string,
  content: Keystream,
  sizeBytes: number,
  onSent: (sentBytes: number) => Promise<void> = async () => undefined,
): Promise<string> {
  const boundary = `waybill-${randomBytes(12).toString('hex')}`;
  const head = [
    `--${boundary}\r\nContent-Disposition: form-data; name="do"\r\n\r\nupload\r\n`,
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n`,
    'Content-Type: application/octet-stream\r\n\r\n',
  ].join('');
  const tail = `\r\n--${boundary}--\r\n`;
  const { outgoing, pendingResponse } = await openRequest(client, 'POST', 'cgi/upload.cgi', {
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    'Content-Length': String(head.length + sizeBytes + tail.length),
  });
  const digest = createHash('sha256');
  outgoing.write(head);
  let sentBytes = 0;
  for (const piece of content.pieces(0, sizeBytes)) {
    digest.update(piece);
    if (!outgoing.write(piece)) await once(outgoing, 'drain');
    sentBytes += piece.length;
    await onSent(sentBytes);
  }
  outgoing.end(tail);
  const response = await pendingResponse;
  const body = await text(response);
  if (response.statusCode !== 200 || body !== '{"status":"done"}') {
    throw new Error(`the response to the upload was ${response.statusCode} ${body}`);
  }
  return digest.digest('hex');
}
