import { join } from 'node:path';
import type { AvailableReceipt } from '../../generated/wire.ts';
import type { Drops } from '../../resources/drops.ts';
import type { Requests } from '../../resources/requests.ts';
import type { Waybill } from '../../waybill.ts';
import { type Context, isId, withClient } from '../context.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { type FoundReceiver, findReceiver, findSent } from './sent.ts';

export interface ReceiptCommandOptions {
  receiver?: string;
  format: 'pdf' | 'json';
  language?: string;
  output?: string;
  overwrite?: boolean;
}

/** In a message about them. */
const listedReceivers = 10;

interface Story {
  collection: Drops | Requests;
  id: string;
  reference: string;
  receivers: readonly FoundReceiver[];
}

/** Finds a drop or a request, or what can be proven of one that is in the history no more. */
async function findStory(client: Waybill, identifier: string, signal: AbortSignal): Promise<Story> {
  try {
    const { collection, details } = await findSent(client, identifier, signal);
    return { collection, id: details.id, reference: details.reference, receivers: details.receivers };
  } catch (error) {
    const isMissing = error instanceof CommandError && error.code === 'not_found';
    if (!isMissing || !(isId(identifier) || isReference(identifier))) throw error;
    const found: AvailableReceipt[] = [];
    for await (const receipt of client.receipts.list(identifier, { signal })) found.push(receipt);
    const [first, ...others] = found;
    if (!first) throw error;
    if (others.some(({ id }) => id !== first.id)) {
      const next = `Use the id of one of them: ${[...new Set(found.map(({ id }) => id))].join(' or ')}`;
      throw new CommandError(exitCodes.usage, 'ambiguous', `More than one is called ${identifier}.`, next);
    }
    return {
      collection: first.type === 'drop' ? client.drops : client.requests,
      id: first.id,
      reference: isId(identifier) ? first.id : identifier.toUpperCase(),
      receivers: found.map(({ receiver_id: id, email }) => ({ id, email, revoked_at: null })),
    };
  }
}

const isReference = (text: string) => /^WB-?[0-9A-Z]{4}-?[0-9A-Z]{4}$/i.test(text);

/** Stores the receipt of a receiver in a file. */
export async function storeReceipt(
  context: Context,
  identifier: string,
  { receiver: address, format, language, output: file, overwrite }: ReceiptCommandOptions,
): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const { collection, id, reference, receivers } = await findStory(client, identifier, signal);
    if (address === undefined && receivers.length > 1) {
      const message = `${reference} has ${receivers.length} receivers, each with a receipt of their own.`;
      const some = receivers.slice(0, listedReceivers).map(({ email }) => email);
      const more = receivers.length > some.length ? ', …' : '';
      const next = `Name one with --receiver: ${some.join(', ')}${more}`;
      throw new CommandError(exitCodes.usage, 'usage', message, next);
    }
    const receiver = address === undefined ? receivers[0] : findReceiver({ reference, receivers }, address);
    const position = receiver?.id ?? 0;
    const path = file ?? join('.', `${reference}-receipt-${position + 1}.${format}`);
    await collection.receiptToFile(id, position, path, { format, language, overwrite, signal });
    const email = receiver?.email ?? '';
    await output.print(`Stored the receipt of ${email} for ${reference} in ${path}.`, {
      status: 'stored',
      reference,
      receiver: email,
      path,
    });
  });
}
