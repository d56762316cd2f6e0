import { createHmac } from 'node:crypto';

export const codeMinutes = 10;
export const codeSeconds = codeMinutes * 60;

/** Whether this could be a code at all: six digits, with spaces anywhere. */
export function isCodeShaped(typed: string): boolean {
  return /^\d{6}$/.test(withoutSpaces(typed));
}

export function withoutSpaces(typed: string): string {
  return typed.replaceAll(/\s/g, '');
}

/**
 * Six digits, derived from the drop's link key and the id of the message that carries them: the database alone does not
 * reveal a code, and the worker that sends one need not be told it.
 */
export function deriveCode(linkKey: Buffer, codeId: string): string {
  const number = createHmac('sha256', linkKey).update(`code:${codeId}`).digest().readBigUInt64BE() % 1_000_000n;
  return number.toString().padStart(6, '0');
}
