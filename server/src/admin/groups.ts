import { type Command, Option } from 'commander';
import type { Group } from '../domain/accounts/quota-store.ts';
import { listGroups } from '../domain/accounts/read-accounts.ts';
import { createGroup, findGroup, removeGroup, setGroupQuotas } from '../domain/accounts/set-quotas.ts';
import type { SecondFactor } from '../domain/policy.ts';
import { type AddCommand, addExamples, print } from './command.ts';
import { addListOptions, type ListOptions, printList, readPages } from './list.ts';
import { addQuotaOptions, describeQuotas, parseQuotas, type QuotaOptions, toJsonQuotas } from './quota-options.ts';

const groupsPerPage = 500;

type GroupOptions = QuotaOptions & { secondFactor?: SecondFactor | 'default'; json?: boolean };

export const groupCommands: AddCommand = (parent, withEngines) => {
  const groups = parent.command('groups').description('create, change and list groups of accounts that share limits');
  addExamples(groups, 'waybilld admin groups create sales --max-stored 500GB', 'waybilld admin groups list');

  const addLimits = (command: Command) =>
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

  const create = addLimits(
    groups.command('create').description('create a group').argument('<name>', 'its name'),
  ).action((name: string, options: GroupOptions) =>
    withEngines(async (engines) => {
      await createGroup(engines, name, parseChanges(options));
      printGroup(options.json, await findGroup(engines, name));
    }),
  );
  addExamples(
    create,
    'waybilld admin groups create sales --max-stored 500GB --drops-per-day 1000',
    'waybilld admin groups create interns --lifetimes 1,7 --receiver-domains acme.com --second-factor sms',
  );

  const set = addLimits(
    groups.command('set').description('change the limits of a group').argument('<name>', 'the group'),
  ).action((name: string, options: GroupOptions, command: Command) => {
    const changes = parseChanges(options);
    if (Object.keys(changes).length === 0) command.error('nothing to change: use --max-stored or another limit');
    return withEngines(async (engines) => {
      await setGroupQuotas(engines, await findGroup(engines, name), changes);
      printGroup(options.json, await findGroup(engines, name));
    });
  });
  addExamples(set, 'waybilld admin groups set sales --max-stored 1TB --mails-per-day default');

  const list = addListOptions(groups.command('list').description('list all groups by name')).action(
    (options: ListOptions) =>
      withEngines((engines) =>
        printList(options, {
          rows: readPages((after?: Group) => listGroups(engines, after?.name ?? '', groupsPerPage)),
          toShown: toJson,
          columns: {
            GROUP: ({ name }) => name,
            ACCOUNTS: ({ accounts }) => accounts,
            LIMITS: ({ name: _, accounts: __, ...quotas }) => describeQuotas(quotas),
          },
          none: 'There are no groups.',
        }),
      ),
  );
  addExamples(list, 'waybilld admin groups list', 'waybilld admin groups list --json');

  const show = groups
    .command('show')
    .description('show the limits of a group, and how many accounts are in it')
    .argument('<name>', 'the group')
    .option('--json', 'print JSON')
    .action((name: string, options: { json?: boolean }) =>
      withEngines(async (engines) => printGroup(options.json, await findGroup(engines, name))),
    );
  addExamples(show, 'waybilld admin groups show sales');

  const remove = groups
    .command('remove')
    .description('remove a group that no account is in')
    .argument('<name>', 'the group')
    .option('--json', 'print JSON')
    .action((name: string, options: { json?: boolean }) =>
      withEngines(async (engines) => {
        await removeGroup(engines, await findGroup(engines, name));
        print(options.json, { removed: name }, [`The group ${name} is removed.`]);
      }),
    );
  addExamples(remove, 'waybilld admin groups remove sales');
};

function parseChanges(options: GroupOptions) {
  const { secondFactor } = options;
  return {
    ...parseQuotas(options),
    ...(secondFactor && { secondFactor: secondFactor === 'default' ? null : secondFactor }),
  };
}

function printGroup(json: boolean | undefined, group: Group): void {
  print(json, { group: toJson(group) }, [toLine(toJson(group))]);
}

function toJson(group: Group) {
  return { name: group.name, accounts: group.accountCount, ...toJsonQuotas(group) };
}

function toLine({ name, accounts, ...quotas }: ReturnType<typeof toJson>): string {
  return `${name}  accounts: ${accounts}  ${describeQuotas(quotas)}`;
}
