import { canonicalAddress } from '../../canonical-address.ts';
import type { Drop, DropDetails, FileRequestDetails } from '../../generated/wire.ts';
import type { Drops } from '../../resources/drops.ts';
import type { Requests } from '../../resources/requests.ts';
import type { Waybill } from '../../waybill.ts';
import { type Context, isId, missing, theOnly, unlessMissing, withClient } from '../context.ts';
import { CommandError, exits } from '../exit-codes.ts';
import { confirm } from '../terminal/ask.ts';
import { localTime } from '../terminal/format.ts';
import type { Style } from '../terminal/paint.ts';
import { firstOf } from './lists.ts';
import { counted } from './send.ts';

const lists = 'waybill history, or waybill history --requests';

/** A drop or a request, and where it can be changed. */
type Found =
  | { noun: 'drop'; collection: Drops; details: DropDetails }
  | { noun: 'request'; collection: Requests; details: FileRequestDetails };

/** Finds by reference or id, or by another value that only one has: its external id, or a receiver. Drops come first. */
export async function findSent(client: Waybill, word: string, signal: AbortSignal): Promise<Found> {
  const { drops, requests } = client;
  const dropId = await idIn(drops, 'drop', word, signal);
  const drop = dropId && (await unlessMissing(drops.get(dropId, { signal })));
  if (drop) return { noun: 'drop', collection: drops, details: drop };
  const requestId = await idIn(requests, 'request', word, signal);
  const request = requestId && (await unlessMissing(requests.get(requestId, { signal })));
  if (request) return { noun: 'request', collection: requests, details: request };
  throw missing(`There is no drop or request ${word}.`, lists);
}

async function idIn(
  collection: Drops | Requests,
  noun: Found['noun'],
  word: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (isId(word)) return word;
  const found: { id: string }[] = [];
  for await (const sent of firstOf<{ id: string }>(collection.list({ search: word, signal }), 2)) found.push(sent);
  return found.length === 0 ? undefined : theOnly(found, noun, word, lists).id;
}

export interface RevokeCommand {
  receiver?: string;
  yes?: boolean;
}

export async function revoke(context: Context, word: string, { receiver, yes }: RevokeCommand): Promise<void> {
  const { terminal, answers, signal } = context;
  await withClient(context, async (client) => {
    const { noun, collection, details } = await findSent(client, word, signal);
    const { id, reference, receiver_count: count } = details;
    const link = receiver === undefined ? undefined : receiverOf(details, receiver);
    const what =
      link === undefined
        ? `${reference} for ${counted(count, 'receiver')}`
        : `the link of ${link.email} to ${reference}`;
    const losses = link === undefined && noun === 'drop' ? ' and delete its files' : '';
    await confirm(terminal, signal, `Revoke ${what}${losses}?`, yes);
    const revoked = await collection.revoke(id, { receiver: link?.id, signal });
    await answers.say(
      link === undefined ? `Revoked ${reference}.` : `Revoked the link of ${link.email} to ${reference}.`,
      {
        status: 'revoked',
        [noun]: revoked,
        ...(link === undefined ? {} : { receiver: link.email }),
      },
    );
  });
}

function receiverOf({ reference, receivers }: Found['details'], address: string): { id: number; email: string } {
  const wanted = canonicalAddress(address);
  const found = receivers.find(({ email }) => email === wanted);
  if (!found) throw missing(`${reference} was not sent to ${address}.`, `waybill show ${reference}`);
  return found;
}

export interface ExtendCommand {
  days?: number;
  until?: Date;
}

const secondsPerDay = 86_400;

export async function extend(context: Context, word: string, { days, until }: ExtendCommand): Promise<void> {
  const { answers, signal } = context;
  if ((days === undefined) === (until === undefined)) {
    throw new CommandError(exits.usage, 'usage', 'Say when it is to end.', 'Use --days or --until.');
  }
  await withClient(context, async (client) => {
    const { noun, collection, details } = await findSent(client, word, signal);
    const end =
      days === undefined ? { expires_at: (until as Date).toISOString() } : { expires_in: days * secondsPerDay };
    const extended = await collection.extend(details.id, end, { signal });
    const value = { status: 'extended', [noun]: extended };
    await answers.say(`${extended.reference} now ends at ${localTime(extended.expires_at)}.`, value);
  });
}

export async function remind(context: Context, word: string): Promise<void> {
  const { answers, signal } = context;
  await withClient(context, async (client) => {
    const { noun, collection, details } = await findSent(client, word, signal);
    const { reminded } = await collection.remind(details.id, { signal });
    const done = noun === 'drop' ? 'have everything' : 'have sent files';
    const text =
      reminded === 0
        ? `Nobody was reminded: all who can be reached ${done}.`
        : `Reminded ${counted(reminded, 'receiver')}.`;
    await answers.say(text, { status: 'reminded', reminded });
  });
}

export function stateStyle({ state }: Pick<Drop, 'state'>): Style {
  if (state === 'live') return 'green';
  return state === 'revoked' ? 'red' : 'dim';
}
