import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findNearMisses, isSlip } from './near-miss.ts';

const known = ['kim.park@northwind.example', 'tomas@northwind.example', 'team1@acme.example'];
const domains = new Set(['northwind.example', 'acme.example']);

test.each([
  ['tomas@northwlnd.example', 'tomas@northwind.example'],
  ['new@nothwind.example', 'new@northwind.example'],
  ['new@northiwnd.example', 'new@northwind.example'],
  ['kim.prak@northwind.example', 'kim.park@northwind.example'],
  ['kim.parkk@northwind.example', 'kim.park@northwind.example'],
])('%s is near %s', (email, meant) => {
  expect(findNearMisses([email], known, domains)).toEqual([{ email, meant }]);
});

test.each([
  'somebody@northwind.example',
  'kim.park@northwind.example',
  'team2@acme.example',
  'anna@elsewhere.example',
  'kim.park@north.example',
])('%s is no near miss', (email) => {
  expect(findNearMisses([email], known, domains)).toEqual([]);
});

test('an account that has sent to nobody has no near misses', () => {
  expect(findNearMisses(['a@b.example', 'c@d.example'], [], new Set())).toEqual([]);
});

test('every single slip is found, and it goes both ways', () => {
  const name = fc.stringMatching(/^[a-z]{6,20}$/);
  fc.assert(
    fc.property(name, fc.nat(), fc.constantFrom('drop', 'double', 'swap'), (word, number, slip) => {
      const at = number % (word.length - 1);
      const [before, one = '', two = '', after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
      const middle = { drop: two, double: one + one + two, swap: two + one }[slip];
      const wrong = before + middle + after;
      fc.pre(wrong !== word);
      expect([isSlip(word, wrong), isSlip(wrong, word)]).toEqual([true, true]);
      expect(findNearMisses([`a@${wrong}.example`], [`b@${word}.example`], new Set([`${word}.example`]))).toEqual([
        { email: `a@${wrong}.example`, meant: `a@${word}.example` },
      ]);
    }),
  );
});
