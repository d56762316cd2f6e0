import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readContactsFile } from './contacts.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-contacts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'global.json');

test('a list of contacts is read', async () => {
  writeFileSync(path, '[{"email":"desk@example.org","name":"Desk"},{"email":"a@example.org","phone":46701234567}]');
  expect(await readContactsFile(path)).toEqual([
    { email: 'desk@example.org', name: 'Desk' },
    { email: 'a@example.org', phone: '46701234567' },
  ]);
});

test.each([
  ['', 'is not JSON: it ends too early.'],
  ['[\n{"email":"a@example.org",}]', 'is not JSON: see line 2, column 26.'],
  ['{"email":"a@example.org"}', 'must be a list of contacts, such as [{"email":"desk@example.org","name":"Desk"}].'],
  ['[{"email":"a@example.org"},{"name":"B"}]', 'has a mistake in contact 2: it must be an object with an "email".'],
  ['[7]', 'has a mistake in contact 1: it must be an object with an "email".'],
  [
    '[{"email":"a@example.org","phone":"12"}]',
    'has a mistake in contact 1: "phone" must be a telephone number of 7 to 15 digits, with the country code and without + or spaces.',
  ],
  ['[{"email":7}]', 'has a mistake in contact 1: "email" is of the wrong type or too long.'],
  [
    '[{"email":"a@example.org","nick":"A"}]',
    'has a mistake in contact 1: "nick" is not a field of a contact; those are email, name, phone, language, groups.',
  ],
])('what is wrong with %s is said with its place', async (json, problem) => {
  writeFileSync(path, json);
  await expect(readContactsFile(path)).rejects.toThrow(`${path} ${problem}`);
});

test('a file that cannot be read is named', async () => {
  await expect(readContactsFile(join(folder, 'none'))).rejects.toThrow(/none cannot be read: it does not exist\.$/);
  await expect(readContactsFile(folder)).rejects.toThrow(`${folder} cannot be read: it is a directory.`);
});
