import { beforeAll, describe, expect, test } from 'vitest';
import { freshClient, uniqueAddress } from './accounts.ts';
import { type Client, succeeded } from './http/client.ts';
import { assertErrorResponse } from './http/expect.ts';
import type { HttpResponse } from './http/response.ts';
import type { Contact, History, InboxEntry, UploadedFile } from './http/shapes.ts';
import { deliver, introduce, stage } from './scenario.ts';

/** An account with data: a contact, a staged dispatch that only has to be sent, and a file in its inbox. */
export interface Victim {
  client: Client;
  token: string;
  inbox: InboxEntry;
  /** The account that sent the file in the inbox. */
  sender: Client;
}

export interface AttackRow {
  name: string;
  send: (victim: Victim) => Promise<HttpResponse>;
  /** A list if the contract leaves a choice. */
  status: number | number[];
  code: string | string[];
}

interface Belongings {
  contacts: Contact[];
  files: UploadedFile[];
  history: History;
}

async function createVictim(): Promise<Victim> {
  const [client, sender] = await Promise.all([freshClient('victim'), freshClient('sender')]);
  const inbox = await deliver(sender, client, [{ name: 'received.txt', content: 'received' }]);
  const contact = uniqueAddress('contact');
  await introduce(client, [{ email: contact, nick: 'Contact' }]);
  await stage(client, { to: [contact], files: [{ name: 'staged.txt', content: 'staged' }] });
  return { client, sender, inbox, token: await client.token() };
}

/**
 * Reads everything that an account can read. Global contacts are excluded: they belong to the administrator, and may
 * change.
 */
export async function belongings(client: Client): Promise<Belongings> {
  const [contacts, files, history] = await Promise.all([
    client.readContacts(),
    client.readFiles(),
    client.readHistory(),
  ]);
  return { contacts: contacts.local, files, history };
}

/** Each row is a test: the response is the expected one, and afterwards the service works and nothing has changed. */
export function attackTable(title: string, rows: AttackRow[]): void {
  describe(title, () => {
    let victim: Victim;

    beforeAll(async () => {
      victim = await createVictim();
    });

    for (const row of rows) {
      test(row.name, async () => {
        const before = await belongings(victim.client);
        assertErrorResponse(await row.send(victim), row.status, row.code);
        await assertUnharmed(victim, before);
      });
    }
  });
}

async function assertUnharmed(victim: Victim, before: Belongings): Promise<void> {
  expect(await belongings(victim.client)).toEqual(before);
  const received = await victim.client.download(victim.inbox.url, 'received.txt');
  expect(received.body.toString()).toBe('received');
  succeeded(await victim.sender.contacts());
}
