import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { fileName } from './file-name.ts';

const invalid = expect.objectContaining({ code: 'invalid_name' });

describe('takes', () => {
  test.each([
    'a',
    'report 2026.pdf',
    '.profile',
    '...',
    'a..b',
    'räksmörgås.txt',
    '文書.docx',
    '😀.png',
    // Joined by an invisible character that affects what is displayed.
    '👩\u200d🚀.png',
    '❤\ufe0f.txt',
    'می\u200cخواهم.txt',
    '\u200b.txt',
    'semi;colon "quoted" <b>.html',
    '{{7*7}} ${7*7} $(id) `id`',
    '100%.txt',
    '50%20off',
    '__proto__',
    'constructor',
    'CON',
    'ab:c',
    'x'.repeat(255),
    'ä'.repeat(127),
  ])('%s', (name) => {
    expect(fileName(name)).toBe(name);
  });

  test('two spellings of one name as one name', () => {
    expect(fileName('u\u0308ber')).toBe('\u00fcber');
    expect(fileName('\u212b')).toBe('\u00c5');
    expect(fileName('u\u0308'.repeat(127))).toBe('ü'.repeat(127));
  });
});

describe('refuses', () => {
  test.each([
    '',
    ' ',
    '\u3000',
    '\u200b',
    '\u200d\u200c',
    '\u2060\u00ad',
    '\u3164',
    '\u115f\u1160',
    '\u2800',
    '\u{e0020}\u{e007f}',
    '\ufe0f',
    ' \u200b ',
    '\u200b.',
    '.\u2060.',
    '.',
    '..',
    '../x',
    'a/b',
    '/etc/passwd',
    'a\\b',
    '..\\x',
    '..%2f..%2fetc',
    '..%2Fx',
    '%2e%2e',
    '%252e%252e%252f',
    '%25255c',
    'a%5cb',
    'a%00.txt',
    'C:x',
    'c:\\x',
    'a\0b',
    'a\nb',
    'a\r\nContent-Type: x',
    '\u007f',
    '\u0085',
    'a\u2028b',
    'a\u2029b',
    'gpj.\u202eexe',
    'a\u200fb',
    '\u2066x\u2069',
    '\u061c',
    '\ufeffa',
    '\ud800',
    'a\udfff',
    'x'.repeat(256),
    'ä'.repeat(128),
    '😀'.repeat(64),
  ])('%j', (name) => {
    expect(() => fileName(name)).toThrow(invalid);
  });
});

test.prop([fc.string({ unit: 'binary', maxLength: 300 })])('what is taken once is taken again, and stays', (text) => {
  let name: string;
  try {
    name = fileName(text);
  } catch (error) {
    expect(error).toEqual(invalid);
    return;
  }
  expect(fileName(name)).toBe(name);
  expect(name).toBe(text.normalize('NFC'));
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  expect(name).not.toMatch(/[\p{Cc}/\\\u202a-\u202e\u2066-\u2069]/u);
});
