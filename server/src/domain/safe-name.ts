/** Characters that end a line or a header, change the direction of the text after them, or cannot be seen. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** Characters of an address. Mail programs normalize names, so that look-alikes of these may become them. */
const ofAddress = /[@<>"]/;
/** Joiners are part of words in Persian and in Indic scripts, and of pictures. */
const unwanted = /[^\P{Cf}\u200c\u200d]/gu;
const breaks = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;

/**
 * Whether a name may stand for somebody in mails and on pages: of a person, an account or a visitor. An address in it, or
 * what looks like one, could be mistaken for the address that a mail comes from.
 */
export function isSafeName(name: string): boolean {
  const normal = name.normalize('NFKC');
  return !invisible.test(name) && !invisible.test(normal) && !ofAddress.test(normal);
}

/**
 * Removes from a name that an account gives a receiver, a contact or a group everything that nobody sees, and puts it on
 * one line. Programs may use an address as a name, so that one is kept.
 */
export function toVisibleName(name: string): string {
  return name.replaceAll(breaks, ' ').replaceAll(unwanted, '').trim();
}

/** The names of groups in that form, each once; one of which nothing can be seen is none. */
export function toVisibleGroups(names: readonly string[]): string[] {
  return [...new Set(names.map(toVisibleName).filter((name) => name !== ''))];
}
