/**
 * Writes waybilld(8) and waybill(1) from the help of every command, so that they are as complete as the programs: node
 * tools/package/man-pages.ts FOLDER.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { makeProgram as makeClient } from '../../client/src/command/program.ts';
import { makeProgram as makeServer, type Roles } from '../../server/src/cli/program.ts';
import { configTable } from '../../server/src/config/config.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Both programs have the same kind of commands. */
type Command = ReturnType<typeof makeServer>;

/** Text as roff shows it: no character of it is a command. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(['.])/gm, '\\&$1');
}

/** Names and values of options in the style of man pages. */
const term = (text: string) => `\\fB${roff(text).replace(/<[^>]*>/g, '\\fI$&\\fB')}\\fR`;

const list = (items: readonly (readonly [name: string, about: string])[]) =>
  items.map(([name, about]) => `.TP\n${term(name)}\n${roff(about)}`).join('\n');

const exampleWidth = 66;

/** Breaks a line that is too long as a shell allows it, so that it can be copied. An option stays with its value. */
function breakExample(line: string): string {
  const words = line.match(/(?:(?:--?[\w-]+|<) (?!-))?(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  const lines: string[] = [];
  for (const word of words) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || longer.length <= exampleWidth) lines.splice(-1, 1, longer);
    else lines.push(`    ${word}`);
  }
  return lines.join(' \\\n');
}

/** The lines of a part of the help: a list of two columns, or examples. */
function renderLines(lines: readonly string[]): string {
  const rows = lines.map((line) => /^(\S+) {2,}(\S.*)$/.exec(line));
  if (rows.every((row) => row !== null)) return list(rows.map(([, name = '', about = '']) => [name, about]));
  return `.PP\n.nf\n.RS 4\n${lines.map((line) => roff(breakExample(line))).join('\n')}\n.RE\n.fi`;
}

/** The text after the options, with a heading for each part of it, such as examples. */
function renderRest(command: Command, toHeading: (title: string) => string): string {
  let shown = '';
  command.configureOutput({ writeOut: (text) => (shown += text) });
  command.outputHelp();
  const rest = shown.slice(command.helpInformation().length).trim();
  return rest
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => {
      const [title = '', ...lines] = part.split('\n');
      if (!title.endsWith(':')) return `.PP\n${roff(part)}`;
      return `${toHeading(title.slice(0, -1))}\n${renderLines(lines.map((line) => line.trim()))}`;
    })
    .join('\n');
}

/** Descriptions begin in lower case in the help. */
const toSentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;

/** The help of the command itself is the same everywhere. */
function listOptions(command: Command): string {
  const help = command.createHelp();
  return list([
    ...help
      .visibleArguments(command)
      .map((one) => [`<${help.argumentTerm(one)}>`, help.argumentDescription(one)] as const),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map((one) => [help.optionTerm(one), help.optionDescription(one)] as const),
  ]);
}

function listCommands(command: Command, parents = ''): [string, Command][] {
  const path = `${parents}${command.name()}`;
  return [[path, command], ...command.commands.flatMap((child) => listCommands(child, `${path} `))];
}

function renderCommand([path, command]: [string, Command]): string {
  const usage = command.createHelp().commandUsage(command);
  return [
    `.SS ${roff(path)}`,
    term(usage),
    `.PP\n${roff(toSentence(command.description()))}`,
    listOptions(command),
    renderRest(command, (title) => `.PP\n${title}:`),
  ].join('\n');
}

/** The names that man pages have for the headings of the help. */
const headings: Readonly<Record<string, string>> = { 'Exit codes': 'EXIT STATUS' };

function renderManPage(program: Command, section: number, more: string): string {
  const [, ...commands] = listCommands(program);
  const name = program.name();
  const about = program.description();
  return [
    `.TH ${name.toUpperCase()} ${section} "" "Waybill ${version}" "Waybill"`,
    `.SH NAME\n${name} \\- ${roff(`${about.charAt(0).toLowerCase()}${about.slice(1)}`.replace(/\.$/, ''))}`,
    `.SH SYNOPSIS\n${term(`${name} [options] <command> [<argument>...]`)}`,
    `.SH DESCRIPTION\n${roff(about)}\nEvery command has an option \\-\\-help, which prints what is said of it here.`,
    `.SH OPTIONS\n${listOptions(program)}`,
    '.SH COMMANDS',
    ...commands.map(renderCommand),
    renderRest(program, (title) => `.SH ${headings[title] ?? title.toUpperCase()}`),
    more,
  ].join('\n');
}

/** Every setting, from the table that the program reads them with. */
function renderSettings(): string {
  const entries = Object.entries(configTable).map(([name, { description, default: value, secret }]) => {
    const rest = value === undefined ? 'Required.' : value === '' ? '' : `Default: ${value}.`;
    return `.TP\n.B ${name}\n${roff([description, rest, secret ? `May be in a file: ${name}_FILE.` : ''].filter(Boolean).join(' '))}`;
  });
  const files = ['/etc/waybill/environment', 'the settings, as NAME=VALUE lines'] as const;
  return `.SH ENVIRONMENT\n${entries.join('\n')}\n.SH FILES\n.TP\n.I ${files[0]}\n${files[1]}\n.SH SEE ALSO\n.BR waybill (1)\n`;
}

function renderAccountFile(): string {
  return `.SH FILES\n${list([['~/.config/waybill/account.json', 'the account, with its key']])}\n.SH SEE ALSO\n.BR waybilld (8)\n`;
}

/** Only what they say of themselves is used: no command is run. */
export function makePrograms(): { server: Command; client: Command } {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const terminal = { input, output, errors, environment: {}, homeFolder: '/' };
  return {
    server: makeServer({} as Roles, version),
    client: makeClient(terminal, new AbortController().signal, version),
  };
}

export function renderManPages(): Record<string, string> {
  const { server, client } = makePrograms();
  return {
    'man8/waybilld.8': renderManPage(server, 8, renderSettings()),
    'man1/waybill.1': renderManPage(client, 1, renderAccountFile()),
  };
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('usage: node tools/package/man-pages.ts FOLDER');
  for (const [name, text] of Object.entries(renderManPages())) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
