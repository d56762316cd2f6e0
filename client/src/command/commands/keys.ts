import type { ApiKey, NewApiKey, RevokedApiKeys } from '../../generated/wire.ts';
import { type Context, explainNotFound, requireSingle, withClient } from '../context.ts';
import { confirm } from '../terminal/ask.ts';
import { formatTime, pluralize } from '../terminal/format.ts';
import type { Column } from '../terminal/table.ts';

const listCommand = 'waybill keys list';
export const scopes: readonly NewApiKey['scopes'][number][] = [
  'send',
  'receive',
  'contacts',
  'history',
  'webhooks',
  'keys',
];

const keyColumns: readonly Column<ApiKey>[] = [
  { header: 'NAME', cell: ({ name }) => name, min: 12 },
  { header: 'KEY', cell: ({ hint }) => hint },
  { header: 'SCOPES', cell: (key) => formatScopes(key), min: 12 },
  {
    header: 'STATE',
    cell: (key) => keyState(key),
    style: (key) => (keyState(key) === 'live' ? 'green' : keyState(key) === 'revoked' ? 'red' : 'dim'),
  },
  timeColumn('USED', ({ last_used_at: at }) => at),
  timeColumn('EXPIRES', ({ expires_at: at }) => at),
  { header: 'NETWORKS', cell: ({ networks }) => networks?.join(', ') ?? '', min: 12 },
  { header: 'ID', cell: () => '', plain: ({ id }) => id },
];

export async function listKeys(context: Context): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    await output.printList(keyColumns, await client.keys.list({ signal }));
  });
}

export interface CreateKeyCommandOptions {
  scope: NewApiKey['scopes'];
  test?: boolean;
  network?: string[];
  days?: number;
  until?: Date;
}

const msPerDay = 86_400_000;

/** Prints only the key to the output, so that it can be redirected to a file. */
export async function createKey(
  context: Context,
  name: string,
  { scope, test, network, days, until }: CreateKeyCommandOptions,
): Promise<void> {
  const { output, signal } = context;
  const end = days === undefined ? until : new Date(Date.now() + days * msPerDay);
  await withClient(context, async (client) => {
    const key = await client.keys.create(
      {
        name,
        scopes: [...new Set(scope)],
        ...(test ? { mode: 'test' } : {}),
        ...(network === undefined ? {} : { networks: network }),
        ...(end === undefined ? {} : { expires_at: end.toISOString() }),
      },
      { signal },
    );
    const ending = key.expires_at === null ? '' : `, until ${formatTime(key.expires_at)}`;
    const noun = key.scopes?.length === 1 ? 'the scope' : 'the scopes';
    output.notice(
      `Created the ${test ? 'test key' : 'key'} ${name} with ${noun} ${formatScopes(key)}${ending}. It is not shown again:`,
    );
    await output.print(key.api_key, key);
  });
}

export interface RevokeKeyCommandOptions {
  yes?: boolean;
  descendants?: boolean;
}

export async function revokeKey(
  context: Context,
  identifier: string,
  { yes, descendants = false }: RevokeKeyCommandOptions,
): Promise<void> {
  const { terminal, output, signal } = context;
  await withClient(context, async (client) => {
    const live = (await client.keys.list({ signal })).filter((key) => keyState(key) === 'live');
    const found = live.filter(({ id, name, hint }) => [id, name, hint, hint.replace(/…$/, '')].includes(identifier));
    const key = requireSingle(found, 'live key', identifier, listCommand);
    const others = descendants ? ' and all keys that descend from it' : '';
    if (!(await confirm(terminal, signal, `Revoke the key ${formatKey(key)}${others}?`, yes)))
      return await output.printUnchanged();
    const revoking = client.keys.revoke(key.id, { signal, descendants });
    const revoked = await explainNotFound(revoking, `There is no live key ${identifier}.`, listCommand);
    await output.print([`Revoked the key ${formatKey(key)}${others}.`, ...describeWebhooks(revoked)].join(' '), {
      status: 'revoked',
      id: key.id,
      name: key.name,
      ...revoked,
    });
  });
}

function describeWebhooks(revoked: RevokedApiKeys | undefined): string[] {
  const { webhooks_disabled: disabled = 0, webhooks_live: live = 0 } = revoked ?? {};
  return [
    ...(disabled > 0 ? [`Disabled ${pluralize(disabled, 'webhook')}.`] : []),
    ...(live > 0 ? [`Still active: ${pluralize(live, 'webhook')} that it created.`] : []),
  ];
}

/** A key that an administrator created may have no name. */
function formatKey({ name, hint }: ApiKey): string {
  return name === '' ? hint : `${name} (${hint})`;
}

/** Formats the scopes of a key; null means all. */
export function formatScopes(key: Pick<ApiKey, 'scopes'>): string {
  return key.scopes?.join(', ') ?? 'all';
}

function keyState(key: ApiKey): 'live' | 'revoked' | 'expired' {
  if (key.revoked_at !== null) return 'revoked';
  return key.expires_at !== null && Date.parse(key.expires_at) <= Date.now() ? 'expired' : 'live';
}

function timeColumn(header: string, getTime: (key: ApiKey) => string | null): Column<ApiKey> {
  const text = (key: ApiKey) => getTime(key) ?? '';
  return { header, cell: (key) => (text(key) === '' ? '' : formatTime(text(key))), plain: text };
}
