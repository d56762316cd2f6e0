const controlCharacters = /\p{Cc}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces characters that control a terminal or reverse the text, because names and messages come from others. */
export function toPrintable(text: string): string {
  return text.replace(controlCharacters, '\ufffd');
}

/** Replaces API keys and links, which a user may have typed in another place by mistake: messages end up in logs. */
export function hideKeys(text: string): string {
  return text.replace(/\b(wbl?_)[\w-]+/g, '$1…').replace(/(\/[du]\/)[\w-]{20,}/g, '$1…');
}

/**
 * Returns a value as JSON. Characters that `toPrintable` replaces are escaped instead; the only line breaks are those
 * of the indentation.
 */
export function toJsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(controlCharacters, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
