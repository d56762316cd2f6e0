import { rm } from 'node:fs/promises';
import { isWaybillError } from '../../errors.ts';
import type { Account } from '../../generated/wire.ts';
import type { Waybill } from '../../waybill.ts';
import { accountPath, checkOptions, openClient } from '../account.ts';
import type { Context } from '../context.ts';
import type { Fact } from '../terminal/fact-sheet.ts';
import { chooseLifetimeUnit, formatCount, formatShare, formatSize, formatTime, pluralize } from '../terminal/format.ts';
import { formatScopes } from './keys.ts';

const fileSizeReasons = {
  file: '',
  storage: ' (all that may be stored)',
  scan: ' (the largest that can be scanned for viruses)',
} as const satisfies Record<Account['limits']['file_size_reason'], string>;

/** Shows the account, its limits and the rights of its key. */
export async function showAccount({ terminal, output, signal }: Context): Promise<void> {
  const { client, account: stored } = await openClient(terminal, output, checkOptions);
  const account = await client.account({ signal });
  const name = await findKeyName(client, account, signal);
  client.close();
  const { key } = account;
  const value = { ...account, url: stored.url, key: { ...key, name: name ?? null } };
  await output.printDetails(value, (sheet) =>
    sheet.addFacts([
      ['Account', account.mode === 'test' ? `${account.email} (test)` : account.email],
      ['Name', account.display_name],
      ['Server', stored.url],
      ['Phone', account.phone],
      ['Language', account.language],
      ['Key', name || key.id],
      ['Scopes', formatScopes(key)],
      ['Networks', key.networks?.join(', ') ?? 'any'],
      ['Expires', key.expires_at === null ? 'never' : formatTime(key.expires_at)],
      ...describeLimits(account),
    ]),
  );
}

/** Describes the limits of the account and their usage. */
function describeLimits({ limits, usage }: Account): Fact[] {
  const domains = limits.receiver_domains?.join(', ');
  const stored = usage.stored_size ?? 0;
  return [
    ['Files', describeFiles(limits)],
    [
      'Receivers',
      `up to ${formatCount(limits.receivers_per_drop)}${domains === undefined ? '' : `, only in ${domains}`}`,
    ],
    ['Lifetime', describeLifetimes(limits)],
    [
      'Storage',
      limits.stored_size === null
        ? `${formatSize(stored)} used, without a limit`
        : `${formatShare(stored, limits.stored_size)} used, ${formatSize(usage.available_size ?? 0)} available`,
    ],
    [
      'Today',
      [
        formatUsage(usage.drops_today, limits.drops_per_day, 'drop'),
        formatUsage(usage.mails_today, limits.mails_per_day, 'mail'),
      ].join(', '),
    ],
  ];
}

function describeFiles({ file_size, file_size_reason, files_per_drop }: Account['limits']): string {
  return `up to ${formatSize(file_size)} each${fileSizeReasons[file_size_reason]}, ${formatCount(files_per_drop)} in a drop`;
}

function describeLifetimes({
  min_expires_in,
  max_expires_in,
  default_expires_in,
  allowed_expires_in,
}: Account['limits']) {
  const all = [min_expires_in, max_expires_in, default_expires_in, ...(allowed_expires_in ?? [])];
  const [unit, unitSeconds] = chooseLifetimeUnit(all);
  const formatUnits = (seconds: number) => formatCount(seconds / unitSeconds);
  const choices = (allowed_expires_in ?? [min_expires_in, max_expires_in]).map(formatUnits);
  const choice = choices.slice(0, -1).join(', ');
  const last = pluralize((allowed_expires_in?.at(-1) ?? max_expires_in) / unitSeconds, unit);
  if (choice === '') return last;
  return `${choice}${allowed_expires_in ? ', ' : ' to '}${last}, ${formatUnits(default_expires_in)} by default`;
}

/** Like `1 drop` or `3 of 100 drops`. */
function formatUsage(used: number, limit: number | null, noun: string): string {
  return limit === null ? pluralize(used, noun) : `${formatCount(used)} of ${pluralize(limit, noun)}`;
}

/** Finds the name of the key, if the key may list keys. */
async function findKeyName(client: Waybill, { key }: Account, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await client.keys.list({ signal })).find(({ id }) => id === key.id)?.name;
  } catch (error) {
    if (isWaybillError(error, 'scope_missing')) return undefined;
    throw error;
  }
}

/** Deletes the stored key. The key itself stays valid. */
export async function logout({ terminal, output }: Context): Promise<void> {
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
  await output.print(text, { status: 'logged_out', removed, account_file: path });
  if (terminal.environment['WAYBILL_API_KEY'] || terminal.environment['WAYBILL_API_KEY_FILE']) {
    output.notice('The key in the environment is still used.');
  }
}
