import type { Page } from 'playwright-core';
import { uniqueAddress } from '../accounts.ts';
import { type Client, succeeded } from '../http/client.ts';
import type { ContactInput, DispatchParameters, InboxEntry } from '../http/shapes.ts';
import { introduce } from '../scenario.ts';
import { demo } from '../servers/running-demo.ts';
import { eventually } from '../wait.ts';
import { linkTokens, waitForMail } from './mailbox.ts';
import type { Sent } from './receiver.ts';

export interface SentRequest extends Sent {
  contact: string;
}

/** Asks a new contact for files, and waits for the mail. */
export async function requestFiles(
  client: Client,
  contact: Partial<ContactInput> = {},
  parameters: DispatchParameters = {},
): Promise<SentRequest> {
  const email = uniqueAddress('contact');
  await introduce(client, [{ ...contact, email }]);
  succeeded(await client.setReceivers([{ ...contact, email }]));
  succeeded(await client.giveDrop(parameters));
  const mail = await waitForMail(email);
  const [token, ...more] = linkTokens(mail, 'u');
  if (token === undefined || more.length > 0) throw new Error('not one link in the mail');
  return { contact: email, receiver: email, mail, link: `${demo().base_url}/u/${token}` };
}

/** Opens a link and presses the button on its page, as a person does. */
export async function openPage(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button').click();
  await page.waitForURL(/\/(?:download|upload)\/[^/]+\//);
}

/** The entries in the account's inbox from this contact. */
export async function inboxFrom(client: Client, contact: string): Promise<InboxEntry[]> {
  return (await client.readHistory()).inbox.filter((entry) => entry.sender === contact);
}

export function waitForInbox(client: Client, contact: string): Promise<InboxEntry> {
  return eventually(`files of ${contact} in the inbox`, async () => (await inboxFrom(client, contact))[0]);
}
