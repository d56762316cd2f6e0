import type { AccountUsage } from '../domain/accounts/quota-store.ts';
import { findAccount, listUsage, readOwnQuotas, readUsage } from '../domain/accounts/read-accounts.ts';
import { readPolicy } from '../domain/accounts/read-policy.ts';
import { recountUsage } from '../domain/accounts/set-quotas.ts';
import { type AddCommand, addAccountOption, addExamples, print } from './command.ts';
import { addListOptions, type ListOptions, printList, readPages } from './list.ts';
import { describeQuotas, describeSize, toJsonQuotas } from './quota-options.ts';

const accountsPerPage = 500;

/** The commands of `accounts` that show what accounts may do and what they use. */
export const usageCommands: AddCommand = (accounts, withEngines) => {
  const show = addAccountOption(accounts.command('show'))
    .description('show what an account may do, by itself and by its group, and what it uses')
    .option('--json', 'print JSON')
    .action((options: { account: string; json?: boolean }) =>
      withEngines(async (engines) => {
        const account = await findAccount(engines, options.account);
        const [own, policy, usage] = await Promise.all([
          readOwnQuotas(engines, account.id),
          readPolicy(engines, account.id),
          readUsage(engines, account.id),
        ]);
        const { lifetime } = policy;
        const shown = {
          email: account.email,
          group: own.group,
          own: toJsonQuotas(own),
          in_force: toJsonQuotas({
            ...policy,
            minLifetime: lifetime.min,
            maxLifetime: lifetime.max,
            lifetimes: lifetime.only,
          }),
          usage: {
            stored_bytes: usage.storedBytes,
            drops_today: usage.dropsToday,
            mails_today: usage.mailsToday,
          },
        };
        print(options.json, shown, [
          `${shown.email}  group: ${shown.group ?? '-'}`,
          `its own   ${describeQuotas(shown.own)}`,
          `in force  ${describeQuotas(shown.in_force)}`,
          `usage     ${describeUsage(shown.usage)}`,
        ]);
      }),
    );
  addExamples(show, 'waybilld admin accounts show --account orders@example.org');

  const usage = addListOptions(
    accounts
      .command('usage')
      .description('list what every account stores and has sent today')
      .option('--recount', 'add up what each account stores, and correct its usage where it differs'),
  ).action((options: ListOptions & { recount?: boolean }) =>
    withEngines((engines) =>
      printList(options, {
        rows: readPages(async (after?: Shown): Promise<readonly Shown[]> => {
          const page = await listUsage(engines, after?.email ?? '', accountsPerPage);
          return options.recount ? recountPage(engines, page) : page;
        }),
        toShown: ({ email, storedBytes, correctedBy, dropsToday, mailsToday }) => ({
          email,
          stored_bytes: storedBytes,
          ...(correctedBy !== undefined && { corrected_by: correctedBy }),
          drops_today: dropsToday,
          mails_today: mailsToday,
        }),
        columns: {
          ACCOUNT: ({ email }) => email,
          STORED: ({ stored_bytes: bytes }) => bytes,
          'DROPS TODAY': ({ drops_today: drops }) => drops,
          'MAILS TODAY': ({ mails_today: mails }) => mails,
          ...(options.recount && { 'CORRECTED BY': ({ corrected_by: by }: { corrected_by?: number }) => by }),
        },
        none: 'There is no account yet.',
      }),
    ),
  );
  addExamples(usage, 'waybilld admin accounts usage', 'waybilld admin accounts usage --recount --json');
};

function describeUsage(usage: { stored_bytes: number; drops_today: number; mails_today: number }): string {
  return `${describeSize('stored_bytes', usage.stored_bytes)}  drops_today: ${usage.drops_today}  mails_today: ${usage.mails_today}`;
}

type Shown = AccountUsage & { readonly correctedBy?: number };

/** One transaction per account. */
async function recountPage(
  engines: Parameters<typeof recountUsage>[0],
  page: readonly AccountUsage[],
): Promise<Shown[]> {
  const corrected: Shown[] = [];
  for (const usage of page) {
    const { before, after } = await recountUsage(engines, usage.accountId);
    corrected.push({ ...usage, storedBytes: after, correctedBy: after - before });
  }
  return corrected;
}
