import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { completionScript, type Shell } from './completion.ts';
import {
  addContacts,
  type ContactFields,
  exportContacts,
  importContacts,
  listContacts,
  removeContacts,
} from './contacts.ts';
import { type FilesCommand, filesCommand } from './files.ts';
import { historyCommand, inboxCommand, type ListCommand } from './lists.ts';
import { type LoginOptions, login } from './login.ts';
import { type PullCommand, pullCommand } from './pull.ts';
import { type RequestCommand, requestCommand } from './request.ts';
import { type SendCommand, sendCommand } from './send.ts';
import { Answers, type Terminal } from './terminal.ts';

/** The commands, each with its words and options; what they do is in their own files. */
export function makeProgram(terminal: Terminal, signal: AbortSignal, version: string): Command {
  const program = new Command('waybill')
    .description('Send and receive files through a Waybill server.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.output.write(text),
      // With --json, run() tells a mistake in the command line as JSON.
      writeErr: (text) => isJson(program) || terminal.errors.write(text),
    })
    .showHelpAfterError('See: waybill help')
    .option('--json', 'answer in JSON, one value per line');
  const answers = () => new Answers(terminal, isJson(program));

  program
    .command('login')
    .description('check an account and keep its key on this machine')
    .argument('<url>', 'the server’s address, such as https://files.example.org')
    .option('--user <address>', 'the account’s e-mail address')
    .option('--plain-http', 'allow http:// to another machine; the key can then be read on the way')
    .action((url: string, options: LoginOptions) => login(terminal, answers(), signal, url, options));

  program
    .command('send')
    .description('send files to receivers')
    .argument('<file...>', 'the files; - is standard input')
    .requiredOption('--to <address>', 'a receiver; may be given several times', several)
    .option('-m, --message <text>', 'a message to the receivers')
    .addOption(days())
    .option('--name <name>', 'what standard input is called (default: stdin)')
    .option('--key <key>', 'makes the send known: however often it is run with the same key, there is one drop')
    .action((files: string[], options: SendCommand) => sendCommand(terminal, answers(), signal, files, options));

  program
    .command('request')
    .description('give people a page on which they can send files to this account')
    .requiredOption('--to <address>', 'who is asked; may be given several times', several)
    .option('-m, --message <text>', 'a message to them')
    .addOption(days())
    .option('--key <key>', 'makes the request known: however often it is run with the same key, there is one')
    .action((options: RequestCommand) => requestCommand(terminal, answers(), signal, options));

  program
    .command('inbox')
    .description('list what contacts and other accounts have sent to this one')
    .addOption(limit())
    .action((options: ListCommand) => inboxCommand(terminal, answers(), signal, options));

  program
    .command('pull')
    .description('fetch every file of the inbox into a folder, each once')
    .argument('<dir>', 'the folder')
    .option('--watch', 'keep running, and fetch what arrives')
    .addOption(new Option('--every <seconds>', 'how often --watch looks').default(30).argParser(wholeNumber(1, 86_400)))
    .option('--hook <command>', 'run this for every file that has arrived; see docs/client.md for what it is told')
    .action((dir: string, options: PullCommand) => pullCommand(terminal, answers(), signal, dir, options));

  program
    .command('history')
    .description('list what this account has sent and asked for')
    .addOption(limit())
    .action((options: ListCommand) => historyCommand(terminal, answers(), signal, options));

  program
    .command('files')
    .description('list files that are uploaded and not yet dispatched')
    .option('--draft <name>', 'in this draft, not the account’s own')
    .option('--remove <name>', 'remove this file instead')
    .action((options: FilesCommand) => filesCommand(terminal, answers(), signal, options));

  addContactCommands(program, terminal, signal, answers);

  program
    .command('completion')
    .description('print a script that lets a shell complete this command')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: Shell) => void terminal.output.write(completionScript(program, shell)));
  for (const command of program.commands) command.showHelpAfterError(`See: waybill help ${command.name()}`);
  return program;
}

export function isJson(program: Command): boolean {
  return program.opts<{ json?: boolean }>().json === true;
}

function addContactCommands(program: Command, terminal: Terminal, signal: AbortSignal, answers: () => Answers): void {
  const contacts = program.command('contacts').description('the people files can be sent to');
  contacts
    .command('list')
    .description('list contacts')
    .action(() => listContacts(terminal, answers(), signal));
  contacts
    .command('add')
    .description('add contacts')
    .argument('<address...>')
    .option('--nick <name>', 'what they are called')
    .option('--number <digits>', 'mobile number, country code first')
    .option('--language <tag>', 'the language of their mails, such as en or pt-BR')
    .option('--group <name>', 'a group; may be given several times', several)
    .option('--update', 'change those that are there already')
    .action((addresses: string[], options: ContactFields) =>
      addContacts(terminal, answers(), signal, addresses, options),
    );
  contacts
    .command('remove')
    .description('remove contacts')
    .argument('<address...>')
    .action((addresses: string[]) => removeContacts(terminal, answers(), signal, addresses));
  contacts
    .command('import')
    .description('add the contacts of a JSON file, and change those that are there')
    .argument('<file>', 'as export writes it; - is standard input')
    .action((file: string) => importContacts(terminal, answers(), signal, file));
  contacts
    .command('export')
    .description('write the account’s own contacts as JSON')
    .action(() => exportContacts(terminal, signal));
}

function several(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function days(): Option {
  return new Option('--days <number>', 'how long it lasts (default: as the server says)').argParser(
    wholeNumber(1, 1_000_000),
  );
}

function limit(): Option {
  return new Option('--limit <number>', 'show no more than the newest so many').argParser(
    wholeNumber(1, Number.MAX_SAFE_INTEGER),
  );
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It takes a whole number from ${min} to ${max}.`);
  };
}
