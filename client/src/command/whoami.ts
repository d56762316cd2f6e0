import { rm } from 'node:fs/promises';
import { isWaybillError } from '../errors.ts';
import type { Waybill } from '../waybill.ts';
import type { AccountView } from '../wire.ts';
import { accountPath, openClient } from './account.ts';
import { scopesOf } from './keys.ts';
import { localTime } from './sizes.ts';
import type { Context } from './with-client.ts';

/** Which account the key belongs to, and what it may do. */
export async function whoami({ terminal, answers, signal }: Context): Promise<void> {
  const { client, account: stored } = await openClient(terminal);
  const account = await client.account({ signal });
  const name = await keyName(client, account, signal);
  client.close();
  const { key } = account;
  const value = { ...account, url: stored.url, key: { ...key, name: name ?? null } };
  await answers.show(value, (sheet) =>
    sheet.facts([
      ['Account', account.email],
      ['Name', account.display_name],
      ['Server', stored.url],
      ['Number', account.number],
      ['Language', account.language],
      ['Key', name || key.id],
      ['May do', scopesOf(key)],
      ['From', key.networks?.join(', ') ?? 'any address'],
      ['Until', key.expires_at === null ? 'it is revoked' : localTime(key.expires_at)],
    ]),
  );
}

/** Only a key that may see keys knows its own name. */
async function keyName(client: Waybill, { key }: AccountView, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await client.keys.list({ signal })).find(({ id }) => id === key.id)?.name;
  } catch (error) {
    if (isWaybillError(error, 'scope_missing')) return undefined;
    throw error;
  }
}

/** Forgets the stored key. The key itself stays valid. */
export async function logout({ terminal, answers }: Context): Promise<void> {
  const path = accountPath(terminal);
  const removed = await rm(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
  const text = removed
    ? `Logged out: ${path} was removed. The key stays valid until it is revoked.`
    : `No key is stored in ${path}.`;
  await answers.say(text, { status: 'logged_out', removed, account_file: path });
  if (terminal.environment['WAYBILL_API_KEY'] || terminal.environment['WAYBILL_API_KEY_FILE']) {
    answers.notice('The environment has a key, too, which is still used.');
  }
}
