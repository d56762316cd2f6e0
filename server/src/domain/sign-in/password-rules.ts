import { isCommonPassword } from './common-passwords.ts';
import { maxPasswordLength, normalizePassword } from './password.ts';

export const minPasswordLength = 12;

/** Why a password cannot be chosen. */
export type PasswordFault = 'too_short' | 'too_long' | 'unreadable' | 'common' | 'personal';

/** Texts that anybody who attacks this person would try first. */
export interface PasswordContext {
  readonly email: string;
  readonly name: string;
  readonly operatorName: string;
}

/**
 * The rules of NIST SP 800-63B for a new password: long enough, and not one that is tried first. No kinds of characters
 * are required, because that makes passwords harder to remember and not harder to guess.
 */
export function findPasswordFault(password: string, context: PasswordContext): PasswordFault | undefined {
  const text = normalizePassword(password);
  const length = Array.from(text).length;
  if (length < minPasswordLength) return 'too_short';
  if (length > maxPasswordLength) return 'too_long';
  // A lone surrogate has no bytes in UTF-8: passwords that differ in one would have the same hash.
  if (!text.isWellFormed()) return 'unreadable';
  if (isCommonPassword(text)) return 'common';
  return isPersonal(text, context) ? 'personal' : undefined;
}

/** Shorter words appear in other words by chance. */
const minWordLength = 4;
/** The length that must remain of a password without the words that are known about the person. */
const minRemaining = 6;

function isPersonal(password: string, { email, name, operatorName }: PasswordContext): boolean {
  const known = [email, name, operatorName, 'waybill'];
  const words = [...known, ...known.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))]
    .map(simplify)
    .filter((word) => word.length >= minWordLength)
    .toSorted((one, other) => other.length - one.length);
  const simple = simplify(password);
  let rest = simple;
  for (const word of words) rest = rest.replaceAll(word, '');
  return rest !== simple && Array.from(rest).length < minRemaining;
}

/** Letters and digits only, without accents and case: `Anna-Lena Öst` is tried as `annalenaost` too. */
function simplify(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
