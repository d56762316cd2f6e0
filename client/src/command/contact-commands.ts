import { type Command, InvalidArgumentError } from 'commander';
import {
  addContacts,
  type ContactFields,
  exportContacts,
  type ImportOptions,
  importContacts,
  listContacts,
  removeContacts,
} from './contacts.ts';
import { isLanguage, isNumber, languageRule, numberRule } from './contacts-file.ts';
import { examples, several } from './options.ts';
import type { Answers, Terminal } from './terminal.ts';

export function addContactCommands(
  program: Command,
  terminal: Terminal,
  signal: AbortSignal,
  answers: () => Answers,
): void {
  const contacts = examples(
    program.command('contacts').description('list and change the people files can be sent to'),
    'waybill contacts list',
    'waybill contacts add anna@example.com --nick Anna',
  );
  examples(
    contacts
      .command('list')
      .description('list the account’s contacts, and those that every account has')
      .action(() => listContacts(terminal, answers(), signal)),
    'waybill contacts list',
  );
  examples(
    contacts
      .command('add')
      .description('add contacts')
      .argument('<address...>', 'their e-mail addresses')
      .option('--nick <name>', 'their name in lists')
      .option('--number <digits>', `their mobile number: ${numberRule}`, only(isNumber, numberRule))
      .option('--language <tag>', `the language of their mails: ${languageRule}`, only(isLanguage, languageRule))
      .option('--group <name>', 'a group they belong to; can be repeated', several)
      .option('--update', 'change contacts that exist already instead of refusing them')
      .action((addresses: string[], options: ContactFields) =>
        addContacts(terminal, answers(), signal, addresses, options),
      ),
    'waybill contacts add anna@example.com --nick Anna --number 46701234567 --language sv',
    'waybill contacts add anna@example.com bert@example.com --group auditors --update',
  );
  examples(
    contacts
      .command('remove')
      .description('remove contacts')
      .argument('<address...>', 'their e-mail addresses')
      .action((addresses: string[]) => removeContacts(terminal, answers(), signal, addresses)),
    'waybill contacts remove anna@example.com',
  );
  examples(
    contacts
      .command('import')
      .description('add the contacts of a CSV or JSON file, and change those that exist already')
      .argument(
        '<file>',
        'CSV with a first line such as email,nick,number,language,groups, or JSON as `waybill contacts export` writes it; - is standard input',
      )
      .option('--yes', 'do not ask before contacts are changed')
      .action((file: string, options: ImportOptions) => importContacts(terminal, answers(), signal, file, options)),
    'waybill contacts import contacts.csv',
    'waybill contacts import --yes contacts.json',
  );
  examples(
    contacts
      .command('export')
      .description('print the account’s own contacts as JSON')
      .action(() => exportContacts(terminal, signal)),
    'waybill contacts export > contacts.json',
  );
}

function only(isValid: (value: string) => boolean, rule: string): (value: string) => string {
  return (value) => {
    if (!isValid(value)) throw new InvalidArgumentError(`Use ${rule}.`);
    return value;
  };
}
