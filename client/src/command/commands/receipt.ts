import { join } from 'node:path';
import { type Context, withClient } from '../context.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { findReceiver, findSent } from './sent.ts';

export interface ReceiptCommandOptions {
  receiver?: string;
  format: 'pdf' | 'json';
  language?: string;
  output?: string;
  overwrite?: boolean;
}

/** Stores the receipt of a receiver in a file. */
export async function storeReceipt(
  context: Context,
  identifier: string,
  { receiver: address, format, language, output: file, overwrite }: ReceiptCommandOptions,
): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const { collection, details } = await findSent(client, identifier, signal);
    const { id, reference, receivers } = details;
    if (address === undefined && receivers.length > 1) {
      const message = `${reference} has ${receivers.length} receivers, each with a receipt of their own.`;
      const next = `Name one with --receiver. To list them: waybill show ${reference}`;
      throw new CommandError(exitCodes.usage, 'usage', message, next);
    }
    const receiver = address === undefined ? receivers[0] : findReceiver(details, address);
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
