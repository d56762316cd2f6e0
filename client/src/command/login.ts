import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Account, clientOf, requireServerUrl, writeAccount } from './account.ts';
import { CommandError, exits } from './exits.ts';
import type { Answers, Terminal } from './terminal.ts';

export interface LoginOptions {
  user?: string;
  plainHttp?: boolean;
}

/** Checks the account with the server before it is stored. */
export async function login(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  url: string,
  { user, plainHttp }: LoginOptions,
): Promise<void> {
  requireServerUrl(url, plainHttp === true);
  const name = user ?? (await ask(terminal, signal, 'Account (e-mail address): '));
  if (!/^[^\s:/]+@[^\s:/]+$/.test(name)) {
    const next = 'Use the e-mail address of the account, such as orders@example.org.';
    throw new CommandError(exits.usage, 'invalid_argument', `"${name}" is not an account.`, next);
  }
  const apiKey = await ask(terminal, signal, 'API key (not shown): ', true);
  const account: Account = {
    url,
    user: name.toLowerCase(),
    api_key: apiKey,
    ...(plainHttp === true ? { plain_http: true } : {}),
  };
  // Somebody waits, and a wrong address is more likely than a server that is back in a minute.
  const client = clientOf(account, { patience: { attempts: 3 } });
  await client.contacts.list({ signal });
  client.close();
  const path = await writeAccount(terminal, account);
  await answers.say(`Logged in as ${account.user}. The key is stored in ${path}.`, {
    status: 'logged_in',
    user: account.user,
    account_file: path,
  });
}

/** Asks on a terminal; otherwise reads the next line of standard input. */
async function ask(
  { input, errors }: Terminal,
  signal: AbortSignal,
  question: string,
  hidden = false,
): Promise<string> {
  const onTerminal = input.isTTY === true;
  const screen = new Writable({
    write(piece: Buffer, _encoding, written) {
      // Readline echoes what is typed; a key must not be shown.
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
  throw new CommandError(
    exits.usage,
    'nothing_entered',
    'Nothing was entered.',
    'Type it in, or pass it on standard input.',
  );
}

async function firstLine(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) return line;
  return '';
}
