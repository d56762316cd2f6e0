import { type Command, InvalidArgumentError, Option } from 'commander';
import { addLinkOptions, daysOption } from '../commands/delivery-command-options.ts';
import type { Context } from '../context.ts';
import { addExamples, collectValues, wholeNumberParser } from '../options.ts';
import { type WatchCommandOptions, watchFolder } from './watch.ts';

export function addWatchCommand(program: Command, context: () => Context): void {
  addExamples(
    addLinkOptions(
      program
        .command('watch')
        .description('send every file that is put into a folder, each one once')
        .argument('<dir>', 'the folder')
        .option('--to <address>', 'a receiver of all files; can be repeated', collectValues)
        .option('--by-folder', 'send the files of each folder in it to the address that is the name of the folder')
        .addOption(
          new Option('--settle <seconds>', 'a file is sent if it has not changed for this long')
            .default(10)
            .argParser(wholeNumberParser(0, 86_400)),
        )
        .option('--marker', 'a file is sent when there is another one called NAME.ready')
        .option(
          '--ignore <pattern>',
          'do not send files with such names, as in *.draft; can be repeated',
          collectPatterns,
        )
        .option('--once', 'send what is ready now, and end; for cron')
        .addOption(
          new Option('--every <seconds>', 'how often to look at the folder even if nothing happens')
            .default(30)
            .argParser(wholeNumberParser(1, 86_400)),
        )
        .option('-m, --message <text>', 'a message to the receivers')
        .addOption(daysOption('the files can be downloaded')),
    )
      .option('--no-mail', 'send no mails; for receivers with an account, who find the files in their inbox')
      .action((dir: string, options: WatchCommandOptions) => watchFolder(context(), dir, options)),
    'waybill watch /srv/out --to archive@example.org',
    'waybill watch /srv/out --by-folder --settle 60 --no-mail',
    'waybill watch /srv/out --to archive@example.org --marker --once',
    'waybill watch /srv/out --to archive@example.org --ignore "*.draft" --days 7',
  );
}

const maxPatternLength = 255;

/** Parses a pattern of names. A pattern of a path would never match. */
function collectPatterns(value: string, before: string[] | undefined): string[] {
  if (value === '' || value.includes('/') || value.length > maxPatternLength)
    throw new InvalidArgumentError('Use a part of a name with * and ?, such as "*.draft".');
  return collectValues(value, before);
}
