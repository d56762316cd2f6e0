import { ExchangeError } from './exchange-error.ts';

/** Douglas Crockford's alphabet of 32 characters: no letter that looks like a digit, and none that forms words. */
export const readableAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** As it may be read out over the telephone and typed by another person. */
export function normalizeTypedCode(typed: string): string {
  return typed.trim().toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
}

/**
 * The short number that people use for a drop, as in `WB-7F3K-29QD`: on pages, in mails, in commands and in the log. It
 * is the end of the drop's id, which is random, so nothing needs to be stored. It is not a secret and gives access to nothing.
 */
export function toReference(dropId: string): string {
  let rest = Number.parseInt(takeEnd(dropId), 16);
  let digits = '';
  for (let place = 0; place < 8; place += 1) {
    digits = readableAlphabet.charAt(rest % 32) + digits;
    rest = Math.floor(rest / 32);
  }
  return `WB-${digits.slice(0, 4)}-${digits.slice(4)}`;
}

/** The end of the ids of all drops with this reference, as hexadecimal digits; undefined when it is not a reference. */
export function readIdEnd(reference: string): string | undefined {
  const digits = /^WB-?([0-9A-Z]{4})-?([0-9A-Z]{4})$/.exec(normalizeTypedCode(reference))?.slice(1).join('');
  return digits === undefined ? undefined : toHexadecimal(digits, endLength);
}

/** The same for what must be a reference. */
export function requireIdEnd(reference: string): string {
  const idEnd = readIdEnd(reference);
  if (idEnd === undefined) throw new ExchangeError('invalid_input', 'Send a reference such as WB-7F3K-29QD.');
  return idEnd;
}

/** The same for one of the two groups of characters of a reference, which is half as many hexadecimal digits. */
export function readHalfOfIdEnd(group: string): string | undefined {
  const digits = /^(?:WB-?)?([0-9A-Z]{4})$/.exec(normalizeTypedCode(group))?.[1];
  return digits === undefined ? undefined : toHexadecimal(digits, endLength / 2);
}

function toHexadecimal(digits: string, length: number): string | undefined {
  let value = 0;
  for (const digit of digits) {
    const place = readableAlphabet.indexOf(digit);
    if (place < 0) return undefined;
    value = value * 32 + place;
  }
  return value.toString(16).padStart(length, '0');
}

/** 40 bits: among ten million drops, a few dozen pairs share them. A lookup finds all drops that share a reference. */
const endLength = 10;

function takeEnd(dropId: string): string {
  return dropId.replaceAll('-', '').slice(-endLength);
}

/** The texts to look for where a part of a text, a reference or one of its groups is searched for; none if it is empty. */
export function listSearchedTexts(text: string): string[] {
  if (text === '') return [];
  return [text, readIdEnd(text), readHalfOfIdEnd(text)].filter((each) => each !== undefined);
}
