import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { toJsonText, toPrintable } from './printable.ts';

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u001b', '\u007f', '\u0085', '\u009b', '\u202e', '\u2028', '\u061c', '\n', '\r', '"', '\\'),
    fc.string({ unit: 'grapheme', maxLength: 1 }),
  ),
});

test.prop([fc.array(fc.record({ name: hostile })), fc.constantFrom(undefined, 2)])(
  'JSON has the same value, and no character that controls a terminal',
  (value, indent) => {
    const text = toJsonText(value, indent);
    expect(JSON.parse(text)).toEqual(value);
    expect(toPrintable(text.replaceAll('\n', ''))).toBe(text.replaceAll('\n', ''));
    if (indent === undefined) expect(text).not.toContain('\n');
  },
);
