const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Flags, emoji, and what a variation selector or a joiner turns into one. */
const emoji = /^(?:\p{Emoji_Presentation}|\p{RI}{2}|\p{Emoji}\ufe0f|\p{Extended_Pictographic}.*\u200d)/u;
const takesNoColumn = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
/** Unicode Standard Annex 11: East Asian Width W and F, without emoji. */
const takesTwoColumns =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]$/u;

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return Iterator.from(graphemes.segment(text)).reduce((sum, { segment }) => sum + columnsOf(segment), 0);
}

function columnsOf(grapheme: string): number {
  if (emoji.test(grapheme)) return 2;
  return Array.from(grapheme).reduce(
    (sum, character) => sum + (takesNoColumn.test(character) ? 0 : takesTwoColumns.test(character) ? 2 : 1),
    0,
  );
}

/** The text, or its beginning and an ellipsis, in at most so many columns. A character is never cut in two. */
export function shortened(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let beginning = '';
  let left = columns - 1;
  for (const { segment } of graphemes.segment(text)) {
    left -= columnsOf(segment);
    if (left < 0) break;
    beginning += segment;
  }
  return columns < 1 ? '' : `${beginning.trimEnd()}…`;
}

export function padded(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return side === 'left' ? `${text}${space}` : `${space}${text}`;
}

/** A text in lines of at most so many columns, where its words allow it. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    const longer = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && widthOf(longer) > columns) lines.push(line);
    line = line === undefined || widthOf(longer) <= columns ? longer : word;
  }
  return line === undefined ? lines : [...lines, line];
}
