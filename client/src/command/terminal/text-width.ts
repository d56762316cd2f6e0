const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Flags, emoji, and sequences with a variation selector or a joiner. */
const emoji = /^(?:\p{Emoji_Presentation}|\p{RI}{2}|\p{Emoji}\ufe0f|\p{Extended_Pictographic}.*\u200d)/u;
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
/** Unicode Standard Annex 11: East Asian Width W and F, without emoji. */
const doubleWidth =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]$/u;

/** Returns how many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return Iterator.from(graphemes.segment(text)).reduce((sum, { segment }) => sum + graphemeWidth(segment), 0);
}

function graphemeWidth(grapheme: string): number {
  if (emoji.test(grapheme)) return 2;
  return Array.from(grapheme).reduce(
    (sum, character) => sum + (zeroWidth.test(character) ? 0 : doubleWidth.test(character) ? 2 : 1),
    0,
  );
}

/** Returns the text, or its beginning and an ellipsis, in at most the given number of columns. */
export function shorten(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let beginning = '';
  let left = columns - 1;
  for (const { segment } of graphemes.segment(text)) {
    left -= graphemeWidth(segment);
    if (left < 0) break;
    beginning += segment;
  }
  return columns < 1 ? '' : `${beginning.trimEnd()}…`;
}

export function pad(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return side === 'left' ? `${text}${space}` : `${space}${text}`;
}

/** Splits a text into lines of at most the given number of columns, if its words are short enough. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    const longer = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && textWidth(longer) > columns) lines.push(line);
    line = line === undefined || textWidth(longer) <= columns ? longer : word;
  }
  return line === undefined ? lines : [...lines, line];
}
