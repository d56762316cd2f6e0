import type { NewReceiver } from '../../generated/wire.ts';
import { type Context, withClient } from '../context.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { printLinks } from './send.ts';
import { findLive, findReceiver, linkRevokedError, requireMails } from './sent.ts';

export interface ResendCommandOptions {
  receiver?: string[];
}

/** Sends receivers the mail with their link again. */
export async function resendMails(
  context: Context,
  identifier: string,
  { receiver: addresses }: ResendCommandOptions,
): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const { collection, details } = await findLive(client, identifier, signal);
    requireMails(details);
    const { id, reference, receivers } = details;
    const wanted = addresses?.map((address) => findReceiver(details, address)) ?? [...receivers];
    if (addresses === undefined && receivers.length > 1) {
      const message = `${reference} has ${receivers.length} receivers.`;
      const next = `Name those who get the mail again with --receiver. To list them: waybill show ${reference}`;
      throw new CommandError(exitCodes.usage, 'usage', message, next);
    }
    const revoked = wanted.find(({ revoked_at: at }) => at !== null);
    if (revoked) throw linkRevokedError(details, revoked);
    for (const { id: receiver } of wanted) await collection.resend(id, receiver, { signal });
    const to = wanted.map(({ email }) => email);
    await output.print(`Sent the mail of ${reference} to ${to.join(', ')} again.`, { status: 'resent', reference, to });
  });
}

export type AddReceiversCommandOptions = Omit<NewReceiver, 'email'>;

/** Adds receivers to a drop or a request. */
export async function addReceivers(
  context: Context,
  identifier: string,
  addresses: readonly string[],
  details: AddReceiversCommandOptions,
): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const { collection, details: sent } = await findLive(client, identifier, signal);
    for (const email of addresses) {
      const added = await collection.addReceiver(sent.id, { email, ...details }, { signal });
      await output.print(`Added ${added.email} to ${sent.reference}.`, {
        status: 'added',
        reference: sent.reference,
        receiver: added.email,
      });
      await printLinks(output, [added]);
    }
  });
}
