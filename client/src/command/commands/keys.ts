import type { ApiKey, NewApiKey, RevokedApiKeys } from '../../generated/wire.ts';
import { type Context, orMissing, theOnly, withClient } from '../context.ts';
import { confirm } from '../terminal/ask.ts';
import { localTime } from '../terminal/format.ts';
import type { Column } from '../terminal/table.ts';

const list = 'waybill keys list';
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
  { header: 'SCOPES', cell: (key) => scopesOf(key), min: 12 },
  {
    header: 'STATE',
    cell: (key) => stateOf(key),
    style: (key) => (stateOf(key) === 'live' ? 'green' : stateOf(key) === 'revoked' ? 'red' : 'dim'),
  },
  time('USED', ({ last_used_at: at }) => at),
  time('ENDS', ({ expires_at: at }) => at),
  { header: 'NETWORKS', cell: ({ networks }) => networks?.join(', ') ?? '', min: 12 },
  { header: 'ID', cell: () => '', plain: ({ id }) => id },
];

export async function listKeys(context: Context): Promise<void> {
  const { answers, signal } = context;
  await withClient(context, async (client) => {
    await answers.list(keyColumns, await client.keys.list({ signal }));
  });
}

export interface CreateKeyCommand {
  scope: NewApiKey['scopes'];
  network?: string[];
  days?: number;
  until?: Date;
}

const msPerDay = 86_400_000;

/** The key alone goes to the output, so that it can be put into a file. */
export async function createKey(
  context: Context,
  name: string,
  { scope, network, days, until }: CreateKeyCommand,
): Promise<void> {
  const { answers, signal } = context;
  const end = days === undefined ? until : new Date(Date.now() + days * msPerDay);
  await withClient(context, async (client) => {
    const key = await client.keys.create(
      {
        name,
        scopes: [...new Set(scope)],
        ...(network === undefined ? {} : { networks: network }),
        ...(end === undefined ? {} : { expires_at: end.toISOString() }),
      },
      { signal },
    );
    const ending = key.expires_at === null ? '' : `, until ${localTime(key.expires_at)}`;
    answers.notice(`The key ${name} may do this: ${scopesOf(key)}${ending}. It is not shown again:`);
    await answers.say(key.api_key, key);
  });
}

export interface RevokeKeyCommand {
  yes?: boolean;
  descendants?: boolean;
}

export async function revokeKey(
  context: Context,
  word: string,
  { yes, descendants = false }: RevokeKeyCommand,
): Promise<void> {
  const { terminal, answers, signal } = context;
  await withClient(context, async (client) => {
    const live = (await client.keys.list({ signal })).filter((key) => stateOf(key) === 'live');
    const found = live.filter(({ id, name, hint }) => [id, name, hint, hint.replace(/…$/, '')].includes(word));
    const key = theOnly(found, 'live key', word, list);
    const others = descendants ? ' and all keys that come from it' : '';
    await confirm(terminal, signal, `Revoke the key ${labelOf(key)}${others}?`, yes);
    const revoking = client.keys.revoke(key.id, { signal, descendants });
    const revoked = await orMissing(revoking, `There is no live key ${word}.`, list);
    await answers.say([`Revoked the key ${labelOf(key)}${others}.`, ...webhooksIn(revoked)].join(' '), {
      status: 'revoked',
      id: key.id,
      name: key.name,
      ...revoked,
    });
  });
}

function webhooksIn(revoked: RevokedApiKeys | undefined): string[] {
  const { webhooks_disabled: disabled = 0, webhooks_live: live = 0 } = revoked ?? {};
  return [
    ...(disabled > 0 ? [`Webhooks that are disabled: ${disabled}.`] : []),
    ...(live > 0 ? [`Webhooks that it created and that go on: ${live}.`] : []),
  ];
}

/** A key that an administrator made may have no name. */
function labelOf({ name, hint }: ApiKey): string {
  return name === '' ? hint : `${name} (${hint})`;
}

/** Null is without restriction. */
export function scopesOf(key: Pick<ApiKey, 'scopes'>): string {
  return key.scopes?.join(', ') ?? 'everything';
}

function stateOf(key: ApiKey): 'live' | 'revoked' | 'expired' {
  if (key.revoked_at !== null) return 'revoked';
  return key.expires_at !== null && Date.parse(key.expires_at) <= Date.now() ? 'expired' : 'live';
}

function time(header: string, timeOf: (key: ApiKey) => string | null): Column<ApiKey> {
  const text = (key: ApiKey) => timeOf(key) ?? '';
  return { header, cell: (key) => (text(key) === '' ? '' : localTime(text(key))), plain: text };
}
