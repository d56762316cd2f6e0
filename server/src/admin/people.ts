import { type Command, Option } from 'commander';
import { findAccount } from '../domain/accounts/read-accounts.ts';
import type { Engines } from '../domain/engines.ts';
import { removeMember, setMember } from '../domain/people/change-members.ts';
import { deletePerson } from '../domain/people/delete-person.ts';
import {
  findPerson,
  listAllMemberships,
  listMembers,
  listPeople,
  setPersonDisabled,
} from '../domain/people/find-person.ts';
import { invitePerson } from '../domain/people/invite-person.ts';
import { type MemberRole, memberRoles, type Person } from '../domain/people/person-store.ts';
import { makeRecoveryLink } from '../domain/people/recover-person.ts';
import { type AddCommand, addAccountOption, addExamples, print } from './command.ts';
import { addListOptions, containsText, type ListOptions, printList, readPages } from './list.ts';

const rowsPerPage = 500;

/** The people who sign in, and the accounts that they belong to. */
export const peopleCommands: AddCommand = (parent, withEngines) => {
  const people = parent
    .command('people')
    .description('invite, list, recover, disable and delete the people who sign in');
  addExamples(
    people,
    'waybilld admin people invite --email maya@example.org --name "Maya Lindqvist"',
    'waybilld admin people list',
  );

  const invite = people
    .command('invite')
    .description(
      'invite a person: they get an account with their address, and a mailed link for choosing how to sign in',
    )
    .requiredOption('--email <address>', 'the address of the person')
    .option('--name <name>', 'their name')
    .option('--language <tag>', 'their language, such as en or sv')
    .option('--administrator', 'let them administer the server, also if they were invited before')
    .option('--no-mail', 'print the link instead of mailing it')
    .option('--json', 'print JSON')
    .action(
      (options: {
        email: string;
        name?: string;
        language?: string;
        administrator?: boolean;
        mail: boolean;
        json?: boolean;
      }) =>
        withEngines(async (engines) => {
          const { email, name, language, administrator: isAdministrator, mail } = options;
          const invitation = { email, name, language, isAdministrator, mail };
          const { person, link, isPromoted } = await invitePerson(engines, engines.administrator, invitation);
          const shown = mail ? undefined : link;
          print(options.json, { person: toJson(person), ...(shown && { link: shown }) }, [
            `Person  ${person.email}`,
            ...(isPromoted ? ['They are an administrator now.'] : []),
            ...(link === undefined ? ['They can sign in already.'] : []),
            ...(shown === undefined ? [] : [`Link    ${shown}`, 'It can be used once, within 7 days.']),
            ...(link !== undefined && mail ? ['The link was mailed to them. It can be used once, within 7 days.'] : []),
          ]);
        }),
    );
  addExamples(
    invite,
    'waybilld admin people invite --email maya@example.org --name "Maya Lindqvist" --language sv',
    'waybilld admin people invite --email maya@example.org --administrator --no-mail --json',
  );

  const list = addListOptions(
    people
      .command('list')
      .description('list people by address')
      .option('--search <text>', 'only those with this text in their address or name')
      .option('--administrators', 'only administrators')
      .option('--disabled', 'only those who are disabled'),
  ).action((options: ListOptions & { search?: string; administrators?: boolean; disabled?: boolean }) =>
    withEngines(async (engines) => {
      type ListedPerson = Awaited<ReturnType<typeof listPeople>>[number];
      const isFiltered = options.search !== undefined || options.administrators || options.disabled;
      await printList(options, {
        rows: readPages((after?: ListedPerson) => listPeople(engines, after?.email ?? '', rowsPerPage)),
        toShown: (person) => ({ ...toJson(person), invited: person.isInvited }),
        isWanted: ({ email, name, administrator, disabled }) =>
          containsText(options.search, email, name) &&
          (!options.administrators || administrator) &&
          (!options.disabled || disabled),
        columns: {
          PERSON: ({ email }) => email,
          ROLE: ({ administrator }) => (administrator ? 'administrator' : '-'),
          STATE: describePersonState,
          NAME: ({ name }) => name,
        },
        none: isFiltered
          ? 'There is no such person.'
          : 'There is nobody yet. To invite someone: waybilld admin people invite --help',
      });
    }),
  );
  addExamples(list, 'waybilld admin people list', 'waybilld admin people list --json');

  const recover = people
    .command('recover')
    .description('send a person who has lost every sign-in method a link for choosing another')
    .requiredOption('--email <address>', 'the person')
    .option('--no-mail', 'print the link instead of mailing it')
    .option('--json', 'print JSON')
    .action((options: { email: string; mail: boolean; json?: boolean }) =>
      withEngines(async (engines) => {
        const person = await findPerson(engines, options.email);
        const link = await makeRecoveryLink(engines, engines.administrator, person, options);
        print(options.json, { person: toJson(person), ...(!options.mail && { link }) }, [
          options.mail ? `The link was mailed to ${person.email}.` : `Link    ${link}`,
          'It can be used once, within an hour. The methods that they had work until then.',
        ]);
      }),
    );
  addExamples(
    recover,
    'waybilld admin people recover --email maya@example.org',
    'waybilld admin people recover --email maya@example.org --no-mail',
  );

  for (const disabled of [true, false]) {
    const name = disabled ? 'disable' : 'enable';
    const command = people
      .command(name)
      .description(disabled ? 'sign a person out everywhere and keep them out' : 'let a person sign in again')
      .requiredOption('--email <address>', 'the person')
      .option('--json', 'print JSON')
      .action((options: { email: string; json?: boolean }) =>
        withEngines(async (engines) => {
          const person = await findPerson(engines, options.email);
          await setPersonDisabled(engines, engines.administrator, person, disabled);
          print(options.json, { person: { ...toJson(person), disabled } }, [`${person.email} is ${name}d.`]);
        }),
      );
    addExamples(command, `waybilld admin people ${name} --email maya@example.org`);
  }
  deleteCommand(people, withEngines);
};

const deleteCommand: AddCommand = (people, withEngines) => {
  const command = people
    .command('delete')
    .description('delete a person who signs in, with their name, address and sign-in methods; this cannot be undone')
    .requiredOption('--email <address>', 'the person')
    .option('--yes', 'delete; otherwise it shows what would be deleted')
    .option('--json', 'print JSON')
    .action((options: { email: string; yes?: boolean; json?: boolean }, self: Command) =>
      withEngines(async (engines) => {
        const person = await findPerson(engines, options.email);
        const memberships = await listAllMemberships(engines, person.id, '', rowsPerPage, 'all');
        const accounts = memberships.map(({ account }) => account);
        if (options.yes) await deletePerson(engines, engines.administrator, person);
        print(options.json, { person: toJson(person), accounts, deleted: options.yes === true }, [
          options.yes
            ? `${person.email} is deleted, and no longer belongs to: ${accounts.join(', ') || '-'}`
            : `${person.email} would be signed out for good, and no longer belong to: ${accounts.join(', ') || '-'}`,
          'What they sent and received stays with these accounts, and the audit keeps its entries for its own period.',
        ]);
        if (!options.yes) self.error('nothing was deleted: use --yes to delete the person');
      }),
    );
  addExamples(command, 'waybilld admin people delete --email maya@example.org --yes');
};

/** The commands about the members of an account. */
export const memberCommands: AddCommand = (parent, withEngines) => {
  const members = parent.command('members').description('list, add and remove the people who belong to an account');
  addExamples(
    members,
    'waybilld admin members list --account orders@example.org',
    'waybilld admin members set --account orders@example.org --email maya@example.org --role owner',
  );

  const list = addListOptions(
    addAccountOption(members.command('list')).description('list the members of an account by address'),
  ).action((options: ListOptions & { account: string }) =>
    withEngines(async (engines) => {
      const account = await findAccount(engines, options.account);
      type Member = Awaited<ReturnType<typeof listMembers>>[number];
      await printList(options, {
        rows: readPages((after?: Member) => listMembers(engines, account.id, after?.email ?? '', rowsPerPage)),
        toShown: ({ email, name, role, since, disabled, invited }) => ({
          email,
          name,
          role,
          since,
          disabled,
          invited: invited !== undefined,
        }),
        columns: {
          PERSON: ({ email }) => email,
          ROLE: ({ role }) => role,
          STATE: describePersonState,
          NAME: ({ name }) => name,
        },
        none: 'Nobody belongs to this account. To add someone: waybilld admin members set --help',
      });
    }),
  );
  addExamples(list, 'waybilld admin members list --account orders@example.org --json');

  const find = async (engines: Pick<Engines, 'store'>, options: { account: string; email: string }) => {
    const [account, person] = [await findAccount(engines, options.account), await findPerson(engines, options.email)];
    return { accountId: account.id, personId: person.id };
  };

  const set = members
    .command('set')
    .description('add a person to an account, or change their role')
    .requiredOption('--account <address>', 'the account')
    .requiredOption('--email <address>', 'the person')
    .addOption(
      new Option('--role <role>', 'a reader reads; a member also sends and requests; an owner also manages the account')
        .choices(memberRoles)
        .default('member'),
    )
    .option('--json', 'print JSON')
    .action((options: { account: string; email: string; role: MemberRole; json?: boolean }) =>
      withEngines(async (engines) => {
        const { account, email, role } = options;
        await setMember(engines, engines.administrator, { ...(await find(engines, options)), role });
        print(options.json, { account, email, role }, [`${email} is ${role} of ${account}.`]);
      }),
    );
  addExamples(set, 'waybilld admin members set --account orders@example.org --email maya@example.org --role owner');

  const remove = members
    .command('remove')
    .description('remove a person from an account')
    .requiredOption('--account <address>', 'the account')
    .requiredOption('--email <address>', 'the person')
    .option('--json', 'print JSON')
    .action((options: { account: string; email: string; json?: boolean }) =>
      withEngines(async (engines) => {
        const { account, email } = options;
        await removeMember(engines, engines.administrator, await find(engines, options));
        print(options.json, { account, email }, [`${email} no longer belongs to ${account}.`]);
      }),
    );
  addExamples(remove, 'waybilld admin members remove --account orders@example.org --email maya@example.org');
};

function toJson({ email, name, language, isAdministrator, disabled, createdAt }: Person) {
  return { email, name, language, administrator: isAdministrator, disabled, created_at: createdAt };
}

/** Says why a person cannot sign in. */
function describePersonState({ disabled, invited }: { disabled: boolean; invited: boolean }): string {
  if (disabled) return 'disabled';
  return invited ? 'invited' : 'active';
}
