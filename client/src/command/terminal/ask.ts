import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError, exitCodes, SilentExit } from '../exit-codes.ts';
import { eraseTemporaryLine } from './temporary-line.ts';
import type { Terminal } from './terminal.ts';

/** Prompts on a terminal; otherwise reads the next line of standard input. */
export async function ask(
  { input, errors }: Terminal,
  signal: AbortSignal,
  question: string,
  hidden = false,
): Promise<string> {
  eraseTemporaryLine(errors);
  const onTerminal = input.isTTY === true;
  const screen = new Writable({
    write(piece: Buffer, _encoding, written) {
      // Readline echoes what is typed; a key must not be shown.
      if (!hidden || piece.toString() === question) errors.write(piece);
      written();
    },
  });
  const lines = createInterface({ input, output: screen, terminal: onTerminal });
  // While it reads from a terminal, readline gets Ctrl-C, and not the process.
  const interrupted = new AbortController();
  lines.on('SIGINT', () => interrupted.abort());
  const ended = AbortSignal.any([signal, interrupted.signal]);
  try {
    const answer = onTerminal ? await lines.question(question, { signal: ended }) : await firstLine(lines);
    if (hidden && onTerminal) errors.write('\n');
    if (answer.trim() !== '') return answer.trim();
  } catch (error) {
    if (!ended.aborted) throw error;
    // Readline has ended the line of the question, if it is shown.
    errors.write(`${hidden ? '\n' : ''}Nothing was changed.\n`);
    throw new SilentExit(exitCodes.interrupted);
  } finally {
    lines.close();
  }
  throw new CommandError(
    exitCodes.usage,
    'nothing_entered',
    'Nothing was entered.',
    'Enter a value, or pass it on standard input.',
  );
}

async function firstLine(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) return line;
  return '';
}

/** Returns whether a user at a terminal agrees, or `--yes` was given. Throws if there is no terminal. */
export async function confirm(
  terminal: Terminal,
  signal: AbortSignal,
  question: string,
  yes: boolean | undefined,
): Promise<boolean> {
  if (yes === true) return true;
  if (terminal.input.isTTY !== true || terminal.errors.isTTY !== true) {
    const next = 'To proceed without confirmation, add --yes.';
    throw new CommandError(
      exitCodes.usage,
      'not_confirmed',
      'Nothing was changed: there is no terminal to ask for confirmation.',
      next,
    );
  }
  const answer = await ask(terminal, signal, `${question} [y/N] `).catch((error: unknown) => {
    if (error instanceof CommandError) return '';
    throw error;
  });
  return /^y(?:es)?$/i.test(answer);
}
