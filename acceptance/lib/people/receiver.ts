import type { Mail } from '../../../tools/shared/mailbox.ts';
import { uniqueAddress } from '../accounts.ts';
import type { Client } from '../http/client.ts';
import type { FileToUpload } from '../http/multipart.ts';
import type { ContactInput, DispatchParameters } from '../http/shapes.ts';
import { dispatch } from '../scenario.ts';
import { query } from '../servers/exchange-internals.ts';
import { demo } from '../servers/running-demo.ts';
import { linkTokens, waitForMail } from './mailbox.ts';

export interface Sent {
  receiver: string;
  mail: Mail;
  /** The address in the mail. */
  link: string;
}

/** Sends files to a new receiver, and waits for their mail. */
export async function sendFiles(
  client: Client,
  files: FileToUpload[],
  contact: Partial<ContactInput> = {},
  parameters: DispatchParameters = {},
): Promise<Sent> {
  const receiver = uniqueAddress('receiver');
  await dispatch(client, { to: [{ ...contact, email: receiver }], files, parameters });
  return sentTo(receiver);
}

export async function sentTo(receiver: string): Promise<Sent> {
  const mail = await waitForMail(receiver);
  const [token, ...more] = linkTokens(mail, 'd');
  if (token === undefined || more.length > 0) throw new Error('not one link in the mail');
  return { receiver, mail, link: `${demo().base_url}/d/${token}` };
}

/** The server's record of what a receiver did. */
export async function readReceiverState({
  receiver,
}: Sent): Promise<{ opened: boolean; complete: boolean; deliveries: number }> {
  const [row] = await query<{ opened: boolean; complete: boolean; deliveries: number }>(
    `select opened_at is not null as opened, completed_at is not null as complete,
       (select count(*)::int from deliveries d where d.account_id = l.account_id and d.drop_id = l.drop_id
         and d.position = l.position and d.completed_at is not null) as deliveries
     from links l where email = $1`,
    [receiver],
  );
  if (row === undefined) throw new Error(`no link of ${receiver}`);
  return row;
}

export const untouched = { opened: false, complete: false, deliveries: 0 };

/** Moves the deadline into the past. */
export async function end({ receiver }: Sent): Promise<void> {
  await query(
    `update drops set expires_at = now() - interval '1 second'
     where id = (select drop_id from links where email = $1)`,
    [receiver],
  );
}
