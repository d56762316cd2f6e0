import { createHmac } from 'node:crypto';
import { deriveKey } from '../derive-key.ts';
import type { Random } from '../ports/random.ts';
import { normalizeTypedCode, readableAlphabet } from '../reference.ts';

export const recoveryCodeCount = 10;

/** 50 random bits each, as in `7F3K2-9QDXW`. */
const codeLength = 10;
const shape = new RegExp(`^[${readableAlphabet}]{${codeLength}}$`);

/** The codes of a person, which are shown once. All are different. */
export function newRecoveryCodes(random: Random): string[] {
  const codes = new Set<string>();
  while (codes.size < recoveryCodeCount) codes.add(newCode(random));
  return [...codes];
}

/**
 * The value under which a code is stored and found. Undefined for a text that cannot be a code. A code is bound to its
 * person. A slow hash is not needed: the pepper is not in the database, and failed sign-ins are limited.
 */
export function digestRecoveryCode(typed: string, personId: string, pepper: Buffer): Buffer | undefined {
  const code = normalizeTypedCode(typed).replaceAll(/[\s-]/g, '');
  if (!shape.test(code)) return undefined;
  return createHmac('sha256', deriveKey(pepper, 'waybill recovery code')).update(`${personId} ${code}`).digest();
}

function newCode(random: Random): string {
  // 256 is a multiple of 32, so every character is equally likely.
  const characters = Array.from(random.bytes(codeLength), (byte) => readableAlphabet.charAt(byte % 32)).join('');
  return `${characters.slice(0, codeLength / 2)}-${characters.slice(codeLength / 2)}`;
}
