import { createCipheriv, createDecipheriv } from 'node:crypto';
import { discardBuffer } from '../flow/discard-buffer.ts';

/**
 * How a file's bytes are sealed. A file is cut into chunks of up to 8 MiB, each stored as one object. A chunk is cut
 * into segments of 64 KiB, each sealed by AES-256-GCM under the file's own key or one derived from it (the STREAM
 * construction):
 *
 *   nonce  7 bytes of format name · 4 bytes of segment number, counted over the whole file · 1 byte: 1 on the last
 *   AAD    the id of the file, or of the run (chunk-runs.ts)
 *
 * The number, the last-segment flag and the id make the check fail if segments are reordered, truncated, extended or
 * spliced. Because every segment is sealed independently, a range can be read without what precedes it. A key seals one
 * run of one file once, so the nonce never repeats. An empty file is one empty last segment.
 */
export const segmentBytes = 64 * 1024;
export const tagBytes = 16;
export const sealedSegmentBytes = segmentBytes + tagBytes;
export const segmentsPerChunk = 128;
export const chunkBytes = segmentBytes * segmentsPerChunk;

const formatName = Buffer.from('wb-seal', 'latin1');

export interface SegmentSeal {
  readonly dataKey: Buffer;
  readonly fileId: string;
}

/** Seals one segment into `target` at `offset`; returns the offset after it. */
export function sealSegment(
  seal: SegmentSeal,
  number: number,
  last: boolean,
  plaintext: Buffer,
  target: Buffer,
  offset: number,
): number {
  const cipher = createCipheriv('aes-256-gcm', seal.dataKey, nonce(number, last), { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(seal.fileId));
  const sealed = cipher.update(plaintext);
  const end = offset + sealed.copy(target, offset);
  discardBuffer(sealed);
  cipher.final();
  cipher.getAuthTag().copy(target, end);
  return end + tagBytes;
}

/** The segment's plaintext. Throws when it is not exactly what was sealed there. */
export function openSegment(seal: SegmentSeal, number: number, last: boolean, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', seal.dataKey, nonce(number, last), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(seal.fileId));
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  const plaintext = decipher.update(sealed.subarray(0, sealed.length - tagBytes));
  decipher.final();
  return plaintext;
}

export function segmentCount(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / segmentBytes));
}

/** The size of these segments of a file when they are sealed. */
export function sealedBytes(file: { readonly sizeBytes: number }, from: number, end: number): number {
  const plaintext = Math.min(end * segmentBytes, file.sizeBytes) - from * segmentBytes;
  return plaintext + (end - from) * tagBytes;
}

/** Unique per attempt, and contains nothing that a user chose. */
export function chunkKey(fileId: string, chunk: number): string {
  return `${fileId}/${chunk.toString().padStart(8, '0')}`;
}

function nonce(number: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  formatName.copy(bytes);
  bytes.writeUInt32BE(number, 7);
  bytes[11] = last ? 1 : 0;
  return bytes;
}
