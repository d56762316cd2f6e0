import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { ContactsAddRequest } from '@waybill/protocol';
import { Check, Errors } from 'typebox/value';
import { replaceGlobalContacts } from '../domain/contacts/replace-global-contacts.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { type AddCommand, print } from './command.ts';

export const contactCommands: AddCommand = (parent, withEngines) => {
  const contacts = parent.command('contacts').description('the global contacts, which every account sees');

  contacts
    .command('list')
    .description('the global contacts')
    .option('--json', 'answer as JSON')
    .action((options: { json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const found = await engines.store.contacts.readGlobal();
        print(
          options.json,
          found,
          found.map((contact) => [contact.email, contact.nick].filter(Boolean).join('  ')),
        );
      }),
    );

  contacts
    .command('set')
    .description('replace the global contacts')
    .requiredOption('--file <path>', 'a JSON array of contacts; - for standard input')
    .option('--json', 'answer as JSON')
    .action((options: { file: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const source = options.file === '-' ? await text(process.stdin) : await readFile(options.file, 'utf8');
        const count = await replaceGlobalContacts(engines, parseContacts(source));
        print(options.json, { count }, [`${count} global contacts are set.`]);
      }),
    );
};

function parseContacts(source: string) {
  const value: unknown = JSON.parse(source);
  if (Check(ContactsAddRequest, value)) return value;
  const [error] = Errors(ContactsAddRequest, value);
  throw new ExchangeError('invalid_input', `The list is not valid: ${error?.instancePath || '/'} ${error?.message}.`);
}
