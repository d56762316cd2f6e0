const controlCharacters = /\p{Cc}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Names and messages come from others: characters that control a terminal or reverse the text are replaced. */
export function toPrintable(text: string): string {
  return text.replace(controlCharacters, '\ufffd');
}

/**
 * Writes a value as JSON. Characters that `printable` replaces are escaped, so that the value stays the same; line breaks
 * are only those of the indentation.
 */
export function toJsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(controlCharacters, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
