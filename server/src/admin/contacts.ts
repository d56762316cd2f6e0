import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { limits, ContactInput as WireInput } from '@waybill/protocol';
import { Type } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { resolveInStartDirectory } from '../config/start-directory.ts';
import type { ContactInput } from '../domain/contacts/contact-input.ts';
import { listGlobalContacts } from '../domain/contacts/read-contacts.ts';
import { replaceGlobalContacts } from '../domain/contacts/replace-contacts.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { type AddCommand, addExamples, print } from './command.ts';

export const contactCommands: AddCommand = (parent, withEngines) => {
  const contacts = parent
    .command('contacts')
    .description('list and replace the global contacts, which every account sees');
  addExamples(contacts, 'waybilld admin contacts list', 'waybilld admin contacts set --file global.json');

  const list = contacts
    .command('list')
    .description('list the global contacts')
    .option('--json', 'print one JSON array')
    .action((options: { json?: boolean }) =>
      withEngines(async (engines) => {
        const found = await listGlobalContacts(engines);
        print(
          options.json,
          found,
          found.map((contact) => [contact.email, contact.name].filter(Boolean).join('  ')),
        );
      }),
    );
  addExamples(list, 'waybilld admin contacts list', 'waybilld admin contacts list --json > global.json');

  const set = contacts
    .command('set')
    .description('replace the global contacts by those of a file')
    .requiredOption(
      '--file <path>',
      'a JSON array of contacts, as `contacts list --json` prints it; - for standard input',
    )
    .option('--json', 'print JSON')
    .action(async (options: { file: string; json?: boolean }) => {
      const wanted = await readContactsFile(options.file);
      return withEngines(async (engines) => {
        const count = await replaceGlobalContacts(engines, wanted);
        print(options.json, { count }, [`${count} global contacts are set.`]);
      });
    });
  addExamples(
    set,
    'waybilld admin contacts set --file global.json',
    `echo '[{"email":"desk@example.org","name":"Desk"}]' | waybilld admin contacts set --file -`,
  );
};

const { email, name, number: phone, language, groups } = WireInput.properties;
const fileContactProperties = { email, name, phone, language, groups };
const FileContacts = Type.Array(Type.Object(fileContactProperties, { additionalProperties: false }), {
  maxItems: limits.contactsPerAccount,
});

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EISDIR: 'it is a directory',
  EACCES: 'permission is denied',
};

/** The contacts in a JSON file, or in standard input for `-`. An error message names the place in the file. */
export async function readContactsFile(path: string): Promise<ContactInput[]> {
  const source = path === '-' ? 'Standard input' : path;
  const json =
    path === '-'
      ? await text(process.stdin)
      : await readFile(resolveInStartDirectory(path), 'utf8').catch(cannotRead(path));
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw invalid(source, `is not JSON${findPlace(cause as Error)}`);
  }
  if (Check(FileContacts, value)) {
    return value.map((contact) => ({
      ...contact,
      phone: contact.phone === undefined ? undefined : String(contact.phone),
    }));
  }
  throw invalid(source, findProblem(value));
}

function cannotRead(path: string): (error: NodeJS.ErrnoException) => never {
  return ({ code = '', message }) => {
    throw invalid(path, `cannot be read: ${reasons[code] ?? message}`);
  };
}

function invalid(source: string, problem: string): ExchangeError {
  return new ExchangeError('invalid_input', `${source} ${problem}.`);
}

function findPlace({ message }: Error): string {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line) return `: see line ${line}, column ${column}`;
  return message.includes('end of JSON') ? ': it ends too early' : '';
}

function findProblem(value: unknown): string {
  if (!Array.isArray(value)) return 'must be a list of contacts, such as [{"email":"desk@example.org","name":"Desk"}]';
  const findings = Errors(FileContacts, value);
  const [, entry, field] = findings[0]?.instancePath.split('/') ?? [];
  if (entry === undefined) return 'has too many contacts';
  const place = `has a mistake in contact ${Number(entry) + 1}:`;
  const fields: Record<string, object> = fileContactProperties;
  if (field === undefined) return `${place} it must be an object with an "email"`;
  if (!Object.hasOwn(fields, field)) {
    return `${place} "${field}" is not a field of a contact; those are ${Object.keys(fields).join(', ')}`;
  }
  const { description } = fields[field] as { description?: string };
  return `${place} "${field}" ${description ? `must be ${description}` : 'is of the wrong type or too long'}`;
}
