import { randomUUID } from 'node:crypto';
import { type Client, succeeded } from './http/client.ts';
import type { FileToUpload } from './http/multipart.ts';
import type { ContactInput, DispatchParameters, HistoryEntry, InboxEntry } from './http/shapes.ts';

export interface Dispatch {
  to: (string | ContactInput)[];
  files: FileToUpload[];
  parameters?: DispatchParameters;
}

function asContact(receiver: string | ContactInput): ContactInput {
  return typeof receiver === 'string' ? { email: receiver } : receiver;
}

/** Makes exactly these the account's contacts, by the rules of docs/api.md#3-add-contacts. */
export async function introduce(client: Client, contacts: (string | ContactInput)[]): Promise<void> {
  succeeded(await client.addContacts([]));
  succeeded(await client.addContacts(contacts.map(asContact)));
}

/**
 * Does everything before createdrop.cgi, in the order of docs/api.md#workflow; the receivers must already be contacts.
 */
export async function stage(client: Client, { to, files }: Pick<Dispatch, 'to' | 'files'>): Promise<void> {
  succeeded(await client.setReceivers(to.map(asContact)));
  succeeded(await client.files());
  for (const file of files) succeeded(await client.upload(file));
}

/**
 * Makes a complete dispatch (docs/api.md#workflow), and returns its entry in the history, found by its unique message.
 */
export async function dispatch(client: Client, { to, files, parameters = {} }: Dispatch): Promise<HistoryEntry> {
  await introduce(client, to);
  await stage(client, { to, files });
  const ddmessage = parameters.ddmessage ?? `message ${randomUUID()}`;
  succeeded(await client.createDrop({ ...parameters, ddmessage }));
  return await entryWith(client, ddmessage);
}

export async function entryWith(client: Client, ddmessage: string): Promise<HistoryEntry> {
  const { history } = await client.readHistory();
  const [entry, ...more] = history.filter((candidate) => candidate.ddmessage === ddmessage);
  if (entry === undefined || more.length > 0)
    throw new Error(`${more.length + (entry ? 1 : 0)} entries say ${ddmessage}`);
  return entry;
}

/** Makes a dispatch from one account on this server to another, and returns the new entry in the other's inbox. */
export async function deliver(
  from: Client,
  to: Client,
  files: FileToUpload[],
  parameters: DispatchParameters = {},
): Promise<InboxEntry> {
  const before = new Set((await to.readHistory()).inbox.map((entry) => entry.url));
  await dispatch(from, { to: [to.user], files, parameters });
  const [entry, ...more] = (await to.readHistory()).inbox.filter(({ url }) => !before.has(url));
  if (entry === undefined || more.length > 0)
    throw new Error(`${more.length + (entry ? 1 : 0)} new inbox entries, not 1`);
  return entry;
}
