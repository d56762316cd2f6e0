import { toCanonicalAddress } from '../../canonical-address.ts';
import { ignoreNotFound } from '../../errors.ts';
import type { Drop, DropDetails, DropReceiver, FileRequestDetails } from '../../generated/wire.ts';
import type { Drops } from '../../resources/drops.ts';
import type { Requests } from '../../resources/requests.ts';
import type { Waybill } from '../../waybill.ts';
import { type Context, isId, notFoundError, withClient } from '../context.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { confirm } from '../terminal/ask.ts';
import { formatTime, pluralize } from '../terminal/format.ts';
import type { Style } from '../terminal/paint.ts';
import { takeFirst } from './lists.ts';

const listCommands = 'waybill history, or waybill history --requests';

/** A drop or a request, and its collection. */
type FoundSent =
  | { noun: 'drop'; collection: Drops; details: DropDetails }
  | { noun: 'request'; collection: Requests; details: FileRequestDetails };

/**
 * Finds a drop or a request by its reference or id, or by an external id or receiver that only one has. Drops take
 * precedence.
 */
export async function findSent(client: Waybill, identifier: string, signal: AbortSignal): Promise<FoundSent> {
  const { drops, requests } = client;
  const dropId = await findId(drops, 'drop', identifier, signal);
  const drop = dropId && (await ignoreNotFound(drops.get(dropId, { signal })));
  if (drop) return { noun: 'drop', collection: drops, details: drop };
  const requestId = await findId(requests, 'request', identifier, signal);
  const request = requestId && (await ignoreNotFound(requests.get(requestId, { signal })));
  if (request) return { noun: 'request', collection: requests, details: request };
  throw notFoundError(`There is no drop or request ${identifier}.`, listCommands);
}

async function findId(
  collection: Drops | Requests,
  noun: FoundSent['noun'],
  identifier: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (isId(identifier)) return identifier;
  const found: { id: string }[] = [];
  for await (const sent of takeFirst<{ id: string }>(collection.list({ search: identifier, signal }), 2))
    found.push(sent);
  if (found.length < 2) return found[0]?.id;
  const list = `waybill history${noun === 'request' ? ' --requests' : ''}`;
  const filter = identifier.includes('@') ? '--receiver' : '--external-id';
  const next = `Use the reference of one of them: ${list} ${filter} ${identifier}`;
  throw new CommandError(exitCodes.usage, 'ambiguous', `More than one ${noun} is called ${identifier}.`, next);
}

/** Finds a drop or a request that can still be changed. */
export async function findLive(client: Waybill, identifier: string, signal: AbortSignal): Promise<FoundSent> {
  const found = await findSent(client, identifier, signal);
  const { reference, state, expires_at: end } = found.details;
  if (state === 'live') return found;
  const [code, what] =
    state === 'revoked' ? ['link_revoked', 'was revoked'] : ['link_ended', `expired at ${formatTime(end)}`];
  const next = found.noun === 'drop' ? 'Send the files again: waybill send …' : 'Ask again: waybill request …';
  throw new CommandError(exitCodes.refused, code, `${reference} ${what} and cannot be changed.`, next);
}

export interface RevokeCommandOptions {
  receiver?: string;
  yes?: boolean;
}

export async function revokeSent(
  context: Context,
  identifier: string,
  { receiver, yes }: RevokeCommandOptions,
): Promise<void> {
  const { terminal, output, signal } = context;
  await withClient(context, async (client) => {
    const { noun, collection, details } = await findLive(client, identifier, signal);
    const { id, reference } = details;
    const link = receiver === undefined ? undefined : findReceiver(details, receiver);
    if (link !== undefined && link.revoked_at !== null) throw linkRevokedError(details, link);
    const receivers: readonly { revoked_at: string | null }[] = details.receivers;
    const count = receivers.filter(({ revoked_at: at }) => at === null).length;
    const what =
      link === undefined
        ? `${reference} for ${pluralize(count, 'receiver')}`
        : `the link of ${link.email} to ${reference}`;
    const losses = link === undefined && noun === 'drop' ? ' and delete its files' : '';
    if (!(await confirm(terminal, signal, `Revoke ${what}${losses}?`, yes))) return await output.printUnchanged();
    const revoked = await (link === undefined
      ? collection.revoke(id, { signal })
      : collection.revokeReceiver(id, link.id, { signal }));
    await output.print(
      link === undefined ? `Revoked ${reference}.` : `Revoked the link of ${link.email} to ${reference}.`,
      {
        status: 'revoked',
        [noun]: revoked,
        ...(link === undefined ? {} : { receiver: link.email }),
      },
    );
  });
}

export type FoundReceiver = Pick<DropReceiver, 'id' | 'email' | 'revoked_at'>;

export function findReceiver(
  { reference, receivers }: { reference: string; receivers: readonly FoundReceiver[] },
  address: string,
): FoundReceiver {
  const wanted = toCanonicalAddress(address);
  const found = receivers.find(({ email }) => email === wanted);
  if (!found) throw notFoundError(`${reference} was not sent to ${address}.`, `waybill show ${reference}`);
  return found;
}

/** Throws if the sender asked for no mails. */
export function requireMails({ reference, notify }: FoundSent['details']): void {
  if (notify) return;
  const message = `${reference} was created with --no-mail, so its receivers get no mails.`;
  throw new CommandError(
    exitCodes.refused,
    'invalid_input',
    message,
    'Write to them yourself: their links were printed when it was created.',
  );
}

export function linkRevokedError({ reference }: FoundSent['details'], { email }: FoundReceiver): CommandError {
  const message = `The link of ${email} to ${reference} was revoked.`;
  return new CommandError(
    exitCodes.refused,
    'link_revoked',
    message,
    `To list its receivers: waybill show ${reference}`,
  );
}

export interface ExtendCommandOptions {
  days?: number;
  until?: Date;
}

const secondsPerDay = 86_400;

export async function extendSent(
  context: Context,
  identifier: string,
  { days, until }: ExtendCommandOptions,
): Promise<void> {
  const { output, signal } = context;
  if ((days === undefined) === (until === undefined)) {
    throw new CommandError(exitCodes.usage, 'usage', 'No deadline was given.', 'Use --days or --until.');
  }
  await withClient(context, async (client) => {
    const { noun, collection, details } = await findLive(client, identifier, signal);
    const end =
      days === undefined ? { expires_at: (until as Date).toISOString() } : { expires_in: days * secondsPerDay };
    const extended = await collection.extend(details.id, end, { signal });
    const value = { status: 'extended', [noun]: extended };
    await output.print(`${extended.reference} now expires at ${formatTime(extended.expires_at)}.`, value);
  });
}

export async function remindReceivers(context: Context, identifier: string): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const { noun, collection, details } = await findLive(client, identifier, signal);
    requireMails(details);
    const { reminded } = await collection.remind(details.id, { signal });
    const done = noun === 'drop' ? 'have downloaded every file' : 'have sent files';
    const text =
      reminded === 0
        ? `No one was reminded: all receivers who can be reached ${done}.`
        : `Reminded ${pluralize(reminded, 'receiver')}.`;
    await output.print(text, { status: 'reminded', reminded });
  });
}

export function stateStyle({ state }: Pick<Drop, 'state'>): Style {
  if (state === 'live') return 'green';
  return state === 'revoked' ? 'red' : 'dim';
}
