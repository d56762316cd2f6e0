import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addExamples } from '../options.ts';
import { type GetCommandOptions, getFiles } from './get.ts';
import { type GiveCommandOptions, giveFiles } from './give.ts';

const exampleToken = 'hIXk0Q2Jr8vYt4mZ1cN7aEw5LbPfS9dUoG3xRjKyTqA';

/** Adds the commands for links in mails, which need no account. */
export function addLinkCommands(program: Command, context: () => Context): void {
  addExamples(
    addLinkOptions(
      program
        .command('get')
        .description('download the files of a link that you got in a mail; no account is needed')
        .argument('[link]', 'the link; - reads it from standard input'),
    )
      .option('--to <dir>', 'the folder for the files', '.')
      .option('--receipt <file>', 'store the receipt of what was downloaded: a PDF, or JSON if the name ends in .json')
      .action((link: string | undefined, options: GetCommandOptions) => getFiles(context(), link, options)),
    `waybill get https://files.example.org/d/${exampleToken}`,
    'waybill get --link-file link.txt --to ~/inbox --receipt ~/inbox/receipt.pdf',
    'waybill --json get --link-file link.txt --code 123456',
  );

  addExamples(
    addLinkOptions(
      program
        .command('give')
        .description('send files to the account that asked for them in a mail with a link; no account is needed')
        .argument('<link>', 'the link; - reads it from standard input. With --link-file, the first file')
        .argument('[file...]', 'the files and folders'),
    )
      .option('-m, --message <text>', 'a message to the account')
      .option('--discard-others', 'delete files that were uploaded through the link before and are not among these')
      .option('--again', 'send the files even if they are the ones that were sent last')
      .option('--receipt <file>', 'store the receipt of what was sent: a PDF, or JSON if the name ends in .json')
      .action((link: string, files: string[], options: GiveCommandOptions) =>
        giveFiles(context(), link, files, options),
      ),
    `waybill give https://files.example.org/u/${exampleToken} report.pdf drawings/`,
    'waybill give --link-file request.txt report.pdf -m "The report that you asked for."',
  );
}

function addLinkOptions(command: Command): Command {
  return command
    .option('--link-file <file>', 'read the link from a file, so that no list of processes shows it')
    .option('--as <address>', 'which of the people you are, if the link is for several: a code is sent to this address')
    .option('--code <code>', 'the code that was sent by mail or SMS, if the link requires one')
    .option('--code-file <file>', 'read the code from a file when it is needed; of a named pipe, waits for it')
    .option(
      '--passphrase-file <file>',
      'read the passphrase that the sender told from a file; without it, it is asked for',
    )
    .option('--plain-http', 'allow http:// to another machine; the link can then be read in transit');
}
