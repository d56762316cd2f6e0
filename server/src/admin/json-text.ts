/**
 * Writes a value as JSON. Characters that control a terminal or reverse the text are escaped, because names and messages
 * come from others: the value stays the same.
 */
export function toJsonText(value: unknown): string {
  return JSON.stringify(value).replace(
    /\p{Cc}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
