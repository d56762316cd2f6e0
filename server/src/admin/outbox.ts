import { type Command, Option } from 'commander';
import { findAccount } from '../domain/accounts/read-accounts.ts';
import type { OutboxLine } from '../domain/outbox/outbox-store.ts';
import { listMessages, retryAllMessages, retryMessage, retryWaitingMessages } from '../domain/outbox/retry-message.ts';
import { type AddCommand, addExamples, parseId, parseTime, print } from './command.ts';
import { addListOptions, type ListOptions, printList, readPages } from './list.ts';
import { findNamedDrop, parseDropName } from './named-drop.ts';

const messagesPerPage = 500;

export const outboxCommands: AddCommand = (parent, withEngines) => {
  const outbox = parent
    .command('outbox')
    .description('list mails and SMS that wait or were abandoned, and send them again');
  addExamples(outbox, 'waybilld admin outbox list', 'waybilld admin outbox retry --all');

  const list = addListOptions(
    outbox
      .command('list')
      .description('list messages with their next or last attempt, how often they were tried, and the last reply')
      .addOption(new Option('--state <state>', 'which messages').choices(['waiting', 'abandoned']).default('waiting'))
      .option('--account <address>', 'only those of this account')
      .option('--drop <drop>', 'only those of this drop: its reference, such as WB-7F3K-29QD, or its id', parseDropName)
      .option('--receiver <address>', 'only those to this address or phone number'),
  ).action((options: OutboxListOptions) =>
    withEngines(async (engines) => {
      const account = options.account === undefined ? undefined : await findAccount(engines, options.account);
      const { dropId } =
        options.drop === undefined
          ? { dropId: undefined }
          : await findNamedDrop(engines, options.drop, options.account);
      const filter = { accountId: account?.id, dropId, receiver: options.receiver };
      await printList(options, {
        rows: readPages((after?: OutboxLine) => listMessages(engines, options.state, after, messagesPerPage, filter)),
        toShown: (line) => ({ ...line, at: new Date(line.at).toISOString() }),
        columns: {
          ID: ({ id }) => id,
          // `outbox retry ID` needs it.
          ...(account === undefined && { ACCOUNT: ({ account: address }: OutboxLine) => address }),
          [options.state === 'waiting' ? 'NEXT ATTEMPT' : 'ABANDONED']: ({ at }) => at,
          KIND: ({ kind }) => kind,
          BY: ({ channel }) => channel,
          TO: ({ receiver }) => receiver,
          ATTEMPTS: ({ attempts }) => attempts,
          'LAST REPLY': ({ outcome }) => outcome,
        },
        none: options.state === 'waiting' ? 'No message is waiting.' : 'No message was abandoned.',
      });
    }),
  );
  addExamples(
    list,
    'waybilld admin outbox list',
    'waybilld admin outbox list --account orders@example.org --receiver kim@example.net',
    'waybilld admin outbox list --state abandoned --json',
  );

  const retry = outbox
    .command('retry')
    .description('send messages now that were abandoned or wait for their next attempt: one by its id, or all of them')
    .argument('[message]', 'its id, as `outbox list` shows it', parseId('outbox list'))
    .option('--account <address>', 'the account that the message belongs to')
    .option('--abandoned', 'all messages that were abandoned, of all accounts')
    .option('--waiting', 'all messages that wait for their next attempt, of all accounts')
    .option('--all', 'both: all messages that were abandoned or wait')
    .option(
      '--since <time>',
      'with --abandoned: only those abandoned since then, such as 2026-11-15T08:00:00Z',
      parseTime,
    )
    .option('--reason <text>', 'without an id: only those whose last reply contains this text; case does not matter')
    .option('--json', 'print JSON')
    .action((id: string | undefined, options: RetryOptions, command: Command) => {
      const problem = findWrongUse(id, options);
      if (problem) command.error(problem);
      return withEngines(async (engines) => {
        if (id === undefined) {
          const { all, abandoned = all, waiting = all, since, reason } = options;
          // Waiting ones first: those that were abandoned wait from then on.
          const hastened = waiting ? await retryWaitingMessages(engines, { reason }) : 0;
          const retried = hastened + (abandoned ? await retryAllMessages(engines, { since, reason }) : 0);
          print(options.json, { retried }, [
            `${retried} ${retried === 1 ? 'message' : 'messages'} will be sent again.`,
          ]);
        } else {
          await retryMessage(engines, await findAccount(engines, options.account ?? ''), id);
          print(options.json, { waiting: id }, [`${id} will be sent again.`]);
        }
      });
    });
  addExamples(
    retry,
    'waybilld admin outbox retry 01a1dca1-b6e4-73d7-b45e-3306c96c241d --account orders@example.org',
    'waybilld admin outbox retry --abandoned --since 2026-11-15T08:00:00Z',
    'waybilld admin outbox retry --waiting --reason "relay access denied"',
  );
};

interface OutboxListOptions extends ListOptions {
  readonly state: 'waiting' | 'abandoned';
  readonly account?: string;
  readonly drop?: string;
  readonly receiver?: string;
}

interface RetryOptions {
  readonly account?: string;
  readonly all?: boolean;
  readonly abandoned?: boolean;
  readonly waiting?: boolean;
  readonly since?: Date;
  readonly reason?: string;
  readonly json?: boolean;
}

function findWrongUse(id: string | undefined, options: RetryOptions): string | undefined {
  const { account, all, abandoned, waiting, since, reason } = options;
  const isForMany = all === true || abandoned === true || waiting === true;
  if (id === undefined && !isForMany) return 'name a message, or use --abandoned, --waiting or --all';
  if (id !== undefined && isForMany) return 'name a message or use --abandoned, --waiting or --all, not both';
  if (id !== undefined && account === undefined) return 'say with --account which account the message belongs to';
  if (isForMany && account !== undefined) {
    return '--account is for a single message; --abandoned, --waiting and --all are for all accounts';
  }
  if (since !== undefined && !abandoned) return '--since can only be used with --abandoned';
  if (reason !== undefined && !isForMany) return '--reason can only be used with --abandoned, --waiting or --all';
  return undefined;
}
