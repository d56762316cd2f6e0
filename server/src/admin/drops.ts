import { InvalidArgumentError } from 'commander';
import { findAccount } from '../domain/accounts/find-account.ts';
import { revokeDrop } from '../domain/drops/revoke-drop.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { isUuid } from '../domain/is-uuid.ts';
import type { DropLine, ReceiverState } from '../domain/ports/index.ts';
import { type AddCommand, print, printPages } from './command.ts';

const receiversPerPage = 50;
const dropsPerPage = 500;

export const dropCommands: AddCommand = (parent, withEngines) => {
  const drops = parent.command('drops').description('what accounts sent, and what became of it');

  drops
    .command('list')
    .description('the drops and grants of an account, newest first, with their state: live, expired or revoked')
    .requiredOption('--account <address>', 'the account')
    .option('--json', 'answer as one JSON array')
    .action((options: { account: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const account = await findAccount(engines, options.account);
        await printPages(
          options.json,
          (after?: DropLine) => engines.store.drops.page(account.id, after, dropsPerPage),
          (drop) => ({
            id: drop.id,
            type: drop.type,
            state: drop.state,
            created: new Date(drop.createdSeconds * 1000),
            receivers: drop.receiverCount,
            files: drop.fileCount,
          }),
          (drop) =>
            `${drop.id}  ${drop.created.toISOString()}  ${drop.type}  ${drop.state}  receivers: ${drop.receivers}  files: ${drop.files}`,
        );
      }),
    );

  drops
    .command('show')
    .description('each receiver of a drop: told, opened, code typed in, and how much of each file was sent to them')
    .argument('<drop>', 'the drop’s id', dropId)
    .requiredOption('--account <address>', 'the account that sent it')
    .option('--json', 'answer as one JSON array')
    .action((id: string, options: { account: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const account = await findAccount(engines, options.account);
        await printPages(
          options.json,
          async (after?: ReceiverState) => {
            const states = await engines.store.drops.deliveryStates(
              account.id,
              id,
              after?.position ?? -1,
              receiversPerPage,
            );
            // Every drop has a receiver.
            if (!after && states.length === 0) throw new ExchangeError('not_found', 'The account has no such drop.');
            return states;
          },
          ({ position: _, ...state }) => state,
          describe,
        );
      }),
    );

  drops
    .command('revoke')
    .description('end a drop or a grant before its deadline; its files cannot be had any more')
    .argument('<drop>', 'the drop’s id', dropId)
    .requiredOption('--account <address>', 'the account that sent it')
    .option('--json', 'answer as JSON')
    .action((id: string, options: { account: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        await revokeDrop(engines, await findAccount(engines, options.account), id);
        print(options.json, { revoked: id }, [`${id} is revoked.`]);
      }),
    );
};

function describe(state: Omit<ReceiverState, 'position'>): string {
  const since = (what: string, at: Date | null) => `  ${what.padEnd(16)}${at?.toISOString() ?? '-'}`;
  return [
    state.receiver,
    since('notified', state.notifiedAt),
    since('opened', state.openedAt),
    since('code passed', state.passedAt),
    since('sent in full', state.completedAt),
    ...state.files.map((file) => `  ${file.deliveredBytes} of ${file.sizeBytes} bytes sent  ${file.name}`),
  ].join('\n');
}

function dropId(value: string): string {
  if (!isUuid(value)) throw new InvalidArgumentError('It is an id as `drops list` shows it.');
  return value;
}
