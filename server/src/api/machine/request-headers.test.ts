import { describe, expect, test } from 'vitest';
import { parseIfMatch } from '../shared/if-match.ts';
import { prefersFileDigests, prefersLenient, readDraftName } from './request-headers.ts';

const sent = (name: string, value: string | undefined) => ({ headers: { [name]: value } });
const malformed = expect.objectContaining({ code: 'malformed_request' });

describe('Waybill-Draft', () => {
  test.each([
    [undefined, ''],
    ['a', 'a'],
    ['Worker_7-b', 'Worker_7-b'],
    ['x'.repeat(64), 'x'.repeat(64)],
  ])('%s names the draft', (value, draft) => {
    expect(readDraftName(sent('waybill-draft', value))).toBe(draft);
  });

  test.each(['', 'x'.repeat(65), 'a b', 'a/b', 'ä', 'a\n', '../x', 'a,b'])('%j is refused', (value) => {
    expect(() => readDraftName(sent('waybill-draft', value))).toThrow(malformed);
  });
});

describe('Prefer', () => {
  test.each([
    ['handling=lenient', true],
    ['Handling="LENIENT"', true],
    ['respond-async, handling=lenient', true],
    ['handling=lenient; note=x, wait=5', true],
    ['handling = lenient', true],
    ['handling=strict', false],
    ['handling=strict, handling=lenient', false],
    ['handling=lenient, handling=strict', true],
    ['xhandling=lenient', false],
    ['handling=lenientish', false],
    ['lenient', false],
    ['', false],
    [undefined, false],
  ])('%s: lenient %s', (value, lenient) => {
    expect(prefersLenient(sent('prefer', value))).toBe(lenient);
  });

  test.each([
    ['file-digests', true],
    ['File-Digests', true],
    ['handling=lenient, file-digests', true],
    ['file-digests; x=1, wait=5', true],
    ['file-digests=""', true],
    ['file-digests=no', false],
    ['xfile-digests', false],
    ['file-digestsx', false],
    ['handling=file-digests', false],
    ['', false],
    [undefined, false],
  ])('%s: file digests %s', (value, digests) => {
    expect(prefersFileDigests(sent('prefer', value))).toBe(digests);
  });
});

describe('If-Match', () => {
  test.each([
    [undefined, undefined],
    ['*', undefined],
    [' * ', undefined],
    ['"1-0"', ['1-0']],
    ['"1-0", "2-0"', ['1-0', '2-0']],
    ['"1-0","2-0"', ['1-0', '2-0']],
    ['W/"1-0"', []],
    ['W/"1-0", "2-0"', ['2-0']],
    ['"1-0", W/"2-0", "3-0"', ['1-0', '3-0']],
    ['1-0', []],
    ['', []],
  ])('%s allows %j', (value, versions) => {
    expect(parseIfMatch(sent('if-match', value))).toEqual(versions);
  });
});
