import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describePlan } from './migrate.ts';

const adds = { name: '0038_adds.sql', purpose: 'A drop has a colour.', isConcurrent: false };
const indexes = { name: '0039_index.sql', purpose: '', isConcurrent: true };
const removes = (contractSince: string) => ({
  name: '0040_drop_shapes.sql',
  purpose: 'Shapes are gone.',
  isConcurrent: false,
  contractSince,
});

test('a plan says that the version that runs now can stay', () => {
  expect(describePlan([])).toEqual(['The schema is up to date.']);
  expect(describePlan([adds, indexes, removes('0037_colours.sql')])).toEqual([
    '0038_adds.sql  A drop has a colour.',
    '0039_index.sql (builds indexes while tables are in use)',
    '0040_drop_shapes.sql (versions without 0037_colours.sql do not run after it)  Shapes are gone.',
    'The version that runs now can run during these changes and after them.',
  ]);
});

test('docs/upgrading.md shows a plan as it is printed', () => {
  const document = readFileSync(new URL('../../../docs/upgrading.md', import.meta.url), 'utf8');
  expect(document).toContain(`\n${describePlan([removes('0037_colours.sql')]).join('\n')}\n`);
});

test('a plan that skips a version says what to do', () => {
  expect(describePlan([adds, removes(adds.name)]).at(-1)).toBe(
    'The version that runs now does not run after 0040_drop_shapes.sql: install the versions in between first, or stop all its processes.',
  );
});
