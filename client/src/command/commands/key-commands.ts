import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import {
  addExamples,
  choicesOption,
  collectValues,
  limitOption,
  parseTime,
  requireOption,
  wholeNumberParser,
} from '../options.ts';
import {
  type CreateKeyCommandOptions,
  createKey,
  listKeys,
  type RevokeKeyCommandOptions,
  revokeKey,
  scopes,
} from './keys.ts';
import { listTestMessages, type TestMessagesCommandOptions, testMessageKinds } from './test-messages.ts';
import { logout, showAccount } from './whoami.ts';

/** Adds the commands for the account and its keys. */
export function addKeyCommands(program: Command, context: () => Context): void {
  addExamples(
    program
      .command('whoami')
      .description('show the account that is logged in, its limits and the rights of its key')
      .action(() => showAccount(context())),
    'waybill whoami',
  );
  addExamples(
    program
      .command('logout')
      .description('delete the key that is stored on this machine')
      .action(() => logout(context())),
    'waybill logout',
  );
  const keys = addExamples(
    program.command('keys').description('list, create and revoke the account’s API keys'),
    'waybill keys list',
    'waybill keys create nightly --scope send > key-file',
  );
  addExamples(
    keys
      .command('list')
      .description('list the live keys, and the most recent expired and revoked ones')
      .action(() => listKeys(context())),
    'waybill keys list',
  );
  addExamples(
    requireOption(
      keys
        .command('create')
        .description('create a key with the given scopes, and print it')
        .argument('<name>', 'what it is for')
        .addOption(choicesOption('--scope <scope>', 'a right of the key; can be repeated', scopes))
        .option('--test', 'a key of the test account, whose mails and SMS are kept and never sent')
        .option(
          '--network <network>',
          'an address or a network from which it may be used; can be repeated',
          collectValues,
        )
        .addOption(
          new Option('--days <number>', 'it expires this many days from now')
            .argParser(wholeNumberParser(1, 40_000))
            .conflicts('until'),
        )
        .option('--until <time>', 'it expires at this time, such as 2030-01-31T12:00', parseTime)
        .action((name: string, options: CreateKeyCommandOptions) => createKey(context(), name, options)),
      'scope',
    ),
    'waybill keys create nightly --scope send --network 192.0.2.0/24 --days 365 > key-file',
    'waybill keys create dashboard --scope history --scope webhooks',
    'waybill keys create pipeline --test --scope send --scope history > key-file',
  );
  const test = addExamples(
    program.command('test').description('read what the test account has kept'),
    'waybill test messages --to anna@test.example.com --wait 30',
  );
  addExamples(
    test
      .command('messages')
      .description('list the mails and SMS that were kept instead of sent; needs a test key')
      .option('--to <address>', 'only those to this address or telephone number')
      .addOption(new Option('--kind <kind>', 'only those of this kind').choices(testMessageKinds))
      .option('--drop <id>', 'only those about this drop')
      .option('--request <id>', 'only those about this request for files')
      .addOption(
        new Option('--wait <seconds>', 'wait this long for one, if there is none').argParser(
          wholeNumberParser(1, 86_400),
        ),
      )
      .addOption(limitOption())
      .action((options: TestMessagesCommandOptions) => listTestMessages(context(), options)),
    'waybill test messages --to anna@test.example.com --wait 30',
    'waybill --json test messages --kind code --limit 1',
  );
  addExamples(
    keys
      .command('revoke')
      .description('revoke a key: the server refuses it from now on')
      .argument('<key>', 'its name, its beginning as `waybill keys list` shows it, or its id')
      .option('--descendants', 'also revoke all keys that descend from it, and disable the webhooks of all of them')
      .option('--yes', 'do not ask for confirmation')
      .action((key: string, options: RevokeKeyCommandOptions) => revokeKey(context(), key, options)),
    'waybill keys revoke nightly',
    'waybill keys revoke nightly --descendants',
  );
}
