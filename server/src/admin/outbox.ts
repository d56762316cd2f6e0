import { InvalidArgumentError, Option } from 'commander';
import { findAccount } from '../domain/accounts/find-account.ts';
import { isUuid } from '../domain/is-uuid.ts';
import { retryMessage } from '../domain/outbox/retry-message.ts';
import type { OutboxLine } from '../domain/ports.ts';
import { type AddCommand, print, printPages } from './command.ts';

const messagesPerPage = 500;

export const outboxCommands: AddCommand = (parent, withEngines) => {
  const outbox = parent.command('outbox').description('mails and SMS that wait or were given up');

  outbox
    .command('list')
    .description('each with its next try or the time it was given up, its attempts and what the last one came to')
    .addOption(new Option('--state <state>', 'which of them').choices(['waiting', 'given-up']).default('waiting'))
    .option('--json', 'answer as one JSON array')
    .action((options: { state: 'waiting' | 'given-up'; json?: boolean }) =>
      withEngines(({ engines }) => {
        const state = options.state === 'waiting' ? 'waiting' : 'given_up';
        return printPages(
          options.json,
          (after?: OutboxLine) => engines.store.outbox.page(state, after, messagesPerPage),
          (line) => ({ ...line, at: new Date(line.at).toISOString() }),
          ({ id, at, kind, channel, recipient, attempts, outcome }) =>
            `${id}  ${at}  ${kind} by ${channel} to ${recipient}  attempts: ${attempts}  ${outcome ?? ''}`.trimEnd(),
        );
      }),
    );

  outbox
    .command('retry')
    .description('have a message sent that was given up')
    .argument('<message>', 'its id, as `outbox list --state given-up` shows it', (value) => {
      if (!isUuid(value)) throw new InvalidArgumentError('It is an id as `outbox list` shows it.');
      return value;
    })
    .requiredOption('--account <address>', 'the account it belongs to')
    .option('--json', 'answer as JSON')
    .action((id: string, options: { account: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        await retryMessage(engines, await findAccount(engines, options.account), id);
        print(options.json, { waiting: id }, [`${id} waits to be sent again.`]);
      }),
    );
};
