import { ignoreNotFound, WaybillError } from '../../errors.ts';
import type { Contact, ContactDetails, ImportedContact } from '../../generated/wire.ts';
import type { ContactChanges, ContactFilter } from '../../resources/contacts.ts';
import type { Waybill } from '../../waybill.ts';
import { type Context, notFoundError, withClient } from '../context.ts';
import { confirm } from '../terminal/ask.ts';
import { pluralize } from '../terminal/format.ts';
import { toJsonText } from '../terminal/printable.ts';
import type { Column } from '../terminal/table.ts';
import { readContactsFile } from './contacts-file.ts';

const contactColumns: readonly Column<Contact>[] = [
  { header: 'ADDRESS', cell: ({ email }) => email, min: 20 },
  { header: 'NAME', cell: ({ name }) => name, min: 8 },
  { header: 'PHONE', cell: ({ phone }) => phone },
  { header: 'LANGUAGE', cell: ({ language }) => language },
  { header: 'GROUPS', cell: ({ groups }) => groups.join(', '), min: 8 },
  {
    header: 'LIST',
    cell: ({ list }) => (list === 'local' ? '' : list),
    plain: ({ list }) => list,
  },
];

export async function listContacts(context: Context, filter: Pick<ContactFilter, 'search' | 'list'>): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const shown = await output.printList(contactColumns, client.contacts.list({ ...filter, signal }));
    if (shown === 0) output.notice('There are no contacts.');
  });
}

export interface AddContactsCommandOptions extends Omit<ContactDetails, 'groups'> {
  group?: string[];
  update?: boolean;
}

/** Adds all contacts, or none if one exists already. */
export async function addContacts(
  context: Context,
  addresses: string[],
  { group, update = false, ...details }: AddContactsCommandOptions,
): Promise<void> {
  const { output, signal } = context;
  const groups = group === undefined ? {} : { groups: group };
  const contacts = addresses.map((email) => ({ email, ...details, ...groups }));
  await withClient(context, async (client) => {
    if (!update) requireNewContacts(await client.contacts.checkImport(contacts, { signal }));
    const { created, changed } = await client.contacts.import(contacts, { signal });
    const isSame = created.length + changed.length === 0;
    const done = `${update ? 'Added or changed' : 'Added'} ${pluralize(contacts.length, 'contact')}.`;
    await output.print(isSame ? 'Nothing to change.' : done, { status: 'added', contacts: contacts.length });
  });
}

function requireNewContacts({ changed, unchanged }: ContactChanges): void {
  const [known] = [...changed, ...unchanged];
  if (known) throw new WaybillError('contact_exists', `${known.email} is already a contact; nothing was changed.`);
}

/** Removes all that are contacts, before it reports those that are not. */
export async function removeContacts(context: Context, addresses: string[]): Promise<void> {
  const { output, signal } = context;
  const unknown: string[] = [];
  await withClient(context, async (client) => {
    for (const address of addresses) {
      const removing = client.contacts.delete(address, { signal }).then(() => true);
      if (!(await ignoreNotFound(removing))) unknown.push(address);
    }
  });
  const removed = addresses.length - unknown.length;
  if (removed > 0) {
    await output.print(`Removed ${pluralize(removed, 'contact')}.`, { status: 'removed', contacts: removed });
  }
  if (unknown.length === 0) return;
  const verb = unknown.length === 1 ? 'is not a contact' : 'are not contacts';
  throw notFoundError(`${unknown.join(', ')} ${verb} of this account.`, 'waybill contacts list --list local');
}

/** Prints the account's own contacts as JSON, which `import` reads. */
export async function exportContacts(context: Context): Promise<void> {
  const { terminal, signal } = context;
  const contacts: ImportedContact[] = [];
  await withClient(context, async (client) => {
    for await (const { list: _list, ...contact } of client.contacts.list({ list: 'local', signal })) {
      contacts.push(contact);
    }
  });
  terminal.output.write(`${toJsonText(contacts, 2)}\n`);
}

export interface ImportContactsCommandOptions {
  yes?: boolean;
}

/** The preview of a long import shows only the first changes. */
const maxPreviewedChanges = 20;

interface Change {
  kind: 'new' | 'changed';
  email: string;
  what: string;
}

const changeColumns: readonly Column<Change>[] = [
  { header: 'CHANGE', cell: ({ kind }) => kind, style: ({ kind }) => (kind === 'new' ? 'green' : undefined) },
  { header: 'ADDRESS', cell: ({ email }) => email, min: 20 },
  { header: 'DETAILS', cell: ({ what }) => what, min: 20 },
];

/** Adds the contacts of a file, and changes those that exist, after a preview and a confirmation. */
export async function importContacts(
  context: Context,
  path: string,
  { yes }: ImportContactsCommandOptions,
): Promise<void> {
  const { terminal, output, signal } = context;
  const contacts = await readContactsFile(terminal, path);
  await withClient(context, async (client) => {
    let changes = await client.contacts.checkImport(contacts, { signal });
    const count = changes.created.length + changes.changed.length;
    if (count > 0) {
      if (!output.isJson) output.printPreview(changeColumns, await previewChanges(client, changes, signal), count);
      output.notice(`${pluralize(contacts.length, 'contact')}: ${summarize(changes)}.`);
      if (!(await confirm(terminal, signal, 'Import them?', yes))) return await output.printUnchanged();
      changes = await client.contacts.import(contacts, { signal });
    }
    const text =
      count === 0
        ? `Nothing to change: ${pluralize(contacts.length, 'contact is', 'contacts are')} unchanged.`
        : `Imported ${pluralize(contacts.length, 'contact')}: ${summarize(changes)}.`;
    await output.print(text, {
      status: 'imported',
      contacts: contacts.length,
      added: changes.created.length,
      changed: changes.changed.length,
      unchanged: changes.unchanged.length,
    });
  });
}

function summarize({ created, changed, unchanged }: ContactChanges): string {
  return `${created.length} new, ${changed.length} changed, ${unchanged.length} unchanged`;
}

/** Reads the contacts of the preview: the server reports which contacts would change, but not how. */
async function previewChanges(
  client: Waybill,
  { created, changed }: ContactChanges,
  signal: AbortSignal,
): Promise<Change[]> {
  const shownNew = created.slice(0, maxPreviewedChanges).map(describeNewContact);
  const shownChanged = changed.slice(0, maxPreviewedChanges - shownNew.length).map(async (contact) => {
    const before = await ignoreNotFound(client.contacts.get(contact.email, { signal }));
    return before === undefined ? describeNewContact(contact) : describeChangedContact(before, contact);
  });
  return [...shownNew, ...(await Promise.all(shownChanged))];
}

function describeNewContact(contact: ImportedContact): Change {
  const what = providedFields(contact).map(([field, value]) => `${field}: ${value}`);
  return { kind: 'new', email: contact.email, what: what.join(', ') };
}

function describeChangedContact(before: Contact, contact: ImportedContact): Change {
  const what = providedFields(contact).flatMap(([field, value]) => {
    const old = String(before[field]);
    return old === value ? [] : [`${field}: ${old === '' ? '(none)' : old} → ${value === '' ? '(none)' : value}`];
  });
  return { kind: 'changed', email: contact.email, what: what.join(', ') };
}

function providedFields(contact: ImportedContact): (readonly [field: keyof ContactDetails, value: string])[] {
  const fields = ['name', 'phone', 'language', 'groups'] as const;
  return fields.flatMap((field) => {
    const value = contact[field];
    return value === undefined ? [] : [[field, String(value)] as const];
  });
}
