// Copied by npm run generate from protocol/src/csv.ts. Change that file, not this one.
export interface CsvRecord {
  /** The number of its first line, counted from 1. */
  line: number;
  fields: string[];
}

/** Why a text is not the CSV that is wanted, and the number of the line where that shows. */
export interface CsvFault {
  fault: 'quote' | 'columns';
  line: number;
}

/** Of one record. */
export interface CsvLimits {
  fields: number;
  /** Its characters, with those of its quotation marks. */
  length: number;
}

const noLimits: CsvLimits = { fields: Number.POSITIVE_INFINITY, length: Number.POSITIVE_INFINITY };

/** The separators that spreadsheets use, depending on the country. */
const separators = [',', ';', '\t'];
/** As much of the first line as is looked at for its separator. */
const headerLength = 16 * 1024;

/**
 * Parses CSV (RFC 4180). The separator is the most frequent one in the first line. If a quotation mark is unbalanced,
 * returns the number of its line.
 */
export function parseCsv(text: string): CsvRecord[] | { brokenLine: number } {
  const records: CsvRecord[] = [];
  for (const record of readCsv(text, noLimits)) {
    if (record === undefined) continue;
    if ('fault' in record) return { brokenLine: record.line };
    records.push(record);
  }
  return records;
}

/**
 * The records of CSV one by one, undefined for an empty line. Nothing is parsed ahead, so the reader may stop at any, or
 * do something else in between. A fault is the last. A quotation mark that is not closed within the length of a record counts as
 * unbalanced.
 */
export function* readCsv(text: string, most: CsvLimits): Generator<CsvRecord | CsvFault | undefined, void, void> {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  const header = /^[^\r\n]*/.exec(text.slice(start, start + headerLength))?.[0] ?? '';
  const counts = new Map(separators.map((separator) => [separator, header.split(separator).length]));
  const [separator = ','] = separators.toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
  const unquoted = new RegExp(`[^"${separator}\\r\\n]*`, 'y');
  let line = 1;
  let record: CsvRecord = { line, fields: [] };
  let recordStart = start;
  for (let at = start; at < text.length; ) {
    const isQuoted = text[at] === '"';
    const end = isQuoted ? findQuoteEnd(text, at, recordStart + most.length) : matchEnd(unquoted, text, at);
    const value = isQuoted ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end);
    const mark = text[end];
    const isBroken = end === -1 || (mark !== undefined && mark !== separator && mark !== '\r' && mark !== '\n');
    const isTooLong = record.fields.length === most.fields || end - recordStart > most.length;
    if (isBroken || isTooLong) {
      yield { fault: isBroken ? 'quote' : 'columns', line };
      return;
    }
    record.fields.push(value.trim());
    if (isQuoted) line += countLines(value);
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
    if (mark === separator && at < text.length) continue;
    if (mark !== separator && mark !== undefined) line += 1;
    yield record.fields.some((field) => field !== '') ? record : undefined;
    record = { line, fields: [] };
    recordStart = at;
  }
}

/** The position after the closing quotation mark; -1 if there is none up to the limit. */
function findQuoteEnd(text: string, start: number, limit: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1 && at < limit; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at + 1;
  }
  return -1;
}

function matchEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  pattern.test(text);
  return pattern.lastIndex;
}

function countLines(text: string): number {
  return text.split(/\r\n|\r|\n/).length - 1;
}
