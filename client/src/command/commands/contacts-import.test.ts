import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ImportedContact } from '../../generated/wire.ts';
import { fakeTerminal, withUserInput } from '../../testing/fake-terminal.ts';
import { succeed, WireServer } from '../../testing/wire-server.ts';
import { run } from '../run.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-import-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const anna = { email: 'anna@example.org', name: 'Anna', phone: '', language: 'sv', groups: ['a'], list: 'local' };

/** The server has a contact Anna with another name, and an identical contact Bo. */
function makeResult({ email }: ImportedContact): { email: string; result: string } {
  const results: Record<string, string> = { 'anna@example.org': 'changed', 'bo@example.org': 'unchanged' };
  return { email, result: results[email.toLowerCase()] ?? 'created' };
}

/** Imports a file, and confirms the import if there is a terminal. */
async function importFile(content: string, { words = [] as string[], reply = undefined as string | undefined } = {}) {
  const path = join(home, 'contacts.csv');
  writeFileSync(path, content);
  await using server = await WireServer.start(({ method, body }, response) => {
    if (method === 'GET') return succeed(response, anna);
    const { contacts } = JSON.parse(body.toString()) as { contacts: ImportedContact[] };
    succeed(response, { contacts: contacts.map(makeResult) });
  });
  const account = { WAYBILL_URL: server.baseUrl, WAYBILL_USER: 'alpha@machines.test', WAYBILL_API_KEY: 'wb_key' };
  const terminal = fakeTerminal(home, { ...account, NO_COLOR: '1' });
  if (reply !== undefined) withUserInput(terminal, () => reply).errors.columns = 100;
  const exit = await run(terminal, ['contacts', 'import', path, ...words], new AbortController().signal, '1');
  const written = server.requests.find(({ path: requested }) => requested === 'contacts/import');
  return {
    exit,
    output: terminal.output.text,
    errors: terminal.errors.text.replaceAll(home, '~'),
    written: written && (JSON.parse(written.body.toString()) as { contacts: unknown }).contacts,
    reads: server.paths().filter((asked) => asked.startsWith('GET')),
  };
}

const file = 'Email;Name;Groups\nANNA@example.org;Anna B.;"a, b"\nbo@example.org;;\ncy@example.org;Cy;\n';

describe('waybill contacts import', () => {
  test('shows new, changed and unchanged contacts, and asks for confirmation', async () => {
    const { exit, output, errors, written } = await importFile(file, { reply: 'y' });
    expect(exit).toBe(0);
    expect(errors.split('\n').slice(0, 4)).toEqual([
      'CHANGE   ADDRESS           DETAILS',
      'new      cy@example.org    name: Cy',
      'changed  ANNA@example.org  name: Anna → Anna B., groups: a → a,b',
      '3 contacts: 1 new, 1 changed, 1 unchanged.',
    ]);
    expect(output).toBe('Imported 3 contacts: 1 new, 1 changed, 1 unchanged.\n');
    expect(written).toEqual([
      { email: 'ANNA@example.org', name: 'Anna B.', groups: ['a', 'b'] },
      { email: 'bo@example.org' },
      { email: 'cy@example.org', name: 'Cy' },
    ]);
  });

  test.each(['n', '', 'yesterday'])('changes nothing after the reply %j', async (reply) => {
    const { exit, output, errors, written } = await importFile(file, { reply });
    expect({ exit, output }).toEqual({ exit: 0, output: 'Nothing was changed.\n' });
    expect(errors).not.toContain('waybill:');
    expect(written).toBeUndefined();
  });

  test('names every faulty line, up to a hundred of them', async () => {
    const two = await importFile('email,phone\nanna@example.org,+46\nbo@example.org,\nnobody,\n');
    expect(two).toMatchObject({ exit: 2, written: undefined });
    expect(two.errors).toContain(
      [
        'waybill: ~/contacts.csv has 2 faulty contacts; nothing was imported.',
        '         line 2: "phone" must be 7 to 15 digits, starting with the country code, without + or spaces',
        '         line 4: "nobody" is not a valid e-mail address',
      ].join('\n'),
    );
    const many = await importFile(`email\n${'nobody\n'.repeat(1_234)}`);
    expect(many.errors).toContain('has 1,234 faulty contacts');
    expect(many.errors).toMatch(/ line 101: .*\n {9}… and 1,134 more\n/);
    expect(many.errors).not.toContain('line 102:');
  });

  test('needs --yes without a terminal', async () => {
    const refused = await importFile(file);
    expect(refused).toMatchObject({ exit: 2, written: undefined });
    expect(refused.errors).toContain('add --yes');
    const done = await importFile(file, { words: ['--yes', '--json'] });
    expect(done.exit).toBe(0);
    expect(JSON.parse(done.output)).toEqual({ status: 'imported', contacts: 3, added: 1, changed: 1, unchanged: 1 });
    expect(done.written).toHaveLength(3);
    expect(done).toMatchObject({ errors: '', reads: [] });
  });

  test('does not ask if there is nothing to change', async () => {
    expect(await importFile('email,name\nbo@example.org,Bo\n')).toMatchObject({
      exit: 0,
      written: undefined,
      output: 'Nothing to change: 1 contact is unchanged.\n',
    });
    // Spreadsheets pad lines with empty cells.
    expect(await importFile('email,name\nbo@example.org,Bo,,\n')).toMatchObject({ exit: 0 });
  });

  test('accepts the column names of the machine API', async () => {
    const { written } = await importFile('email,nick,number\ncy@example.org,Cy,46701234567\n', { words: ['--yes'] });
    expect(written).toEqual([{ email: 'cy@example.org', name: 'Cy', phone: '46701234567' }]);
  });

  test('shows the beginning of a long list', async () => {
    const many = Array.from({ length: 50 }, (_, index) => `p${index}@example.org`);
    const { errors } = await importFile(`email\n${many.join('\n')}\n`, { reply: 'y' });
    expect(errors).toContain('… and 30 more\n50 contacts: 50 new');
  });

  test.each([
    ['name\nAnna\n', '~/contacts.csv has no column email.'],
    ['email,colour\na@example.org,red\n', '~/contacts.csv has an unknown column "colour".'],
    ['email\na@example.org\nnobody\n', '~/contacts.csv, line 3: "nobody" is not a valid e-mail address.'],
    ['email,name\n,Anna\n', '~/contacts.csv, line 2: it has no "email".'],
    ['email,name\na@example.org,Anna,sv\n', '~/contacts.csv, line 2: it has 3 fields, and the first line has 2.'],
    [
      'email,name\n"a@example.org,Anna\nb@example.org,"Bo"\n',
      '~/contacts.csv, line 2: a quotation mark is unbalanced.',
    ],
    ['email\n"a@example.org\n', '~/contacts.csv, line 2: a quotation mark is unbalanced.'],
  ])('refuses %j', async (content, message) => {
    const { exit, errors } = await importFile(content, { words: ['--yes'] });
    expect(exit).toBe(2);
    expect(errors).toContain(`waybill: ${message}`);
  });
});
