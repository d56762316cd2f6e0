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

/** As it is, without filling lines: help is laid out already. */
const asIs = (text: string) => `.nf\n${roff(text.trimEnd())}\n.fi\n`;

function renderHelp(command: Command): string {
  let shown = '';
  command.configureOutput({ writeOut: (text) => (shown += text), getOutHelpWidth: () => 72 });
  command.outputHelp();
  return shown;
}

function listCommands(command: Command, parents = ''): [string, Command][] {
  const path = `${parents}${command.name()}`;
  return [[path, command], ...command.commands.flatMap((child) => listCommands(child, `${path} `))];
}

function renderManPage(program: Command, section: number, more = ''): string {
  const [[name, root] = ['', program], ...commands] = listCommands(program);
  return [
    `.TH ${name.toUpperCase()} ${section} "" "Waybill ${version}" "Waybill"`,
    `.SH NAME\n${roff(name)} \\- ${roff(
      root
        .description()
        .replace(/\.$/, '')
        .replace(/^./, (c) => c.toLowerCase()),
    )}`,
    `.SH SYNOPSIS\n${asIs(renderHelp(root))}.SH COMMANDS`,
    ...commands.map(([path, command]) => `.SS ${roff(path)}\n${asIs(renderHelp(command))}`),
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
    'man1/waybill.1': renderManPage(client, 1, '.SH SEE ALSO\n.BR waybilld (8)\n'),
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
