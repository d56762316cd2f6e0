import type { ServerResponse } from 'node:http';
import { discardBuffer } from '../../domain/files/discard-buffer.ts';

/**
 * Writes a part of a file and waits until there is room for the next. It fails when nobody is left to read, so that no
 * sender goes on for nobody. It is not a pipe, because only so is it known when the part has left and its memory can be
 * given back.
 */
export async function writeBytes(
  response: ServerResponse,
  bytes: Buffer,
  onLeft: (length: number) => void = () => undefined,
): Promise<void> {
  requireReader(response);
  const room = response.write(bytes, (error) => {
    if (error) return;
    onLeft(bytes.length);
    discardBuffer(bytes);
  });
  if (room) return;
  await drained(response);
  requireReader(response);
}

/** Ends the response and waits until its last byte has left, or nobody is left to read it. */
export async function endResponse(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    response.once('finish', resolve).once('close', resolve);
    response.end();
  });
}

function requireReader(response: ServerResponse): void {
  if (response.destroyed) throw new Error('the client is gone');
}

/** When there is room again, or nobody is left to read. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
    if (response.destroyed) go();
  });
}
