import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { shellWords } from '../../../tools/shared/shell-words.ts';
import { toFailure } from './failure.ts';
import { makeProgram, UsageError, withDescendants } from './program.ts';

/** The program with commands that only record that they would run. */
function dryProgram() {
  const ran: string[] = [];
  const shown: string[] = [];
  const never = async () => undefined as never;
  const program = makeProgram(
    { serve: never, work: never, withEngines: never, diagnose: never, setUp: never },
    '1.2.3',
  );
  for (const command of withDescendants(program)) {
    command.configureOutput({ writeOut: (text) => shown.push(text), writeErr: (text) => shown.push(text) });
    if (command.commands.length === 0) command.action(() => void ran.push(joinPath(command)));
  }
  const run = async (...words: string[]) => {
    await program.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
      if (!(error instanceof UsageError && error.isHelp)) throw error;
    });
    return { ran, shown: shown.join('') };
  };
  return { program, run };
}

function joinPath(command: Command): string {
  return command.parent ? `${joinPath(command.parent)} ${command.name()}` : command.name();
}

const commands = withDescendants(dryProgram().program);

describe.each(commands.map((command) => [joinPath(command), command] as const))('%s', (path, command) => {
  test('says what it does, and what its arguments and options are', () => {
    expect(command.description()).not.toBe('');
    for (const { description } of [...command.options, ...command.registeredArguments])
      expect(description).toBeTruthy();
  });

  test('has examples in its help, which the program itself understands', async () => {
    const { shown } = await dryProgram().run(...path.split(' ').slice(1), '--help');
    const [, list = ''] = /\nExamples:\n((?: {2}.*\n)+)/.exec(shown) ?? [];
    const examples = list.split('\n').filter(Boolean);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const words = shellWords('waybilld', example.trim());
      expect(example).toContain(path);
      const { ran, shown: help } = await dryProgram().run(...words);
      if (words.includes('--help')) expect(help).toContain('Usage: waybilld');
      else expect(ran).toHaveLength(1);
      if (command.commands.length === 0) expect(ran).toEqual([path]);
    }
  });
});

test('every administrator’s command can print JSON', () => {
  const missing = commands.filter(
    (command) =>
      command.commands.length === 0 &&
      joinPath(command).startsWith('waybilld admin ') &&
      !command.options.some(({ long, argChoices }) => long === '--json' || argChoices?.includes('jsonl')),
  );
  expect(missing.map(joinPath)).toEqual([]);
});

test('the help lists the exit codes', async () => {
  const { shown } = await dryProgram().run('--help');
  expect(shown).toMatch(/Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}78 /);
});

describe('a command line that cannot be run', () => {
  const drop = '01a1dca1-b6e4-73d7-b45e-3306c96c241d';
  test.each<[words: string, message: string, next: string]>([
    ['frobnicate', "Unknown command 'frobnicate'.", 'waybilld'],
    ['admin accounts creat', "Unknown command 'creat'. (Did you mean create?)", 'waybilld admin accounts'],
    ['admin accounts create', "Required option '--email <address>' not specified.", 'waybilld admin accounts create'],
    ['admin drops show --account a@example.org', "Missing required argument 'drop'.", 'waybilld admin drops show'],
    [
      'admin drops show 7 --account a@example.org',
      "Command-argument value '7' is invalid for argument 'drop'. Use a reference such as WB-7F3K-29QD, or an id as `drops list` shows it.",
      'waybilld admin drops show',
    ],
    [
      'admin api-keys revoke --account a@example.org --id 7',
      'Use an id as `api-keys list` shows it.',
      'waybilld admin api-keys revoke',
    ],
    [
      `admin drops extend ${drop} --account a@example.org --until tomorrow`,
      'Use a date or a time with its zone, such as',
      'waybilld admin drops extend',
    ],
    // Without a zone, it is a different moment on a different machine.
    [
      `admin drops extend ${drop} --account a@example.org --until 2026-11-30T18:00:00`,
      'Use a date or a time with its zone, such as',
      'waybilld admin drops extend',
    ],
    ['admin groups create sales --max-stored lots', 'Use a size such as 500MB', 'waybilld admin groups create'],
    ['admin groups create sales --max-stored 0', 'Use a size such as 500MB', 'waybilld admin groups create'],
    ['admin groups set sales --drops-per-day -1', 'Use a whole number from 1', 'waybilld admin groups set'],
    ['admin groups set sales --lifetimes 1,x', 'Use a whole number from 1', 'waybilld admin groups set'],
    ['admin groups set sales --receiver-domains a@b', 'Use up to 1000 domains', 'waybilld admin groups set'],
    ['admin outbox list --state lost', 'Allowed choices are waiting, abandoned.', 'waybilld admin outbox list'],
    ['admin sweep now', "Too many arguments for 'sweep'. Expected 0 arguments but got 1: now.", 'waybilld admin sweep'],
  ])('%s', async (words, message, next) => {
    const error = await dryProgram()
      .run(...words.split(' '))
      .catch((thrown: unknown) => thrown);
    const failure = toFailure(error);
    expect(failure).toMatchObject({ exitCode: 2, code: 'usage', next: `See: ${next} --help` });
    expect(failure?.message).toContain(message);
  });

  test('a backup is made unless another command is named', async () => {
    const run = async (words: string) => (await dryProgram().run(...words.split(' '))).ran;
    expect(await run('admin backup --to /b --day-keys /k --json')).toEqual(['waybilld admin backup make']);
    expect(await run('admin backup verify --from /b --day-keys /k --json')).toEqual(['waybilld admin backup verify']);
    await expect(run('admin verify --from /b')).rejects.toThrow("Unknown command 'verify'.");
  });

  test('a missing command gets the help', async () => {
    await expect(dryProgram().run('admin', 'drops')).rejects.toMatchObject({ isShown: true, isHelp: false });
  });

  test.each(['outbox retry', 'accounts set --account a@example.org', 'groups set sales'])(
    '%s without its point',
    async (words) => {
      const never = async () => {
        throw new Error('must not run');
      };
      const program = makeProgram(
        { serve: never, work: never, withEngines: never, diagnose: never, setUp: never },
        '1.2.3',
      );
      const error = await program
        .parseAsync(['admin', ...words.split(' ')], { from: 'user' })
        .catch((thrown) => thrown);
      expect(toFailure(error)).toMatchObject({ exitCode: 2, message: expect.stringMatching(/use --/) });
    },
  );
});
