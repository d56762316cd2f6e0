import { type Command, Option } from 'commander';
import type { Group } from '../domain/accounts/quota-store.ts';
import { createGroup, findGroup, removeGroup, setGroupQuotas } from '../domain/accounts/set-quotas.ts';
import type { SecondFactor } from '../domain/policy.ts';
import { type AddCommand, examples, print, printPages } from './command.ts';
import { addQuotaOptions, type QuotaOptions, quotasFrom, quotasInWords, shownQuotas } from './quota-options.ts';

const groupsPerPage = 500;

type GroupOptions = QuotaOptions & { secondFactor?: SecondFactor | 'default'; json?: boolean };

export const groupCommands: AddCommand = (parent, withEngines) => {
  const groups = parent.command('groups').description('create, change and list groups of accounts that share limits');
  examples(groups, 'waybilld admin groups create sales --max-stored 500GB', 'waybilld admin groups list');

  const limited = (command: Command) =>
    addQuotaOptions(command)
      .addOption(
        new Option('--second-factor <factor>', 'how receivers get a code to type in').choices([
          'off',
          'sms',
          'mail',
          'default',
        ]),
      )
      .option('--json', 'print JSON');

  const create = limited(groups.command('create').description('create a group').argument('<name>', 'its name')).action(
    (name: string, options: GroupOptions) =>
      withEngines(async ({ engines }) => {
        await createGroup(engines, name, changesFrom(options));
        printGroup(options.json, await findGroup(engines, name));
      }),
  );
  examples(
    create,
    'waybilld admin groups create sales --max-stored 500GB --drops-per-day 1000',
    'waybilld admin groups create interns --desttimes 1,7 --recipient-domains acme.com --second-factor sms',
  );

  const set = limited(
    groups.command('set').description('change the limits of a group').argument('<name>', 'the group'),
  ).action((name: string, options: GroupOptions, command: Command) => {
    const changes = changesFrom(options);
    if (Object.keys(changes).length === 0) command.error('nothing to change: use --max-stored or another limit');
    return withEngines(async ({ engines }) => {
      await setGroupQuotas(engines, await findGroup(engines, name), changes);
      printGroup(options.json, await findGroup(engines, name));
    });
  });
  examples(set, 'waybilld admin groups set sales --max-stored 1TB --mails-per-day default');

  const list = groups
    .command('list')
    .description('list all groups by name')
    .option('--json', 'print one JSON array')
    .action((options: { json?: boolean }) =>
      withEngines(({ engines }) =>
        printPages(
          options.json,
          (after?: Group) => engines.store.quotas.groups(after?.name ?? '', groupsPerPage),
          shown,
          lineOf,
          'There are no groups.',
        ),
      ),
    );
  examples(list, 'waybilld admin groups list', 'waybilld admin groups list --json');

  const show = groups
    .command('show')
    .description('show the limits of a group, and how many accounts are in it')
    .argument('<name>', 'the group')
    .option('--json', 'print JSON')
    .action((name: string, options: { json?: boolean }) =>
      withEngines(async ({ engines }) => printGroup(options.json, await findGroup(engines, name))),
    );
  examples(show, 'waybilld admin groups show sales');

  const remove = groups
    .command('remove')
    .description('remove a group that no account is in')
    .argument('<name>', 'the group')
    .option('--json', 'print JSON')
    .action((name: string, options: { json?: boolean }) =>
      withEngines(async ({ engines }) => {
        await removeGroup(engines, await findGroup(engines, name));
        print(options.json, { removed: name }, [`The group ${name} is removed.`]);
      }),
    );
  examples(remove, 'waybilld admin groups remove sales');
};

function changesFrom(options: GroupOptions) {
  const { secondFactor } = options;
  return {
    ...quotasFrom(options),
    ...(secondFactor && { secondFactor: secondFactor === 'default' ? null : secondFactor }),
  };
}

function printGroup(json: boolean | undefined, group: Group): void {
  print(json, { group: shown(group) }, [lineOf(shown(group))]);
}

function shown(group: Group) {
  return { name: group.name, accounts: group.accountCount, ...shownQuotas(group) };
}

function lineOf({ name, accounts, ...quotas }: ReturnType<typeof shown>): string {
  return `${name}  accounts: ${accounts}  ${quotasInWords(quotas)}`;
}
