import { readFileSync } from 'node:fs';
import { AccountEvent, eventTypes } from '@waybill/protocol/v1';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test, vi } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { openRequestLink, readyFile } from '../../../test/file-requests.ts';
import { deriveToken, sentLink } from '../../../test/links.ts';
import type { Account } from '../accounts/account-store.ts';
import type { Actor } from '../actor.ts';
import { prepareReceiver } from '../drops/add-receiver.ts';
import { dispatchDraft } from '../drops/dispatch-draft.ts';
import { extendDrop } from '../drops/extend-drop.ts';
import { revokeDrop, revokeSentDrop } from '../drops/revoke-drop.ts';
import { findLink } from '../links/find-link.ts';
import type { Link } from '../links/link-store.ts';
import { openLink } from '../links/open-link.ts';
import { recordDelivery } from '../links/record-delivery.ts';
import { sendMessage } from '../outbox/send-message.ts';
import type { SendOutcome } from '../ports/mailer.ts';
import { toReference } from '../reference.ts';
import { sendFiles } from '../requests/send-files.ts';
import type { Store } from '../store.ts';
import { sweep } from '../sweep.ts';
import type { EventStore, StoredEvent } from './event-store.ts';
import { toEvent } from './read-events.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;
const ajv = new Ajv2020({ strict: false, formats: { uuid: true, uri: true, 'date-time': true } });
const isEvent = ajv.compile(JSON.parse(JSON.stringify(AccountEvent)) as object);

/** The account's events in their order, without waiting until readers may see them. Each is one that the API describes. */
async function readEventsFor({ accountId }: Pick<Actor, 'accountId'>): Promise<Pick<StoredEvent, 'type' | 'data'>[]> {
  const rows = await query<StoredEvent>(
    `select id, type, data, created_at as "createdAt" from events where account_id = $1
     order by epoch, transaction_id, sequence`,
    [accountId],
  );
  for (const row of rows) {
    isEvent(JSON.parse(JSON.stringify(toEvent(row))));
    expect(isEvent.errors, JSON.stringify(row)).toBeNull();
  }
  return rows.map(({ type, data }) => ({ type, data }));
}
const readTypes = async (actor: Pick<Actor, 'accountId'>) => (await readEventsFor(actor)).map(({ type }) => type);

async function sendMails(actor: Actor, response: SendOutcome): Promise<void> {
  const rows = await query<{ id: string }>(
    "select id from messages where account_id = $1 and kind = 'invitation' and state = 'waiting' order by position",
    [actor.accountId],
  );
  const mailer = { send: async () => response };
  for (const { id } of rows) await sendMessage({ ...engines, mailer }, actor.accountId, id);
}
async function fetchAll(link: Link): Promise<void> {
  for (const { id, sizeBytes } of await engines.store.links.files(link)) {
    await recordDelivery(engines, link, [{ file: { id, sizeBytes }, sent: { start: 0, end: sizeBytes } }]);
  }
}
const readAccount = async ({ accountId }: Actor) => (await engines.store.accounts.byId(accountId)) as Account;
/** The part of an event's data by which other systems know the drop. */
const identify = (dropId: string) => ({ reference: toReference(dropId), external_id: null });
const describeDrop = (dropId: string) => ({ drop_id: dropId, ...identify(dropId) });
const expire = async (dropId: string) => {
  await exchange.expire(dropId);
  await sweep(engines);
};

describe('a drop', () => {
  test('has an event for everything that happens to it, once', async () => {
    const { sender, dropId, link } = await sentLink(exchange, ['a.txt', 'b.txt']);
    await sendMails(sender, { outcome: 'sent', response: '250 ok' });
    for (let time = 0; time < 2; time += 1) await openLink(engines, link);
    for (let time = 0; time < 2; time += 1) await fetchAll(link);
    await expire(dropId);
    await sweep(engines);
    const [a, b] = await query<{ id: string }>('select id from files where drop_id = $1 order by name', [dropId]);
    const about = describeDrop(dropId);
    const receiver = { receiver_id: 0, receiver_email: 'r@example.org' };
    expect(await readEventsFor(sender)).toEqual([
      { type: 'contact.changed', data: { contacts: 1, email: 'r@example.org' } },
      { type: 'drop.created', data: { ...about, receivers: 1, files: 2 } },
      { type: 'drop.notified', data: { ...about, ...receiver } },
      { type: 'drop.opened', data: { ...about, ...receiver } },
      { type: 'drop.file_delivered', data: { ...about, ...receiver, file_id: a?.id, file_name: 'a.txt' } },
      { type: 'drop.file_delivered', data: { ...about, ...receiver, file_id: b?.id, file_name: 'b.txt' } },
      { type: 'drop.receiver_completed', data: { ...about, ...receiver } },
      { type: 'drop.completed', data: about },
      { type: 'drop.expired', data: about },
    ]);
  });

  test('that is dispatched again by the same request has one event', async () => {
    const actor = await exchange.account('r@example.org');
    await exchange.prepare(actor, ['r@example.org'], ['a.txt']);
    const dispatch = { draft: '', parameters: {}, idempotencyKey: 'once' };
    await Promise.all(Array.from({ length: 5 }, () => dispatchDraft(engines, actor, dispatch, 'downloadfiles')));
    expect(await readTypes(actor)).toEqual(['contact.changed', 'drop.created']);
  });

  test('that was not created has none', async () => {
    const actor = await exchange.account('r@example.org');
    await exchange.prepare(actor, ['r@example.org'], ['a.txt']);
    const checkpoint = (name: string) => {
      if (name === 'drop:before-commit') throw new Error('a fault');
    };
    await expect(
      dispatchDraft({ ...engines, checkpoint }, actor, { draft: '', parameters: {} }, 'downloadfiles'),
    ).rejects.toThrow();
    expect(await readTypes(actor)).toEqual(['contact.changed']);
  });

  test('is extended and revoked', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt']);
    const until = new Date(Date.now() + 20 * 86_400_000);
    await extendDrop(engines, await readAccount(sender), dropId, until);
    await revokeDrop(engines, await readAccount(sender), dropId, engines.administrator);
    await expect(revokeDrop(engines, await readAccount(sender), dropId, engines.administrator)).rejects.toMatchObject({
      code: 'not_found',
    });
    await sweep(engines);
    expect((await readEventsFor(sender)).slice(2)).toEqual([
      { type: 'drop.extended', data: { ...describeDrop(dropId), expires_at: until.toISOString() } },
      { type: 'drop.revoked', data: describeDrop(dropId) },
    ]);
  });

  test('gets another receiver, who then is no longer one', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt']);
    const add = await prepareReceiver(
      engines,
      sender,
      { type: 'downloadfiles', dropId },
      { email: 'added@example.org' },
    );
    const { position } = await add(engines, undefined);
    await revokeSentDrop(engines, sender, { type: 'downloadfiles', dropId }, { position, ifVersion: undefined });
    const data = { ...describeDrop(dropId), receiver_id: 1, receiver_email: 'added@example.org' };
    expect((await readEventsFor(sender)).slice(2)).toEqual([
      { type: 'drop.receiver_added', data },
      { type: 'drop.receiver_revoked', data },
    ]);
  });

  test('is undeliverable for a receiver whose mail is refused', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt']);
    await sendMails(sender, { outcome: 'refused', response: '550 5.1.1 no such user' });
    expect((await readEventsFor(sender)).slice(2)).toEqual([
      {
        type: 'drop.undeliverable',
        data: { ...describeDrop(dropId), receiver_id: 0, receiver_email: 'r@example.org' },
      },
    ]);
  });

  test('is complete once, after the last file of its last receiver, also when all finish at the same moment', async () => {
    const receivers = ['r1@example.org', 'r2@example.org', 'r3@example.org', 'r4@example.org'];
    for (let round = 0; round < 10; round += 1) {
      const { sender, dropId } = await sentLink(exchange, ['a.txt', 'b.txt'], receivers);
      const links = await Promise.all(
        receivers.map(async (_, position) =>
          findLink(engines, await deriveToken(exchange, sender, dropId, position), 'downloadfiles'),
        ),
      );
      await Promise.all(links.map(fetchAll));
      const types = (await readTypes(sender)).slice(2);
      expect(types.at(-1)).toBe('drop.completed');
      expect(types.toSorted()).toEqual([
        'drop.completed',
        ...Array.from({ length: 8 }, () => 'drop.file_delivered'),
        ...Array.from({ length: 4 }, () => 'drop.receiver_completed'),
      ]);
    }
  });

  test('is also in the inbox of a receiver with an account, who learns nothing else about it', async () => {
    const receiver = await exchange.account();
    const { sender, dropId } = await sentLink(exchange, ['a.txt'], [receiver.email, 'r@example.org']);
    const [entry] = await query<{ id: string }>('select id from inbox_entries where account_id = $1', [
      receiver.accountId,
    ]);
    expect(await readEventsFor(receiver)).toEqual([
      {
        type: 'inbox.received',
        data: { inbox_id: entry?.id, sender: sender.email, files: 1, request_id: null, ...identify(dropId) },
      },
    ]);
    expect(await readTypes(sender)).not.toContain('inbox.received');
  });

  test('leaves no secret, message or content in an event', async () => {
    const { sender, token, link } = await sentLink(exchange, ['a.txt']);
    await sendMails(sender, { outcome: 'sent', response: '250 ok' });
    const secret = await openLink(engines, link);
    await fetchAll(link);
    const events = JSON.stringify(await readEventsFor(sender));
    for (const hidden of [token, secret, link.message, 'content of']) expect(events).not.toContain(hidden);
  });
});

describe('a request for files', () => {
  test('has an event for everything that happens to it, once', async () => {
    const { actor, link } = await openRequestLink(exchange);
    await sendMails(actor, { outcome: 'sent', response: '250 ok' });
    for (let time = 0; time < 2; time += 1) await openLink(engines, link);
    await readyFile(engines, link, 'a.txt', 'content');
    for (let time = 0; time < 2; time += 1) await sendFiles(engines, link, 'hello');
    await expire(link.dropId);
    const [entry] = await query<{ id: string; drop_id: string }>(
      'select id, drop_id from inbox_entries where account_id = $1',
      [actor.accountId],
    );
    const about = { request_id: link.dropId, ...identify(link.dropId) };
    const receiver = { receiver_id: 0, receiver_email: 'c@example.org' };
    expect((await readEventsFor(actor)).slice(1)).toEqual([
      { type: 'request.created', data: { ...about, receivers: 1 } },
      { type: 'request.notified', data: { ...about, ...receiver } },
      { type: 'request.opened', data: { ...about, ...receiver } },
      { type: 'request.received', data: { ...about, ...receiver, inbox_id: entry?.id, files: 1 } },
      { type: 'inbox.received', data: { ...about, inbox_id: entry?.id, sender: 'c@example.org', files: 1 } },
      { type: 'request.fulfilled', data: about },
      { type: 'request.expired', data: about },
    ]);
    // The contact's files end later, without an event: the inbox no longer has it.
    await expire(entry?.drop_id as string);
    expect((await readTypes(actor)).at(-1)).toBe('request.expired');
  });

  test('is extended and revoked, and may be undeliverable', async () => {
    const { actor, link } = await openRequestLink(exchange);
    await sendMails(actor, { outcome: 'refused', response: '550 5.1.1 no such user' });
    await extendDrop(engines, await readAccount(actor), link.dropId, new Date(Date.now() + 20 * 86_400_000));
    await revokeDrop(engines, await readAccount(actor), link.dropId, engines.administrator);
    expect((await readTypes(actor)).slice(2)).toEqual(['request.undeliverable', 'request.extended', 'request.revoked']);
  });
});

test('the events of all drops that end together are written at once', async () => {
  const senders = await Promise.all(Array.from({ length: 5 }, () => sentLink(exchange, ['a.txt'])));
  await exchange.expire(senders.map(({ dropId }) => dropId));
  const append = vi.fn<EventStore['append']>();
  const { store } = engines;
  const transaction: Store['transaction'] = (work) =>
    store.transaction((tx) => {
      append.mockImplementation(tx.events.append);
      return work({ ...tx, events: { ...tx.events, append } });
    });
  await sweep({ ...engines, store: { ...store, transaction } });
  expect(append).toHaveBeenCalledTimes(1);
  for (const { sender } of senders) expect((await readTypes(sender)).at(-1)).toBe('drop.expired');
});

test('every type of event is explained to integrators', () => {
  const guide = readFileSync(new URL('../../../../docs/api-v1.md', import.meta.url), 'utf8');
  const explained = [...guide.matchAll(/^\| `([a-z]+\.[a-z_]+)` \|/gm)].map(([, type]) => type);
  expect(explained).toEqual(eventTypes);
});
