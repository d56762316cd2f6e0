import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { fakeTerminal } from '../testing/fake-terminal.ts';
import { parseExamples, parseShellWords } from '../testing/help-examples.ts';
import { exitCodes } from './exit-codes.ts';
import { flattenCommands, makeProgram } from './program.ts';

const never = new AbortController().signal;
/** The folder in which examples may read and write. */
const folder = mkdtempSync(join(tmpdir(), 'waybill-examples-'));
writeFileSync(join(folder, 'key-file'), 'wb_key\n');
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the program with commands that only record that they were called. */
function dryProgram() {
  const ran: string[] = [];
  const terminal = fakeTerminal(folder);
  const program = makeProgram(terminal, never, '1.2.3');
  for (const command of flattenCommands(program)) {
    if (command.commands.length === 0) command.action(() => void ran.push(joinPath(command)));
  }
  return { ran, terminal, program };
}

function joinPath(command: Command): string {
  return command.parent ? `${joinPath(command.parent)} ${command.name()}` : command.name();
}

async function readHelp(...words: string[]): Promise<string> {
  const { program, terminal } = dryProgram();
  await expect(program.parseAsync([...words, '--help'], { from: 'user' })).rejects.toMatchObject({ exitCode: 0 });
  return terminal.output.text;
}

const commands = flattenCommands(dryProgram().program);

describe.each(commands.map((command) => [joinPath(command), command] as const))('%s', (path, command) => {
  test('describes itself, its arguments and its options', () => {
    expect(command.description()).not.toBe('');
    for (const { description } of [...command.options, ...command.registeredArguments])
      expect(description).toBeTruthy();
  });

  test('has examples in its help that the program can parse', async () => {
    const help = await readHelp(...path.split(' ').slice(1));
    const examples = parseExamples(help);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const { ran, program } = dryProgram();
      await program.parseAsync(parseShellWords(example, folder), { from: 'user' });
      expect(ran).toHaveLength(1);
      if (command.commands.length === 0) expect(ran).toEqual([path]);
    }
  });
});

test('the help lists every exit code', async () => {
  const [, list = ''] = /\nExit codes:\n((?: {2}.*\n)+)/.exec(await readHelp()) ?? [];
  const listed = list.match(/^ {2}\d+/gm)?.map(Number);
  expect(listed).toEqual(Object.values(exitCodes));
});

test('the help and the document name the same variables of the environment', async () => {
  const document = readFileSync(new URL('../../../docs/client.md', import.meta.url), 'utf8');
  const [accounts = ''] = /^### Accounts$[^]*?^### /m.exec(document) ?? [];
  const named = accounts.split('\n').flatMap((line) => /^\|(.*?)\|/.exec(line)?.[1]?.match(/WAYBILL_\w+/g) ?? []);
  const helped = (await readHelp()).match(/^ {2}WAYBILL_\w+/gm)?.map((line) => line.trim());
  expect(helped?.toSorted()).toEqual(named.toSorted());
});
