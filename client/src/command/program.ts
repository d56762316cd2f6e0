import { Argument, Command, type CommanderError, Option } from 'commander';
import { completionScript, type Shell } from './commands/completion.ts';
import { addContactCommands } from './commands/contact-commands.ts';
import { addDeliveryOptions, addSharedLinkOptions, daysOption, parseKey } from './commands/delivery-command-options.ts';
import { addEvidenceCommands } from './commands/evidence-commands.ts';
import { type InboxCommandOptions, listInbox, releaseEntries } from './commands/inbox.ts';
import { addKeyCommands } from './commands/key-commands.ts';
import { type LoginCommandOptions, login } from './commands/login.ts';
import { type RequestCommandOptions, requestFiles } from './commands/request.ts';
import { type SendCommandOptions, sendFiles } from './commands/send.ts';
import { addSentCommands } from './commands/sent-commands.ts';
import { addWebhookCommands } from './commands/webhook-commands.ts';
import type { Context } from './context.ts';
import { CommandError, exitCodes } from './exit-codes.ts';
import { addLinkCommands } from './links/link-commands.ts';
import { addExamples, collectValues, limitOption, wholeNumberParser } from './options.ts';
import { type PullCommandOptions, pullFiles } from './pull/pull.ts';
import { Output, type Terminal } from './terminal/terminal.ts';
import { addWatchCommand } from './watch/watch-command.ts';

const environmentHelp = `
Environment:
  WAYBILL_URL             the server’s address, in place of the stored one
  WAYBILL_USER            the account’s e-mail address, in place of the stored one
  WAYBILL_API_KEY         the account’s key, in place of the stored one
  WAYBILL_API_KEY_FILE    a file that contains the key
  WAYBILL_ACCOUNT_FILE    the file for the account (default: ~/.config/waybill/account.json)
  WAYBILL_WEBHOOK_SECRET  the secret with which \`webhooks listen\` signs events
  WAYBILL_PLAIN_HTTP      1 allows http:// to another machine; the key can then be read in transit`;

const exitCodesHelp = `
Exit codes:
  0    done
  1    failed
  2    the command line is wrong
  3    not logged in, or the key is wrong
  4    the server refused the request
  5    the server is unreachable or busy
  6    the bytes are damaged
  7    the virus scanner refused a file
  8    pull or watch --once could not finish some files
  9    a receipt is not proven, or a file is not a receipt
  10   no key or policy was given to verify a receipt
  11   a receiver had not downloaded every file when send --wait ended
  130  interrupted`;

/** Creates the commands with their options and help. Their implementations are in separate files. */
export function makeProgram(terminal: Terminal, signal: AbortSignal, version: string): Command {
  const program = new Command('waybill')
    .description('Send and receive files through a Waybill server.')
    .version(version, '-V, --version', 'print the version')
    .configureOutput({
      writeOut: (text) => terminal.output.write(text),
      writeErr: (text) => isJson(program) || terminal.errors.write(text),
      // run() reports it, like any other failure.
      outputError: () => undefined,
    })
    .configureHelp({ subcommandTerm: toHelpTerm })
    .option('--json', 'print JSON, one value per line');
  const output = () => new Output(terminal, isJson(program));
  const context = (): Context => ({ terminal, output: output(), signal });
  addExamples(
    program,
    'waybill login https://files.example.org --user orders@example.org',
    'waybill send report.pdf --to anna@example.com',
    'waybill pull ~/inbox',
  )
    .addHelpText('after', environmentHelp)
    .addHelpText('after', exitCodesHelp);

  addExamples(
    program
      .command('login')
      .description('check an account and store its key on this machine')
      .argument('<url>', 'the server’s address, such as https://files.example.org')
      .option('--user <address>', 'the account’s e-mail address')
      .option('--plain-http', 'allow http:// to another machine; the key can then be read in transit')
      .action((url: string, options: LoginCommandOptions) => login(terminal, output(), signal, url, options)),
    'waybill login https://files.example.org',
    'waybill login https://files.example.org --user orders@example.org < key-file',
  );

  addExamples(
    addSharedLinkOptions(
      addDeliveryOptions(
        program
          .command('send')
          .description('send files and folders to receivers')
          .argument('[file...]', 'the files and folders; - is standard input')
          .option('--to <address>', 'a receiver; can be repeated', collectValues)
          .option('-m, --message <text>', 'a message to the receivers')
          .addOption(daysOption('the files can be downloaded')),
        false,
      ),
    )
      .option(
        '--again <delivery>',
        'send the files of a delivery again, without uploading them: its reference or its id',
      )
      .option('--no-mail', 'send no mails, and print the link of each receiver instead')
      .addOption(
        new Option('--wait <seconds>', 'wait this long for every receiver to download every file').argParser(
          wholeNumberParser(1, 31_536_000),
        ),
      )
      .option('--name <name>', 'the name of the file that is read from standard input (default: stdin)')
      .option(
        '--key <key>',
        'identifies this send, which is carried out once however often it is repeated with the same key within 7 days',
        parseKey,
      )
      .action((files: string[], options: SendCommandOptions) => sendFiles(terminal, output(), signal, files, options)),
    'waybill send report.pdf --to anna@example.com --to archive@example.org -m "The report." --days 7',
    'waybill send report.csv --to finance@example.com --key "report-$(date +%F)"',
    'waybill send drawings/ --to anna@example.com --no-mail',
    'waybill send report.pdf --to anna@example.com --wait 3600',
    'waybill send --again WB-7F3K-29QD --to bo@example.com',
    'waybill send drawings/ --link=anybody --max-downloads 10 --link-days 3',
    'waybill send contract.pdf --to anna@example.com --to ben@example.com --link=named',
    'waybill send contract.pdf --to anna@example.com --second-factor mail --external-id order-4711 --dry-run',
    'pg_dump shop | waybill send - --name shop.sql --to archive@example.org',
  );

  addExamples(
    addDeliveryOptions(
      program
        .command('request')
        .description('ask people for files, which they upload on a page of their own')
        .option('--to <address>', 'a person to ask; can be repeated', collectValues)
        .option('-m, --message <text>', 'a message to them')
        .addOption(daysOption('the page can be used')),
    )
      .option('--wanted <name>', 'a file that is wanted, in a few words; can be repeated', collectValues)
      .option('--reusable', 'let each of them send files any number of times, not only once')
      .option('--no-mail', 'send no mails, and print the link of each person instead')
      .option(
        '--key <key>',
        'identifies this request, which is created once however often it is repeated with the same key within 7 days',
        parseKey,
      )
      .action((options: RequestCommandOptions) => requestFiles(context(), options)),
    'waybill request --to anna@example.com -m "Please send us the signed contract." --days 14',
    'waybill request --to printer@example.com --reusable --no-mail',
    'waybill request --to site@example.com --title "Handover of house 12" --wanted "Floor plans" --wanted "Signed contract"',
  );

  addExamples(
    program
      .command('inbox')
      .description('list what contacts and other accounts have sent to this one')
      .addOption(
        new Option('--state <state>', 'only entries in this state').choices([
          'available',
          'claimed',
          'parked',
          'acknowledged',
        ]),
      )
      .addOption(
        new Option('--external-id <text>', 'only entries with this external id').conflicts(['state', 'reference']),
      )
      .addOption(
        new Option(
          '--reference <reference>',
          'only entries with this reference of a drop, or of the request through which they came',
        ).conflicts('state'),
      )
      .addOption(limitOption())
      .action((options: InboxCommandOptions) => listInbox(context(), options)),
    'waybill inbox',
    'waybill inbox --state parked',
    'waybill inbox --external-id order-4711',
    'waybill --json inbox --limit 10',
  );
  addExamples(
    program
      .command('release')
      .description('make entries of the inbox available again that were parked after too many failed attempts')
      .argument('<id...>', 'their ids, as `waybill inbox` shows them')
      .action((ids: string[]) => releaseEntries(context(), ids)),
    'waybill release 0190b2c8-1f7a-7c3e-9d61-5a1b2c3d4e63',
  );

  addExamples(
    program
      .command('pull')
      .description('download every file of the inbox into a folder, each one once')
      .argument('<dir>', 'the folder')
      .option('--watch', 'keep running, and download what arrives')
      .addOption(
        new Option('--every <seconds>', 'how often --watch checks the inbox even if nothing arrives')
          .default(30)
          .argParser(wholeNumberParser(1, 86_400)),
      )
      .option(
        '--hook <command>',
        'run this command for every received file, with WAYBILL_FILE, WAYBILL_NAME, WAYBILL_SENDER, WAYBILL_DROP, WAYBILL_SHA256, WAYBILL_SIZE and WAYBILL_ATTEMPT in its environment',
      )
      .action((dir: string, options: PullCommandOptions) => pullFiles(terminal, output(), signal, dir, options)),
    'waybill pull ~/inbox',
    'waybill pull --watch --every 60 --hook /usr/local/bin/import /srv/in',
  );

  addLinkCommands(program, context);

  addWatchCommand(program, context);
  addSentCommands(program, context);

  addContactCommands(program, context);
  addKeyCommands(program, context);
  addWebhookCommands(program, context);
  addEvidenceCommands(program, context);

  addExamples(
    program
      .command('completion')
      .description('print a script that makes a shell complete this command')
      .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
      .action((shell: Shell) => void terminal.output.write(completionScript(program, shell))),
    'source <(waybill completion bash)',
    'waybill completion zsh > _waybill',
    'waybill completion fish > waybill.fish',
  );

  for (const command of flattenCommands(program)) {
    command.exitOverride((error) => {
      throw error.exitCode === 0 || error.code === 'commander.help' ? error : toUsageError(error, command);
    });
  }
  return program;
}

/** Leaves room for the descriptions, which wrap only if their column is wide enough. */
function toHelpTerm(command: Command): string {
  const values = command.registeredArguments.map((value) => `<${value.name()}${value.variadic ? '...' : ''}>`);
  return [command.name(), ...values].join(' ');
}

export function isJson(program: Command): boolean {
  return program.opts<{ json?: boolean }>().json === true;
}

export function flattenCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(flattenCommands)];
}

/** Converts an error of Commander to the form of all other messages. */
function toUsageError({ message }: CommanderError, command: Command): CommandError {
  const [first = '', ...more] = message.replace(/^error: /, '').split('\n');
  const ended = /[.?!]$/.test(first) ? first : `${first}.`;
  const suggestions = more.map((line) => line.replace(/^\((.*)\)$/, '$1'));
  const sentence = [`${ended.charAt(0).toUpperCase()}${ended.slice(1)}`, ...suggestions].join(' ');
  return new CommandError(exitCodes.usage, 'usage', sentence, `See: ${commandPath(command)} --help`);
}

function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}
