import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Waybill, type WaybillOptions } from '../waybill.ts';
import { CommandError, exits } from './exits.ts';
import type { Terminal } from './terminal.ts';

/** The account as the file keeps it. */
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

/** For whatever a command has to remember from one run to the next. */
export function stateFolder({ environment, homeFolder }: Terminal): string {
  return join(environment['XDG_STATE_HOME'] || join(homeFolder, '.local', 'state'), 'waybill');
}

/**
 * The client of the account that is logged in. A variable of the environment overrides the value in the file, but the key in
 * the file is used only for the account it was stored for.
 */
export async function openClient(terminal: Terminal): Promise<{ client: Waybill; account: Account }> {
  const account = await readAccount(terminal);
  return { client: new Waybill(optionsOf(account)), account };
}

export function optionsOf({ url, user, api_key, plain_http }: Account): WaybillOptions {
  return { baseUrl: url, user, apiKey: api_key, plainHttp: plain_http };
}

async function readAccount(terminal: Terminal): Promise<Account> {
  const { environment } = terminal;
  const given = {
    url: environment['WAYBILL_URL'],
    user: environment['WAYBILL_USER'],
    api_key: environment['WAYBILL_API_KEY'] ?? (await keyFromFile(environment['WAYBILL_API_KEY_FILE'])),
  };
  const complete = given.url && given.user && given.api_key;
  const kept = complete ? undefined : await readFileOf(accountPath(terminal));
  const url = given.url || kept?.url;
  const user = given.user || kept?.user;
  const apiKey = given.api_key || kept?.api_key;
  if (!url || !user || !apiKey) {
    throw new CommandError(
      exits.account,
      'not_logged_in',
      'You are not logged in.',
      'Log in with waybill login URL, or set WAYBILL_URL, WAYBILL_USER and WAYBILL_API_KEY.',
    );
  }
  const ofKept = sameServer(url, kept?.url) && user.toLowerCase() === kept?.user?.toLowerCase();
  if (!given.api_key && !ofKept) {
    throw new CommandError(
      exits.account,
      'key_of_another_account',
      `The stored key is for ${kept?.user} at ${kept?.url}; it is not sent as ${user} to ${url}.`,
      `Unset WAYBILL_URL and WAYBILL_USER, set WAYBILL_API_KEY as well, or log in there: waybill login ${url}`,
    );
  }
  const plainHttp =
    environment['WAYBILL_PLAIN_HTTP'] === '1' || (sameServer(url, kept?.url) && kept?.plain_http === true);
  return { url, user, api_key: apiKey, ...(plainHttp ? { plain_http: true } : {}) };
}

/** The same scheme, host, port and path: anything else may belong to somebody else. */
function sameServer(url: string, other: string | undefined): boolean {
  const [one, two] = [url, other].map((text) => URL.parse(text ?? '')?.href.replace(/\/*$/, ''));
  return one !== undefined && one === two;
}

async function keyFromFile(path: string | undefined): Promise<string | undefined> {
  return path ? (await readFile(path, 'utf8')).trim() : undefined;
}

async function readFileOf(path: string): Promise<Partial<Account> | undefined> {
  let text: string;
  try {
    const { mode } = await stat(path);
    // A key that others could read is not a secret any more.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new CommandError(exits.account, 'key_exposed', `${path} can be read by others.`, `Run: chmod 600 ${path}`);
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Partial<Account>;
  } catch {
    throw new CommandError(exits.account, 'account_file', `${path} is damaged.`, 'Log in again: waybill login');
  }
}

/** Replaces the file at once: nobody sees half of it, and at no time can others read it. */
export async function writeAccount(terminal: Terminal, account: Account): Promise<string> {
  const path = accountPath(terminal);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(account, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await chmod(draft, 0o600); // whatever the umask was
  await rename(draft, path);
  return path;
}
