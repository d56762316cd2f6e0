import { type Command, Option } from 'commander';
import {
  type ExtendCommand,
  extendDrop,
  type HistoryCommand,
  history,
  type RevokeCommand,
  remindReceivers,
  revokeDrop,
  showDrop,
} from './drops.ts';
import { CommandError, exits } from './exits.ts';
import { requestsCommand } from './lists.ts';
import { examples, limit, time, wholeNumber } from './options.ts';
import type { Context } from './with-client.ts';

const which = 'its number, such as WB-7F3K-29QD, or its id, or a reference that only one drop has';

/** What has been sent, and what becomes of it. */
export function addDropCommands(program: Command, context: () => Context): void {
  examples(
    program
      .command('history')
      .description('list what this account has sent')
      .addOption(new Option('--state <state>', 'only drops in this state').choices(['live', 'expired', 'revoked']))
      .option('--receiver <address>', 'only drops for this receiver')
      .option('--reference <text>', 'only drops with this reference')
      .option('--search <text>', 'only drops whose number, reference or receiver is this')
      .option('--requests', 'list whom this account has asked for files instead')
      .addOption(limit())
      .action(async ({ requests, ...options }: HistoryCommand & { requests?: boolean }) => {
        if (requests !== true) return await history(context(), options);
        const { limit: most, ...filter } = options;
        if (Object.keys(filter).length > 0) {
          const next = 'Leave out --requests, or the filter.';
          throw new CommandError(exits.usage, 'usage', 'Requests cannot be filtered.', next);
        }
        const { terminal, answers, signal } = context();
        await requestsCommand(terminal, answers, signal, most === undefined ? {} : { limit: most });
      }),
    'waybill history --limit 20',
    'waybill history --state live --receiver anna@example.com',
    'waybill history --requests',
  );
  examples(
    program
      .command('show')
      .description('show a drop: its receivers, its files, and what has happened')
      .argument('<drop>', which)
      .action((drop: string) => showDrop(context(), drop)),
    'waybill show WB-7F3K-29QD',
    'waybill --json show order-4711',
  );
  examples(
    program
      .command('revoke')
      .description('end a drop at once and delete its files, or end the link of one receiver')
      .argument('<drop>', which)
      .option('--receiver <address>', 'end only the link of this receiver')
      .option('--yes', 'do not ask first')
      .action((drop: string, options: RevokeCommand) => revokeDrop(context(), drop, options)),
    'waybill revoke WB-7F3K-29QD',
    'waybill revoke WB-7F3K-29QD --receiver anna@example.com --yes',
  );
  examples(
    program
      .command('extend')
      .description('move the deadline of a drop')
      .argument('<drop>', which)
      .addOption(
        new Option('--days <number>', 'it ends this many days from now')
          .argParser(wholeNumber(1, 40_000))
          .conflicts('until'),
      )
      .option('--until <time>', 'it ends at this time, such as 2030-01-31T12:00', time)
      .action((drop: string, options: ExtendCommand) => extendDrop(context(), drop, options)),
    'waybill extend WB-7F3K-29QD --days 14',
    'waybill extend WB-7F3K-29QD --until 2100-01-31T12:00',
  );
  examples(
    program
      .command('remind')
      .description('remind the receivers who have not fetched everything')
      .argument('<drop>', which)
      .action((drop: string) => remindReceivers(context(), drop)),
    'waybill remind WB-7F3K-29QD',
  );
}
