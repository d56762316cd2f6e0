import { canonicalAddress } from '../address.ts';
import type { DropFilter } from '../drops.ts';
import { isWaybillError } from '../errors.ts';
import type { Waybill } from '../waybill.ts';
import type { Drop, DropDetails, DropReceiver } from '../wire.ts';
import { confirm } from './ask.ts';
import { CommandError, exits } from './exits.ts';
import { firstOf } from './lists.ts';
import type { Style } from './paint.ts';
import { counted } from './send.ts';
import { humanSize, humanTime } from './sizes.ts';
import type { Column } from './table.ts';
import { type Context, isId, missing, orMissing, theOnly, withClient } from './with-client.ts';

const list = 'waybill history';

/** A drop of the history, with its receivers and files if it still has them. */
interface Listed {
  drop: Drop;
  details: DropDetails | undefined;
}

const historyColumns: readonly Column<Listed>[] = [
  { header: 'NUMBER', cell: ({ drop }) => drop.number },
  { header: 'SENT', cell: ({ drop }) => localTime(drop.created_at), plain: ({ drop }) => drop.created_at },
  { header: 'STATE', cell: ({ drop }) => drop.state, style: ({ drop }) => dropStyle(drop) },
  { header: 'DONE', cell: ({ drop, details }) => `${completed(details)}/${drop.receiver_count}`, side: 'right' },
  {
    header: 'TO',
    cell: ({ drop, details }) =>
      named(
        details?.receivers.map(({ email }) => email),
        drop.receiver_count,
        'receiver',
      ),
    min: 12,
  },
  {
    header: 'FILES',
    cell: ({ drop, details }) =>
      named(
        details?.files.map(({ path }) => path),
        drop.file_count,
        'file',
      ),
    min: 12,
  },
  { header: 'REFERENCE', cell: ({ drop }) => drop.reference ?? '', min: 9 },
  { header: 'MESSAGE', cell: ({ drop }) => drop.message.split('\n')[0] ?? '', min: 8 },
];

export interface HistoryCommand extends Pick<DropFilter, 'state' | 'receiver' | 'reference' | 'search'> {
  limit?: number;
}

/** What this account has sent. */
export async function history(context: Context, { limit, ...filter }: HistoryCommand): Promise<void> {
  const { answers, signal } = context;
  await withClient(context, async (client) => {
    const drops = firstOf(client.drops.list({ ...filter, signal }), limit);
    // A list of the API has only the numbers of receivers and files. Programs read those, and people want names.
    const listed = answers.isJson ? bare(drops) : withDetails(client, drops, signal);
    const shown = await answers.list(historyColumns, listed, ({ drop }) => drop);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    if (shown === 0) answers.notice(isFiltered ? 'Nothing like it was sent.' : 'Nothing has been sent yet.');
  });
}

async function* bare(drops: AsyncIterable<Drop>): AsyncGenerator<Listed, void, void> {
  for await (const drop of drops) yield { drop, details: undefined };
}

const readsAtOnce = 4;

async function* withDetails(
  client: Waybill,
  drops: AsyncIterable<Drop>,
  signal: AbortSignal,
): AsyncGenerator<Listed, void, void> {
  const reads: Promise<Listed>[] = [];
  for await (const drop of drops) {
    const read = detailed(client, drop, signal);
    read.catch(() => undefined); // it is reported when it is waited for
    reads.push(read);
    if (reads.length >= readsAtOnce) yield (await reads.shift()) as Listed;
  }
  for (const read of reads) yield await read;
}

async function detailed(client: Waybill, drop: Drop, signal: AbortSignal): Promise<Listed> {
  try {
    return { drop, details: await client.drops.get(drop.id, { signal }) };
  } catch (error) {
    if (isWaybillError(error, 'not_found')) return { drop, details: undefined }; // its records were removed just now
    throw error;
  }
}

/** A drop by its number or id, or by something else that only one has: its reference, or a receiver. */
async function idOf(client: Waybill, word: string, signal: AbortSignal): Promise<string> {
  if (isId(word)) return word;
  const found: Drop[] = [];
  for await (const drop of firstOf(client.drops.list({ search: word, signal }), 2)) found.push(drop);
  return theOnly(found, 'drop', word, list).id;
}

async function find(client: Waybill, word: string, signal: AbortSignal): Promise<DropDetails> {
  const id = await idOf(client, word, signal);
  return await orMissing(client.drops.get(id, { signal }), `There is no drop ${word}.`, list);
}

export async function showDrop(context: Context, word: string): Promise<void> {
  const { answers, signal } = context;
  await withClient(context, async (client) => {
    const drop = await find(client, word, signal);
    await answers.show(drop, (sheet) => {
      sheet.facts([
        ['Number', drop.number],
        ['State', drop.state, dropStyle(drop)],
        ['Sent', localTime(drop.created_at)],
        [drop.state === 'live' ? 'Ends' : 'Ended', localTime(drop.revoked_at ?? drop.expires_at)],
        ['Reference', drop.reference ?? ''],
        ['Code', drop.second_factor ?? ''],
        ['Mails', drop.notify ? '' : 'none; the links were handed out by the sender'],
        ...Object.entries(drop.metadata ?? {}).map(([name, value]) => [name, value] as const),
        ['Message', drop.message],
        ['Id', drop.id],
      ]);
      sheet.table(receiverColumns(drop), drop.receivers);
      sheet.table(fileColumns(drop), drop.files);
      sheet.table(momentColumns, momentsOf(drop));
    });
  });
}

function receiverColumns(drop: DropDetails): Column<DropReceiver>[] {
  return [
    { header: 'RECEIVER', cell: ({ email }) => email, min: 20 },
    { header: 'STATE', cell: ({ state }) => state, style: receiverStyle },
    {
      header: 'FILES',
      cell: ({ files_delivered: files }) => (drop.deliveries_forgotten ? '' : `${files}/${drop.file_count}`),
      side: 'right',
    },
    { header: 'NAME', cell: ({ name }) => name ?? '', min: 8 },
    { header: 'REASON', cell: ({ undeliverable_reason: reason }) => reason ?? '', min: 12 },
  ];
}

function fileColumns(drop: DropDetails): Column<DropDetails['files'][number]>[] {
  return [
    { header: 'FILE', cell: ({ path }) => path, min: 20 },
    { header: 'SIZE', cell: ({ size }) => humanSize(size), side: 'right' },
    { header: 'STATE', cell: ({ state }) => state, style: ({ state }) => (state === 'deleted' ? 'dim' : undefined) },
    {
      header: 'FETCHED',
      cell: ({ receivers_delivered: count }) => (drop.deliveries_forgotten ? '' : `${count}/${drop.receiver_count}`),
      side: 'right',
    },
    { header: 'SHA-256', cell: ({ sha256 }) => sha256, min: 12 },
  ];
}

interface Moment {
  at: string;
  what: string;
  style?: Style;
}

const momentColumns: readonly Column<Moment>[] = [
  { header: 'WHEN', cell: ({ at }) => localTime(at) },
  { header: 'WHAT', cell: ({ what }) => what, min: 20, style: ({ style }) => style },
];

/** What has happened, in order. */
function momentsOf(drop: DropDetails): Moment[] {
  const moment = (at: string | null, what: string, style?: Style): Moment[] =>
    at === null ? [] : [{ at, what, ...(style === undefined ? {} : { style }) }];
  const moments = [
    ...moment(drop.created_at, `sent to ${counted(drop.receiver_count, 'receiver')}`),
    ...drop.receivers.flatMap((receiver) => [
      ...moment(receiver.notified_at, `mailed to ${receiver.email}`),
      ...moment(receiver.undeliverable_at, `mail did not reach ${receiver.email}`, 'red'),
      ...moment(receiver.opened_at, `opened by ${receiver.email}`),
      ...moment(receiver.completed_at, `fetched by ${receiver.email}`, 'green'),
      ...moment(receiver.revoked_at, `withdrawn from ${receiver.email}`, 'red'),
    ]),
    ...moment(drop.revoked_at, 'revoked', 'red'),
    ...moment(drop.state === 'expired' ? drop.expires_at : null, 'expired'),
  ];
  return moments.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

export interface RevokeCommand {
  receiver?: string;
  yes?: boolean;
}

export async function revokeDrop(context: Context, word: string, { receiver, yes }: RevokeCommand): Promise<void> {
  const { terminal, answers, signal } = context;
  await withClient(context, async (client) => {
    const drop = await find(client, word, signal);
    const link = receiver === undefined ? undefined : receiverOf(drop, receiver);
    const question =
      link === undefined
        ? `Revoke ${drop.number} for ${counted(drop.receiver_count, 'receiver')} and delete its files?`
        : `Revoke the link of ${link.email} to ${drop.number}?`;
    await confirm(terminal, signal, question, yes);
    const revoked = await client.drops.revoke(drop.id, { receiver: link?.id, signal });
    await answers.say(
      link === undefined ? `Revoked ${drop.number}.` : `Revoked the link of ${link.email} to ${drop.number}.`,
      { status: 'revoked', drop: revoked, ...(link === undefined ? {} : { receiver: link.email }) },
    );
  });
}

function receiverOf(drop: DropDetails, address: string): DropReceiver {
  const wanted = canonicalAddress(address);
  const found = drop.receivers.find(({ email }) => email === wanted);
  if (!found) throw missing(`${drop.number} was not sent to ${address}.`, `waybill show ${drop.number}`);
  return found;
}

export interface ExtendCommand {
  days?: number;
  until?: Date;
}

const secondsPerDay = 86_400;

export async function extendDrop(context: Context, word: string, { days, until }: ExtendCommand): Promise<void> {
  const { answers, signal } = context;
  if ((days === undefined) === (until === undefined)) {
    throw new CommandError(exits.usage, 'usage', 'Say when the drop is to end.', 'Use --days or --until.');
  }
  await withClient(context, async (client) => {
    const id = await idOf(client, word, signal);
    const end =
      days === undefined ? { expires_at: (until as Date).toISOString() } : { expires_in: days * secondsPerDay };
    const extending = client.drops.extend(id, end, { signal });
    const drop = await orMissing(extending, `There is no drop ${word}.`, list);
    const value = { status: 'extended', drop };
    await answers.say(`${drop.number} now ends at ${localTime(drop.expires_at)}.`, value);
  });
}

export async function remindReceivers(context: Context, word: string): Promise<void> {
  const { answers, signal } = context;
  await withClient(context, async (client) => {
    const id = await idOf(client, word, signal);
    const { reminded } = await orMissing(client.drops.remind(id, { signal }), `There is no drop ${word}.`, list);
    const text =
      reminded === 0
        ? 'Nobody was reminded: all who can be reached have everything.'
        : `Reminded ${counted(reminded, 'receiver')}.`;
    await answers.say(text, { status: 'reminded', reminded });
  });
}

export function localTime(time: string): string {
  return humanTime(new Date(time));
}

function completed(details: DropDetails | undefined): number | string {
  if (details === undefined || details.deliveries_forgotten) return '?';
  return details.receivers.filter(({ completed_at: at }) => at !== null).length;
}

function named(names: readonly string[] | undefined, count: number, thing: string): string {
  return names?.join(', ') ?? counted(count, thing);
}

function dropStyle({ state }: Pick<Drop, 'state'>): Style {
  if (state === 'live') return 'green';
  return state === 'revoked' ? 'red' : 'dim';
}

function receiverStyle({ state }: DropReceiver): Style | undefined {
  if (state === 'completed') return 'green';
  return state === 'undeliverable' || state === 'revoked' ? 'red' : undefined;
}
