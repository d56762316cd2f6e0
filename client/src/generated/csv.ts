// Copied by npm run generate from protocol/src/csv.ts. Change that file, not this one.
export interface CsvRecord {
  /** The number of its first line, counted from 1. */
  line: number;
  fields: string[];
}

/** The separators that spreadsheets use, depending on the country. */
const separators = [',', ';', '\t'];

/**
 * Parses CSV (RFC 4180) and skips empty lines. The separator is the most frequent one in the first line. If a quotation
 * mark is unbalanced, returns the number of its line.
 */
export function parseCsv(text: string): CsvRecord[] | { brokenLine: number } {
  const content = text.replace(/^\ufeff/, '');
  const header = /^[^\r\n]*/.exec(content)?.[0] ?? '';
  const separator = separators.toSorted((one, other) => header.split(other).length - header.split(one).length)[0];
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r\\n|\\r|\\n|$)`, 'y');
  const records: CsvRecord[] = [];
  let line = 1;
  let record: CsvRecord = { line, fields: [] };
  while (field.lastIndex < content.length) {
    const found = field.exec(content);
    if (found === null) return { brokenLine: line };
    const [whole, quoted, bare = '', end] = found;
    record.fields.push((quoted?.replaceAll('""', '"') ?? bare).trim());
    line += whole.split(/\r\n|\r|\n/).length - 1;
    if (end === separator && field.lastIndex < content.length) continue;
    if (record.fields.some((value) => value !== '')) records.push(record);
    record = { line, fields: [] };
  }
  return records;
}
