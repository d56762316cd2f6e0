import { type Command, InvalidArgumentError, Option } from 'commander';
import { findAccount } from '../domain/accounts/find-account.ts';
import { isUuid } from '../domain/is-uuid.ts';
import { retryAllMessages } from '../domain/outbox/retry-all-messages.ts';
import { retryMessage } from '../domain/outbox/retry-message.ts';
import type { OutboxLine } from '../domain/ports/index.ts';
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
    .description('have messages sent again that were given up: one by its id, or all of them')
    .argument('[message]', 'its id, as `outbox list --state given-up` shows it', (value) => {
      if (!isUuid(value)) throw new InvalidArgumentError('It is an id as `outbox list` shows it.');
      return value;
    })
    .option('--account <address>', 'the account the message belongs to')
    .option('--all', 'all messages that were given up, of all accounts')
    .option('--since <time>', 'with --all: only those given up since then, such as 2026-11-15T08:00:00Z', time)
    .option('--reason <text>', 'with --all: only those whose last answer contains this text, in upper or lower case')
    .option('--json', 'answer as JSON')
    .action((id: string | undefined, options: RetryOptions, command: Command) => {
      const problem = wrongUseOf(id, options);
      if (problem) command.error(`error: ${problem}`, { exitCode: 2 });
      return withEngines(async ({ engines }) => {
        if (id === undefined) {
          const retried = await retryAllMessages(engines, { since: options.since, reason: options.reason });
          print(options.json, { retried }, [
            `${retried} ${retried === 1 ? 'message' : 'messages'} will be sent again.`,
          ]);
        } else {
          await retryMessage(engines, await findAccount(engines, options.account ?? ''), id);
          print(options.json, { waiting: id }, [`${id} will be sent again.`]);
        }
      });
    });
};

interface RetryOptions {
  readonly account?: string;
  readonly all?: boolean;
  readonly since?: Date;
  readonly reason?: string;
  readonly json?: boolean;
}

function wrongUseOf(id: string | undefined, { account, all, since, reason }: RetryOptions): string | undefined {
  if (id === undefined && !all) return 'name a message, or say --all';
  if (id !== undefined && all) return 'name a message, or say --all, not both';
  if (id !== undefined && account === undefined) return 'say with --account whose message it is';
  if (all && account !== undefined) return '--account goes with a message; --all is for all accounts';
  if (!all && (since !== undefined || reason !== undefined)) return '--since and --reason go with --all';
  return undefined;
}

function time(value: string): Date {
  const at = new Date(value);
  // Date also takes a bare number, as a year.
  if (!/^\d{4}-\d{2}-\d{2}/.test(value) || Number.isNaN(at.getTime())) {
    throw new InvalidArgumentError('It is a time such as 2026-11-15T08:00:00Z.');
  }
  return at;
}
