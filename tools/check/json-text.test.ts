// The client and the server print JSON by the same rule, each in its own code: the client imports nothing of the server.
import { expect, test } from 'vitest';
import { toJsonText as inClient } from '../../client/src/command/terminal/printable.ts';
import { toJsonText as inServer } from '../../server/src/admin/json-text.ts';

const writers = { client: inClient, server: inServer };

const cases: readonly (readonly [what: string, value: string, text: string])[] = [
  ['plain text', 'Årsrapport 2026.pdf', '"Årsrapport 2026.pdf"'],
  ['an emoji of several characters', '👩‍💻', '"👩‍💻"'],
  ['an escape sequence', 'a\u001b[2J', '"a\\u001b[2J"'],
  ['controls that JSON leaves', '\u007f\u0085\u009b31m', '"\\u007f\\u0085\\u009b31m"'],
  ['text that is reversed', 'a\u202etxt\u2066\u2069\u200f\u061c', '"a\\u202etxt\\u2066\\u2069\\u200f\\u061c"'],
  ['separators of lines', '\u2028\u2029', '"\\u2028\\u2029"'],
  ['line breaks, quotation marks and backslashes', 'a\r\n\t"\\', '"a\\r\\n\\t\\"\\\\"'],
  ['half of a character', '\ud800', '"\\ud800"'],
  ['text that looks escaped', '\\u001b', '"\\\\u001b"'],
];

for (const [who, toJsonText] of Object.entries(writers)) {
  test.each(cases)(`the ${who} writes %s`, (_what, value, text) => {
    expect(toJsonText(value)).toBe(text);
    expect(toJsonText({ [value]: [value] })).toBe(`{${text}:[${text}]}`);
    expect(JSON.parse(toJsonText(value))).toBe(value);
  });
}
