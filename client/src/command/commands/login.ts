import { type Account, clientOf, requireServerUrl, writeAccount } from '../account.ts';
import { CommandError, exits } from '../exit-codes.ts';
import { ask } from '../terminal/ask.ts';
import type { Answers, Terminal } from '../terminal/terminal.ts';

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
  const { email } = await client.account({ signal });
  client.close();
  if (email !== account.user) {
    const next = `Use --user ${email}, or the key of ${account.user}.`;
    throw new CommandError(exits.account, 'wrong_account', `The key belongs to ${email}.`, next);
  }
  const path = await writeAccount(terminal, account);
  await answers.say(`Logged in as ${account.user}. The key is stored in ${path}.`, {
    status: 'logged_in',
    user: account.user,
    account_file: path,
  });
}
