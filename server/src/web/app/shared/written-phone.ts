/** The calling codes with two digits; 1 and 7 have one, and all others three. */
const twoDigits = new Set(
  '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98'.split(
    ' ',
  ),
);
/** How long a number is within countries where it does not begin with 0. */
const withoutZero: Readonly<Record<string, number>> = { 1: 10, 34: 9, 39: 10, 45: 8, 47: 8, 48: 9, 351: 9, 420: 9 };
/** The usual country of a language, where there is one. */
const countries: Readonly<Record<string, string>> = { de: '49', es: '34', fr: '33', sv: '46' };

export type WrittenPhone =
  | { readonly number: string }
  | { readonly fault: 'short' | 'invalid'; readonly digitCount: number };

/** The country of numbers that are written without one: that of the account's own number, or else of the language. */
export function chooseCallingCode(accountPhone: string, language: string): string | undefined {
  if (accountPhone === '') return countries[language];
  if (/^[17]/.test(accountPhone)) return accountPhone.slice(0, 1);
  return accountPhone.slice(0, twoDigits.has(accountPhone.slice(0, 2)) ? 2 : 3);
}

/** Reads a mobile number as people write it: `070-123 45 67`, `+46 (0)70 123 45 67` or `0046701234567`. */
export function readWrittenPhone(text: string, callingCode: string | undefined): WrittenPhone {
  const written = text.replace('(0)', '').replaceAll(/[\s()./\u2010-\u2015-]/g, '');
  const digits = written.replace(/^(?:\+|00)/, '');
  const digitCount = digits.length;
  if (!/^\d+$/.test(digits)) return { fault: 'invalid', digitCount };
  if (digitCount < 7) return { fault: 'short', digitCount };
  const isInternational = digits !== written;
  const number = isInternational ? digits : addCallingCode(digits, callingCode);
  return number === undefined || !/^[1-9]\d{6,14}$/.test(number) ? { fault: 'invalid', digitCount } : { number };
}

function addCallingCode(digits: string, callingCode: string | undefined): string | undefined {
  if (digits.startsWith('0')) return callingCode === undefined ? undefined : callingCode + digits.slice(1);
  const isNational = callingCode !== undefined && withoutZero[callingCode] === digits.length;
  return isNational ? callingCode + digits : digits;
}
