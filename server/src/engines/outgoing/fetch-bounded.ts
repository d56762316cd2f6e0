/** Reads a response, and ends the connection if it is longer. */
export async function readBounded(response: Response, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > maxBytes) throw new RangeError('the response is too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The cause of a failed `fetch`, which itself says only that it failed. */
export function describeFailure(error: unknown, timeoutMs: number): string {
  const { name, cause = error } = error as Error;
  if (name === 'TimeoutError') return `no response within ${timeoutMs / 1000} seconds`;
  const { message, code } = cause as Error & { code?: string };
  return message || code || 'no response';
}
