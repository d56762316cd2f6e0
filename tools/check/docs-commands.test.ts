// Tests that the commands in the documents exist, with their options.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as client from '../../client/src/command/program.ts';
import { fakeTerminal } from '../../client/src/testing/fake-terminal.ts';
import * as server from '../../server/src/cli/program.ts';
import { shellWords } from '../shared/shell-words.ts';
import { documents } from './documents.ts';

type Command = ReturnType<typeof server.makeProgram>;

const project = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${project}package.json`, 'utf8')) as { scripts: Record<string, string> };

/** The programs, with commands that do nothing. */
function makePrograms(): Record<string, Command> {
  const never = async () => undefined as never;
  const roles = { serve: never, work: never, withEngines: never, diagnose: never, setUp: never };
  const made = {
    waybilld: server.makeProgram(roles, '1.2.3'),
    waybill: client.makeProgram(fakeTerminal(tmpdir()), new AbortController().signal, '1.2.3'),
  };
  for (const command of [...server.withDescendants(made.waybilld), ...client.flattenCommands(made.waybill)]) {
    if (command.commands.length === 0) command.action(() => undefined);
  }
  return made;
}

/** The lines of the blocks that are to be typed, each with the lines that continue it, and without prompts. */
function findTypedLines(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```(sh|console)\n([\s\S]*?)^ *```/gm)];
  return blocks.flatMap(([, kind, block = '']) =>
    block
      .replace(/\\\n\s*/g, '')
      .split('\n')
      .flatMap((line) => (kind === 'sh' ? [line.trim()] : line.startsWith('$ ') ? [line.slice(2)] : [])),
  );
}

/** Commands in the middle of a sentence, which need not be complete. */
function findMentionedCommands(text: string): string[] {
  const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, '');
  return [...prose.matchAll(/`((?:waybilld?|npm run|node tools\/)(?: [^`{\n]*)?)`/g)].map(([, code]) => code ?? '');
}

/** The problem of a command that is only mentioned: a command, an option or a file that does not exist. */
function findProblem(code: string): string | undefined {
  const [name = '', ...words] = (code.split(' | ')[0] ?? '').split(/\s+/);
  if (name === 'npm') return findScriptProblem(words.slice(1));
  if (name === 'node') return existsSync(`${project}${words[0]}`) ? undefined : `no file ${words[0]}`;
  let command = makePrograms()[name] as Command;
  for (const word of words) {
    // Alternatives are written with a bar.
    const next = word.split('|').map((one) => command.commands.find((child) => child.name() === one));
    if (!next[0]) break;
    if (next.includes(undefined)) return `no command ${word}`;
    command = next[0];
  }
  const rest = words.slice(words.findIndex((word) => word.startsWith('-')));
  const isGroup = command.commands.length > 0 && words.length > 0;
  if (isGroup && words.at(-1) !== command.name() && !words.at(-1)?.startsWith('-')) return `no command ${words.at(-1)}`;
  const options = new Set(command.options.flatMap(({ long, short }) => [long, short]).concat('--help', '-h'));
  return rest.filter((word) => /^--?[a-z]/.test(word) && !options.has(word)).map((word) => `no option ${word}`)[0];
}

function findScriptProblem([script = '', ...words]: string[]): string | undefined {
  if (!scripts[script]) return `no script ${script}`;
  const [, run] = words;
  if (script !== 'lab' || run === undefined || existsSync(`${project}tools/lab/runs/${run}`)) return undefined;
  return `no run ${run} in the lab`;
}

/** Commands at the end of a sentence of the source, which an operator copies. */
function findAdvisedCommands(text: string): string[] {
  return [...text.matchAll(/: (waybilld admin (?:\$\{[^}]*\}|[^`.,;'\\$])+)/g)].flatMap(([, line = '']) =>
    line.endsWith(' --help') ? [] : [line.replaceAll(/\$\{[^}]*\}/g, 'x')],
  );
}

test('the commands that the server advises are complete', async () => {
  const paths = globSync('server/src/**/*.{ts,tsx}', { cwd: project, exclude: ['**/*.test.ts'] });
  const advised = paths.flatMap((path) => findAdvisedCommands(readFileSync(`${project}${path}`, 'utf8')));
  expect(advised).toContain('waybilld admin log start-epoch --reason "entries without a checkpoint"');
  const problems: string[] = [];
  for (const line of advised) {
    const parsed = makePrograms()['waybilld']?.parseAsync(shellWords('waybilld', line), { from: 'user' });
    // In place of a value, there may be a word that says which one.
    await parsed?.catch(({ message }: Error) => {
      if (!message.includes('is invalid for argument')) problems.push(`${line}: ${message}`);
    });
  }
  expect(problems).toEqual([]);
});

describe.each(documents.filter((path) => !path.startsWith('docs/adr/')))('%s', (path) => {
  // Both run waybilld.
  const text = readFileSync(`${project}${path}`, 'utf8').replace(/npm run (?:demo|dev) -- (?=admin)/g, 'waybilld ');

  test('mentions only what exists', () => {
    const problems = findMentionedCommands(text).flatMap((code) => {
      const problem = findProblem(code);
      return problem ? [`${code}: ${problem}`] : [];
    });
    expect(problems).toEqual([]);
  });

  test('has only lines to type that the programs understand', async () => {
    for (const line of findTypedLines(text)) {
      const [, name = ''] = /(?:^|\| )(waybilld?) /.exec(line) ?? [];
      const program = makePrograms()[name];
      if (program)
        await expect(program.parseAsync(shellWords(name, line), { from: 'user' }), line).resolves.toBeDefined();
      for (const [script] of line.matchAll(/npm run (?:lab -- )?[^\s-]\S*/g))
        expect(findProblem(script), line).toBeUndefined();
      for (const [file] of line.matchAll(/(?<=^|\s)(?:tools|deploy)\/[\w./-]+/g))
        expect(existsSync(`${project}${file}`), line).toBe(true);
    }
  });
});
