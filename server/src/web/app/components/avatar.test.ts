import { expect, test } from 'vitest';
import { toInitials } from './avatar.tsx';

test.each([
  ['Maya Lindqvist', 'ML'],
  ['maya.lindqvist@acme.example', 'ML'],
  ['orders@acme.example', 'O'],
  ['Plant 2', 'P2'],
  ['Northwind (Plant 2, Gothenburg)', 'NG'],
  ['Émile Œuvrard', 'ÉŒ'],
  ['山田 太郎', '山太'],
  ['𝒜da', '𝒜'],
  ['  ', ''],
])('the initials of %s are %s', (name, initials) => {
  expect(toInitials(name)).toBe(initials);
});
