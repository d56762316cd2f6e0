import { createHmac } from 'node:crypto';

export const codeMinutes = 10;
export const codeSeconds = codeMinutes * 60;

/**
 * Six digits, derived from the drop's link key and the id of the message that carries them: whoever has the database
 * alone has no code, and the worker that sends one need not be told it.
 */
export function codeOf(linkKey: Buffer, codeId: string): string {
  const number = createHmac('sha256', linkKey).update(`code:${codeId}`).digest().readBigUInt64BE() % 1_000_000n;
  return number.toString().padStart(6, '0');
}
