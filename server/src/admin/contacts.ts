import { listGlobalContacts } from '../domain/contacts/read-contacts.ts';
import { replaceGlobalContacts } from '../domain/contacts/replace-contacts.ts';
import { type AddCommand, addExamples, print } from './command.ts';
import { readContactsFile } from './contacts-file.ts';

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
      withEngines(async ({ engines }) => {
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
      return withEngines(async ({ engines }) => {
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
