import { expect, test } from 'vitest';
import { splitReceivers } from './read-receivers.ts';

const a = { email: 'a@example.org', name: '' };
const b = { email: 'b@example.org', name: '' };

test.each([
  ['a@example.org, b@example.org', [a, b]],
  ['a@example.org;b@example.org;', [a, b]],
  ['A@Example.org\r\n\r\n  b@example.org\n', [a, b]],
  ['a@example.org b@example.org', [a, b]],
  ['mailto:a@example.org', [a]],
  ['<a@example.org>', [a]],
  ['Kim Park <a@example.org>, b@example.org', [{ ...a, name: 'Kim Park' }, b]],
  ['"Park, Kim" <a@example.org>, b@example.org', [{ ...a, name: 'Park, Kim' }, b]],
  [
    'Park, Kim <a@example.org>; Ortega, Tomás <b@example.org>',
    [
      { ...a, name: 'Park, Kim' },
      { ...b, name: 'Ortega, Tomás' },
    ],
  ],
  ['a@example.org <a@example.org>', [a]],
  ['Auditors, a@example.org', [{ word: 'Auditors' }, a]],
  ['a(at)example.org, b@example', [{ word: 'a(at)example.org' }, { word: 'b@example' }]],
  ['Kim <a@example.org', [{ word: 'Kim <a@example.org' }]],
  ['Kim <>', [{ word: 'Kim <>' }]],
  ['Kim <<a@example.org>', [{ word: 'Kim <<a@example.org>' }]],
  ['Kim <a@example.org>>', [{ word: 'Kim <a@example.org>>' }]],
  ['"Kim <Park>"<a@example.org>', [{ ...a, name: 'Kim <Park>' }]],
  ['"Kim" Park <a@example.org>', [{ word: '"Kim" Park <a@example.org>' }]],
  ['"unclosed, a@example.org', [{ word: '"unclosed' }, a]],
  [' ,;\n', []],
])('%j', (text, understood) => {
  expect([...splitReceivers(text)].filter((part) => part !== undefined)).toEqual(understood);
});

test.each(['"', ' ', '-', '@', '<', '>', '" ', '\t"'])(
  'a text with a long run of %j takes time that grows with its length alone',
  (run) => {
    const startedAt = process.threadCpuUsage();
    const long = run.repeat(200_000);
    for (const text of [long, `a${long}a`, `${long}<`, `${long}>`, `"a${long}"<a`]) void [...splitReceivers(text)];
    const { user, system } = process.threadCpuUsage(startedAt);
    expect((user + system) / 1000).toBeLessThan(2000);
  },
);
