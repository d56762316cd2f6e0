import { randomUUID } from 'node:crypto';
import { chmod, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseServerUrl } from '../http/server-url.ts';
import { makeFolder } from '../transfer/make-folder.ts';
import { nameTarget } from '../transfer/name-target.ts';
import { Waybill, type WaybillOptions } from '../waybill.ts';
import { describeError } from './error-report.ts';
import { CommandError, exitCodes } from './exit-codes.ts';
import { createRetryNotice } from './retry-notice.ts';
import type { Output, Terminal } from './terminal/terminal.ts';

/** The account as it is stored in the file. */
export interface Account {
  url: string;
  user: string;
  api_key: string;
  plain_http?: boolean;
}

export function accountPath({ environment, homeFolder }: Terminal): string {
  const configured = environment['WAYBILL_ACCOUNT_FILE'];
  if (configured) return configured;
  return join(environment['XDG_CONFIG_HOME'] || join(homeFolder, '.config'), 'waybill', 'account.json');
}

/** Returns the folder for data that the next run needs. */
export function stateFolder({ environment, homeFolder }: Terminal): string {
  return join(environment['XDG_STATE_HOME'] || join(homeFolder, '.local', 'state'), 'waybill');
}

/**
 * Creates a client for the account that is logged in. Environment variables override the file, but the key in the file
 * is used only for the account that it was stored for.
 */
export async function openClient(
  terminal: Terminal,
  output?: Output,
  options?: Partial<WaybillOptions>,
): Promise<{ client: Waybill; account: Account }> {
  const account = await readAccount(terminal);
  return { client: createClient(account, { onRetry: createRetryNotice(terminal, output), ...options }), account };
}

/** For commands that check an account: a wrong address is more likely than a server that is down for a minute. */
export const checkOptions: Partial<WaybillOptions> = { retry: { maxAttempts: 3 } };

export function createClient({ url, user, api_key, plain_http }: Account, options?: Partial<WaybillOptions>): Waybill {
  requireServerUrl(url, plain_http === true);
  return new Waybill({ baseUrl: url, user, apiKey: api_key, plainHttp: plain_http, ...options });
}

/** Checks an address before anything is asked or sent. The error names the option that allows plain HTTP. */
export function requireServerUrl(url: string, plainHttp: boolean): void {
  try {
    parseServerUrl(url, plainHttp);
  } catch (error) {
    const { message } = error as Error;
    const next = message.includes('unencrypted')
      ? 'To allow it: waybill login --plain-http, or WAYBILL_PLAIN_HTTP=1'
      : 'See: waybill login --help';
    throw new CommandError(exitCodes.usage, 'invalid_argument', message, next);
  }
}

async function readAccount(terminal: Terminal): Promise<Account> {
  const { environment } = terminal;
  const environmentAccount = {
    url: environment['WAYBILL_URL'],
    user: environment['WAYBILL_USER'],
    api_key: environment['WAYBILL_API_KEY'] ?? (await readKeyFile(environment['WAYBILL_API_KEY_FILE'])),
  };
  const complete = environmentAccount.url && environmentAccount.user && environmentAccount.api_key;
  const stored = complete ? undefined : await readAccountFile(accountPath(terminal));
  const url = environmentAccount.url || stored?.url;
  const user = environmentAccount.user || stored?.user;
  const apiKey = environmentAccount.api_key || stored?.api_key;
  if (!url || !user || !apiKey) {
    throw new CommandError(
      exitCodes.account,
      'not_logged_in',
      'You are not logged in.',
      'Log in with: waybill login URL. Or set WAYBILL_URL, WAYBILL_USER and WAYBILL_API_KEY.',
    );
  }
  const isStoredAccount = isSameServer(url, stored?.url) && user.toLowerCase() === stored?.user?.toLowerCase();
  if (!environmentAccount.api_key && !isStoredAccount) {
    throw new CommandError(
      exitCodes.account,
      'key_of_another_account',
      `The stored key is for ${stored?.user} at ${stored?.url}, and is not used for ${user} at ${url}.`,
      `Unset WAYBILL_URL and WAYBILL_USER, also set WAYBILL_API_KEY, or log in there: waybill login ${url}`,
    );
  }
  const plainHttp =
    environment['WAYBILL_PLAIN_HTTP'] === '1' || (isSameServer(url, stored?.url) && stored?.plain_http === true);
  return { url, user, api_key: apiKey, ...(plainHttp ? { plain_http: true } : {}) };
}

/** Compares scheme, host, port and path; if one differs, it may be somebody else's server. */
function isSameServer(url: string, other: string | undefined): boolean {
  const [one, two] = [url, other].map((text) => URL.parse(text ?? '')?.href.replace(/\/*$/, ''));
  return one !== undefined && one === two;
}

async function readKeyFile(path: string | undefined): Promise<string | undefined> {
  if (!path) return undefined;
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const { message } = describeError(error);
    throw new CommandError(exitCodes.account, 'key_file', message, 'Correct WAYBILL_API_KEY_FILE.');
  }
}

const accountFileAdvice = 'Correct WAYBILL_ACCOUNT_FILE, or log in again: waybill login URL';

async function readAccountFile(path: string): Promise<Partial<Account> | undefined> {
  let text: string;
  try {
    const found = await stat(path);
    if (!found.isFile())
      throw new CommandError(exitCodes.account, 'account_file', `${path} is not a file.`, accountFileAdvice);
    // A key that others can read is no longer secret.
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      throw new CommandError(
        exitCodes.account,
        'key_exposed',
        `${path} can be read by other users, so its key is not used.`,
        `Run: chmod 600 ${path}`,
      );
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Partial<Account>;
  } catch {
    throw new CommandError(exitCodes.account, 'account_file', `${path} is damaged.`, 'Log in again: waybill login URL');
  }
}

/** Replaces the file atomically. Other users can never read it. */
export async function writeAccount(terminal: Terminal, account: Account): Promise<string> {
  const path = accountPath(terminal);
  await makeFolder(dirname(path), 0o700);
  const draft = `${path}.${randomUUID()}`;
  const text = `${JSON.stringify(account, undefined, 2)}\n`;
  await nameTarget(path, writeFile(draft, text, { mode: 0o600, flag: 'wx' }));
  await chmod(draft, 0o600); // regardless of the umask
  await rename(draft, path);
  return path;
}
