import type { ServerResponse } from 'node:http';
import { discardBuffer } from '../../domain/flow/discard-buffer.ts';

/**
 * Writes a part of a file and waits until there is room for the next. Fails when the client has disconnected, so that
 * no sender continues without a reader. A pipe would not tell when the part was sent and its memory can be freed.
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
  await waitForDrain(response);
  requireReader(response);
}

/** Ends the response and waits until its last byte is sent or the client has disconnected. */
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

/** Resolves when there is room again or the client has disconnected. */
function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
    if (response.destroyed) go();
  });
}
