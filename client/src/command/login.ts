import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Waybill } from '../waybill.ts';
import { type Account, optionsOf, writeAccount } from './account.ts';
import { CommandError, exits } from './exits.ts';
import type { Answers, Terminal } from './terminal.ts';

export interface LoginOptions {
  user?: string;
  plainHttp?: boolean;
}

/** Checks the account against the server before it is kept. */
export async function login(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  url: string,
  { user, plainHttp }: LoginOptions,
): Promise<void> {
  const name = user ?? (await ask(terminal, signal, 'Account (e-mail address): '));
  const apiKey = await ask(terminal, signal, 'API key (not shown): ', true);
  const account: Account = {
    url,
    user: name.toLowerCase(),
    api_key: apiKey,
    ...(plainHttp === true ? { plain_http: true } : {}),
  };
  const client = new Waybill(optionsOf(account));
  await client.contacts.list({ signal });
  client.close();
  const path = await writeAccount(terminal, account);
  await answers.say(`Logged in as ${account.user}. The key is kept in ${path}.`, {
    status: 'logged_in',
    user: account.user,
    account_file: path,
  });
}

/** From a terminal with a question, else the next line of standard input. */
async function ask(
  { input, errors }: Terminal,
  signal: AbortSignal,
  question: string,
  hidden = false,
): Promise<string> {
  const onTerminal = input.isTTY === true;
  const screen = new Writable({
    write(piece: Buffer, _encoding, written) {
      // Readline echoes what is typed; a key is not echoed.
      if (!hidden || piece.toString() === question) errors.write(piece);
      written();
    },
  });
  const lines = createInterface({ input, output: screen, terminal: onTerminal });
  try {
    const answer = onTerminal ? await lines.question(question, { signal }) : await firstLine(lines);
    if (hidden && onTerminal) errors.write('\n');
    if (answer.trim() !== '') return answer.trim();
  } finally {
    lines.close();
  }
  throw new CommandError(exits.usage, 'nothing_entered', 'Nothing was entered.', 'Give the key on standard input.');
}

async function firstLine(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) return line;
  return '';
}
