/** Douglas Crockford's alphabet of 32 characters: no letter that looks like a digit, and none that forms words. */
export const readableAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** As it may be read out over the telephone and typed by another person. */
export function readAsMeant(typed: string): string {
  return typed.trim().toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
}
