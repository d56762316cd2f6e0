import type { ContactChanges } from '../contacts.ts';
import type { Contact, ContactInput } from '../wire.ts';
import { openClient } from './account.ts';
import { confirm } from './ask.ts';
import { readContactsFile } from './contacts-file.ts';
import { counted } from './send.ts';
import type { Column } from './table.ts';
import type { Answers, Terminal } from './terminal.ts';

export interface ContactFields {
  nick?: string;
  number?: string;
  language?: string;
  group?: string[];
  update?: boolean;
}

type ListedContact = Contact & { list: 'own' | 'global' };

const contactColumns: readonly Column<ListedContact>[] = [
  { header: 'ADDRESS', cell: ({ email }) => email, min: 20 },
  { header: 'NAME', cell: ({ nick }) => nick, min: 8 },
  { header: 'NUMBER', cell: ({ number }) => number },
  { header: 'LANGUAGE', cell: ({ language }) => language },
  { header: 'GROUPS', cell: ({ groups }) => groups.join(', '), min: 8 },
  {
    header: 'WHOSE',
    cell: ({ list }) => (list === 'own' ? '' : 'every account’s'),
    plain: ({ list }) => list,
  },
];

export async function listContacts(terminal: Terminal, answers: Answers, signal: AbortSignal): Promise<void> {
  const { client } = await openClient(terminal);
  const { local, global } = await client.contacts.list({ signal });
  client.close();
  const listed = [
    ...local.map((contact): ListedContact => ({ ...contact, list: 'own' })),
    ...global.map((contact): ListedContact => ({ ...contact, list: 'global' })),
  ];
  await answers.list(contactColumns, listed);
  if (listed.length === 0) answers.notice('There are no contacts.');
}

export async function addContacts(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  addresses: string[],
  { nick, number, language, group, update = false }: ContactFields,
): Promise<void> {
  const fields = {
    ...(nick === undefined ? {} : { nick }),
    ...(number === undefined ? {} : { number }),
    ...(language === undefined ? {} : { language }),
    ...(group === undefined ? {} : { groups: group }),
  };
  const contacts = addresses.map((email) => ({ email, ...fields }));
  const { client } = await openClient(terminal);
  await (update ? client.contacts.upsert(contacts, { signal }) : client.contacts.add(contacts, { signal }));
  client.close();
  await answers.say(`${update ? 'Added or changed' : 'Added'} ${counted(contacts.length, 'contact')}.`, {
    status: 'added',
    contacts: contacts.length,
  });
}

export async function removeContacts(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  addresses: string[],
): Promise<void> {
  const { client } = await openClient(terminal);
  const removed = await client.contacts.remove(addresses, { signal });
  client.close();
  await answers.say(`Removed ${counted(removed, 'contact')}.`, { status: 'removed', contacts: removed });
}

/** Prints the account's own contacts as JSON, which `import` reads. */
export async function exportContacts(terminal: Terminal, signal: AbortSignal): Promise<void> {
  const { client } = await openClient(terminal);
  const { local } = await client.contacts.list({ signal });
  client.close();
  terminal.output.write(`${JSON.stringify(local, undefined, 2)}\n`);
}

export interface ImportOptions {
  yes?: boolean;
}

/** Of a long list, one reads only the beginning. */
const shownChanges = 20;

interface Change {
  kind: 'new' | 'changed';
  email: string;
  what: string;
}

const changeColumns: readonly Column<Change>[] = [
  { header: 'CHANGE', cell: ({ kind }) => kind, style: ({ kind }) => (kind === 'new' ? 'green' : undefined) },
  { header: 'ADDRESS', cell: ({ email }) => email, min: 20 },
  { header: 'WHAT', cell: ({ what }) => what, min: 20 },
];

/** Adds the contacts of a file, and changes those that exist already, after showing what that means. */
export async function importContacts(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  path: string,
  { yes }: ImportOptions,
): Promise<void> {
  const contacts = await readContactsFile(terminal, path);
  const { client } = await openClient(terminal);
  const { added, changed, unchanged } = await client.contacts.compare(contacts, { signal });
  const summary = [`${added.length} new`, `${changed.length} changed`, `${unchanged.length} unchanged`].join(', ');
  if (added.length + changed.length > 0) {
    answers.preview(changeColumns, [...added.map(newContact), ...changed.map(changedContact)], shownChanges);
    answers.notice(`${counted(contacts.length, 'contact')}: ${summary}.`);
    await confirm(terminal, signal, 'Import them?', yes);
    await client.contacts.upsert(contacts, { signal });
  }
  client.close();
  await answers.say(`Imported ${counted(contacts.length, 'contact')}: ${summary}.`, {
    status: 'imported',
    contacts: contacts.length,
    added: added.length,
    changed: changed.length,
    unchanged: unchanged.length,
  });
}

function newContact(contact: ContactInput): Change {
  return {
    kind: 'new',
    email: contact.email,
    what: given(contact)
      .map(([field, value]) => `${field}: ${value}`)
      .join(', '),
  };
}

function changedContact({ before, given: contact }: ContactChanges['changed'][number]): Change {
  const what = given(contact).flatMap(([field, value]) => {
    const old = String(before[field]);
    return old === value ? [] : [`${field}: ${old === '' ? '(none)' : old} → ${value === '' ? '(none)' : value}`];
  });
  return { kind: 'changed', email: contact.email, what: what.join(', ') };
}

function given(contact: ContactInput): (readonly [field: Exclude<keyof Contact, 'email'>, value: string])[] {
  const fields = ['nick', 'number', 'language', 'groups'] as const;
  return fields.flatMap((field) => {
    const value = contact[field];
    return value === undefined ? [] : [[field, String(value)] as const];
  });
}
