import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Ask } from './gather-settings.ts';

/** Asks until the answer can be used. */
export const askOnTerminal: Ask = async ({ text, suggestion, hidden, check }) => {
  for (;;) {
    process.stdout.write(`${text}\n`);
    const answer = await readAnswer(suggestion === undefined ? '> ' : `[${suggestion}] > `, hidden);
    try {
      check(answer || (suggestion ?? ''));
      return answer || (suggestion ?? '');
    } catch (error) {
      process.stdout.write(`  This ${(error as Error).message}\n`);
    }
  }
};

async function readAnswer(prompt: string, hidden: boolean): Promise<string> {
  if (hidden) process.stdout.write(prompt);
  const nowhere = new Writable({ write: (_bytes, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: hidden ? nowhere : process.stdout, terminal: true });
  // Ctrl-C and Ctrl-D end the command; nothing has been written yet.
  const ended = new AbortController();
  terminal.once('close', () => ended.abort());
  try {
    return (await terminal.question(hidden ? '' : prompt, { signal: ended.signal })).trim();
  } finally {
    terminal.close();
    if (hidden) process.stdout.write('\n');
  }
}
