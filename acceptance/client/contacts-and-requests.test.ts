// The commands for contacts and requests, against the real server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAccount, uniqueAddress } from '../lib/accounts.ts';
import { ended, Person } from './command.ts';

async function told(person: Person, ...words: string[]): Promise<Record<string, unknown>[]> {
  const { exitCode, stdout, stderr } = await ended(person.start('--json', ...words));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function toEnd(request: unknown): number {
  return Date.parse((request as { expires_at: string }).expires_at);
}

test('contacts of more than one request are imported, exported and unchanged when they are imported again', async () => {
  using person = new Person(await createAccount('importer'));
  const rows = Array.from({ length: 1_001 }, (_, index) => `p${index}@example.org,Person ${index},press`);
  writeFileSync(join(person.home, 'contacts.csv'), ['email,name,groups', ...rows].join('\n'));
  expect(await told(person, 'contacts', 'import', '--yes', 'contacts.csv')).toMatchObject([{ added: 1_001 }]);
  await told(person, 'contacts', 'add', '--update', 'p7@example.org', '--name', 'Somebody', '--phone', '46701234567');
  const somebody = { email: 'p7@example.org', name: 'Somebody', phone: '46701234567', language: '', groups: ['press'] };
  expect(await told(person, 'contacts', 'list', '--search', 'some')).toEqual([{ ...somebody, list: 'local' }]);

  const { stdout } = await ended(person.start('contacts', 'export'));
  writeFileSync(join(person.home, 'contacts.json'), stdout);
  expect(JSON.parse(stdout)).toContainEqual(somebody);
  expect(await told(person, 'contacts', 'import', 'contacts.json')).toMatchObject([{ unchanged: 1_001 }]);
  expect(await told(person, 'contacts', 'remove', 'P7@example.org')).toMatchObject([{ contacts: 1 }]);
  expect(await ended(person.start('contacts', 'remove', 'nobody@example.org'))).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining('nobody@example.org is not a contact') as string,
  });
});

test('a request is made once for a key, shown, extended and revoked by its reference', async () => {
  using person = new Person(await createAccount('asker'));
  const contact = uniqueAddress('asked');
  const words = ['request', '--to', contact, '--reusable', '--no-mail', '--days', '1', '--key', 'contract'];
  const [made, link] = await told(person, ...words);
  expect(link).toMatchObject({ status: 'link', email: contact, link: expect.stringContaining('/u/') as unknown });
  expect(await told(person, ...words)).toEqual([made, link]);
  expect(await told(person, 'history', '--requests')).toMatchObject([{ id: made?.['id'], reusable: true }]);

  const reference = String(made?.['reference']);
  const receivers = [{ email: contact, state: 'waiting', sendings: 0 }];
  expect(await told(person, 'show', reference)).toMatchObject([{ id: made?.['id'], state: 'live', receivers }]);
  const [extended] = await told(person, 'extend', reference, '--days', '2');
  expect(toEnd(extended?.['request'])).toBeGreaterThan(toEnd(made));
  expect(await told(person, 'revoke', reference, '--yes')).toMatchObject([{ request: { state: 'revoked' } }]);
});
