import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { convertQuery } from './route-options.ts';

const schema = Type.Object({ limit: Type.Integer(), descendants: Type.Boolean(), search: Type.String() });

test.each([
  [
    { limit: '20', descendants: 'true', search: '7' },
    { limit: 20, descendants: true, search: '7' },
  ],
  [
    { limit: '2e3', descendants: 'TRUE' },
    { limit: '2e3', descendants: 'TRUE' },
  ],
  [
    { limit: '', descendants: 'false' },
    { limit: '', descendants: false },
  ],
  [
    { limit: ['1', '2'], unknown: '3' },
    { limit: ['1', '2'], unknown: '3' },
  ],
])('%j is %j', (query, typed) => {
  expect(convertQuery(schema, query)).toEqual(typed);
});
