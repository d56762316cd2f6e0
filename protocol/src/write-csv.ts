const pieceLength = 16 * 1024;

/** A cell that a spreadsheet program would run as a formula: it ignores spaces, and treats wide characters as usual ones. */
const formula = /^[\s\p{Cc}]*[=+\-@＝＋－＠]/u;
/** A formula after the quotation mark that turns it into text. */
const protectedFormula = /^'(?=[\s\p{Cc}]*[=+\-@＝＋－＠])/u;

/**
 * Writes a table as CSV (RFC 4180) in UTF-8; the mark at its beginning tells spreadsheet programs so. Cells come from other
 * people: one that would run as a formula begins with a quotation mark, which makes it a text.
 */
export async function* writeCsv(rows: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let piece = '\ufeff';
  for await (const row of rows) {
    piece += `${row.map(writeCell).join(',')}\r\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function writeCell(text: string): string {
  return `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

/** Takes the quotation mark away again that `writeCsv` puts before a formula. */
export function restoreCell(text: string): string {
  return text.replace(protectedFormula, '');
}
