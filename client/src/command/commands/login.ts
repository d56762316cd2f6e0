import { isAccountAddress } from '../../canonical-address.ts';
import { type Account, checkOptions, createClient, requireServerUrl, writeAccount } from '../account.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { createRetryNotice } from '../retry-notice.ts';
import { ask } from '../terminal/ask.ts';
import type { Output, Terminal } from '../terminal/terminal.ts';

export interface LoginCommandOptions {
  user?: string;
  plainHttp?: boolean;
}

/** Checks the account with the server before it is stored. */
export async function login(
  terminal: Terminal,
  output: Output,
  signal: AbortSignal,
  url: string,
  { user, plainHttp }: LoginCommandOptions,
): Promise<void> {
  requireServerUrl(url, plainHttp === true);
  // Standard input is the key: its first line must not be read as the address.
  if (user === undefined && terminal.input.isTTY !== true) {
    throw new CommandError(exitCodes.usage, 'usage', 'No account was given.', 'Name the account with --user.');
  }
  const name = user ?? (await ask(terminal, signal, 'Account (e-mail address): '));
  if (!isAccountAddress(name)) {
    const next = 'Use the e-mail address of the account, such as orders@example.org.';
    throw new CommandError(exitCodes.usage, 'invalid_argument', `"${name}" is not a valid e-mail address.`, next);
  }
  const apiKey = await ask(terminal, signal, 'API key (not shown): ', true);
  const account: Account = {
    url,
    user: name.toLowerCase(),
    api_key: apiKey,
    ...(plainHttp === true ? { plain_http: true } : {}),
  };
  const client = createClient(account, { ...checkOptions, onRetry: createRetryNotice(terminal, output) });
  const { email } = await client.account({ signal });
  client.close();
  if (email !== account.user) {
    const next = `Use --user ${email}, or the key of ${account.user}.`;
    throw new CommandError(exitCodes.account, 'wrong_account', `The key belongs to ${email}.`, next);
  }
  const path = await writeAccount(terminal, account);
  await output.print(`Logged in as ${account.user}. The key is stored in ${path}.`, {
    status: 'logged_in',
    user: account.user,
    account_file: path,
  });
}
