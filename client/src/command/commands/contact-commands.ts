import { type Command, Option } from 'commander';
import type { ContactFilter } from '../../resources/contacts.ts';
import type { Context } from '../context.ts';
import { addExamples, collectValues, validateWith } from '../options.ts';
import {
  type AddContactsCommandOptions,
  addContacts,
  exportContacts,
  type ImportContactsCommandOptions,
  importContacts,
  listContacts,
  removeContacts,
} from './contacts.ts';
import { isLanguage, isPhone, languageRule, phoneRule } from './contacts-file.ts';

export function addContactCommands(program: Command, context: () => Context): void {
  const contacts = addExamples(
    program.command('contacts').description('list and change the people files can be sent to'),
    'waybill contacts list',
    'waybill contacts add anna@example.com --name Anna',
  );
  addExamples(
    contacts
      .command('list')
      .description('list the account’s contacts, and those that every account has')
      .option('--search <text>', 'only those whose address or name contains this')
      .addOption(
        new Option('--list <list>', 'only the account’s own, or only those that every account has').choices([
          'local',
          'global',
        ]),
      )
      .action((filter: Pick<ContactFilter, 'search' | 'list'>) => listContacts(context(), filter)),
    'waybill contacts list',
    'waybill contacts list --search anna --list local',
  );
  addExamples(
    contacts
      .command('add')
      .description('add contacts')
      .argument('<address...>', 'their e-mail addresses')
      .option('--name <name>', 'their name')
      .option('--phone <digits>', `their mobile number: ${phoneRule}`, validateWith(isPhone, phoneRule))
      .option(
        '--language <tag>',
        `the language of their mails: ${languageRule}`,
        validateWith(isLanguage, languageRule),
      )
      .option('--group <name>', 'a group they belong to; can be repeated', collectValues)
      .option('--update', 'change contacts that exist already instead of refusing them')
      .action((addresses: string[], options: AddContactsCommandOptions) => addContacts(context(), addresses, options)),
    'waybill contacts add anna@example.com --name Anna --phone 46701234567 --language sv',
    'waybill contacts add anna@example.com bert@example.com --group auditors --update',
  );
  addExamples(
    contacts
      .command('remove')
      .description('remove contacts')
      .argument('<address...>', 'their e-mail addresses')
      .action((addresses: string[]) => removeContacts(context(), addresses)),
    'waybill contacts remove anna@example.com',
  );
  addExamples(
    contacts
      .command('import')
      .description('add the contacts of a CSV or JSON file, and change those that exist already')
      .argument(
        '<file>',
        'CSV with a first line such as email,name,phone,language,groups, or JSON as `waybill contacts export` writes it; - is standard input',
      )
      .option('--yes', 'do not ask before contacts are changed')
      .action((file: string, options: ImportContactsCommandOptions) => importContacts(context(), file, options)),
    'waybill contacts import contacts.csv',
    'waybill contacts import --yes contacts.json',
  );
  addExamples(
    contacts
      .command('export')
      .description('print the account’s own contacts as JSON')
      .action(() => exportContacts(context())),
    'waybill contacts export > contacts.json',
  );
}
