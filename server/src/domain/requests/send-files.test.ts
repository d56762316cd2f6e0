import { limits } from '@waybill/protocol';
import { describe, expect, test } from 'vitest';
import { collectGroups } from '../../../test/collect-groups.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import {
  announceUpload,
  listDraftFiles,
  openRequestLink,
  readContent,
  readyFile,
  receivedFile,
} from '../../../test/file-requests.ts';
import { sentLink } from '../../../test/links.ts';
import type { Actor } from '../actor.ts';
import { readHistory, readInbox } from '../drops/read-history.ts';
import { findInboxFile } from '../inbox/find-inbox-file.ts';
import { recordInboxDelivery } from '../inbox/record-inbox-delivery.ts';
import type { Link } from '../links/link-store.ts';
import type { MessageKind } from '../outbox/outbox-store.ts';
import { sendMessage } from '../outbox/send-message.ts';
import type { Mail } from '../ports/mailer.ts';
import { toReference } from '../reference.ts';
import { sweep } from '../sweep.ts';
import { contactDraftName } from '../uploads/contact-draft.ts';
import { sendFiles } from './send-files.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

const inbox = (actor: Actor) => collectGroups(readInbox(engines, actor.accountId));
const readMessages = (link: Link, kind: MessageKind = 'received') =>
  query<{ id: string; receiver: string; drop_id: string }>(
    'select id, receiver, drop_id from messages where account_id = $1 and kind = $2',
    [link.accountId, kind],
  );
/** Sends the one message of this kind. */
const readMails = async (link: Link, kind: MessageKind) => {
  const [message, ...more] = await readMessages(link, kind);
  expect(more).toEqual([]);
  const sent: Mail[] = [];
  const mailer = { send: async (mail: Mail) => ({ outcome: 'sent' as const, response: `${sent.push(mail)}` }) };
  await sendMessage({ ...engines, mailer }, link.accountId, message?.id as string);
  return sent;
};
/** Everything that sending could change. */
const readBooks = async (link: Link) => {
  const of = (table: string) => query(`select * from ${table} where account_id = $1 order by id`, [link.accountId]);
  return Promise.all(['files', 'uploads', 'drops', 'inbox_entries', 'messages', 'audit_entries'].map(of));
};

describe('a send is refused without a trace', () => {
  test.each([
    ['link_revoked', 'update drops set ended_at = now(), revoked_at = now(), link_key = null where id = $1'],
    ['link_ended', "update drops set expires_at = now() - interval '1 second' where id = $1"],
  ])('when the link came to its end while the form was on its way: %s', async (code, end) => {
    const { link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    await query(end, [link.dropId]);
    const before = await readBooks(link);
    await expect(sendFiles(engines, link, '')).rejects.toMatchObject({ code });
    expect(await readBooks(link)).toEqual(before);
  });

  test('when the owner has had too many messages', async () => {
    const { link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    const before = await readBooks(link);
    const asked: unknown[] = [];
    const messageLimit = {
      acquire: async (...about: unknown[]) => {
        asked.push(about);
        return 7;
      },
    };
    const refusal = { code: 'too_many_messages', retryAfterSeconds: 7 };
    await expect(sendFiles({ ...engines, messageLimit }, link, '')).rejects.toMatchObject(refusal);
    expect(asked).toEqual([[contactDraftName(link), [link.sender, link.receiver]]]);
    expect(await readBooks(link)).toEqual(before);
  });
});

describe('what a contact sends', () => {
  test('is one entry of the account’s inbox, from the contact, with its bytes', async () => {
    const { actor, links } = await openRequestLink(exchange, ['c@example.org', 'd@example.org']);
    const link = links[1] as Link;
    await readyFile(engines, link, 'a.txt', 'the first');
    await readyFile(engines, link, 'b.txt', 'the second');
    expect((await sendFiles(engines, link, 'Here you are.')).map(({ name }) => name)).toEqual(['a.txt', 'b.txt']);
    const entries = await inbox(actor);
    expect(entries).toMatchObject([
      { sender: 'd@example.org', fileCount: 2, lifetime: link.lifetime, files: [{ name: 'a.txt' }, { name: 'b.txt' }] },
    ]);
    for (const [name, content] of [
      ['a.txt', 'the first'],
      ['b.txt', 'the second'],
    ] as const) {
      const file = await findInboxFile(engines, actor, entries[0]?.id as string, name);
      expect((await readContent(engines, file)).toString()).toBe(content);
    }
    expect(await listDraftFiles(engines, link)).toEqual([]);
  });

  test('is not in the history of what the account sent, nor among its live drops', async () => {
    const { actor, link } = await openRequestLink(exchange);
    const before = await collectGroups(readHistory(engines, actor.accountId));
    await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, '');
    expect(before).toMatchObject([{ type: 'uploadfiles' }]);
    expect(await collectGroups(readHistory(engines, actor.accountId))).toEqual(before);
    expect(await engines.store.drops.countLive(actor.accountId)).toBe(0);
  });

  test('is in nobody else’s inbox', async () => {
    const contact = await exchange.account();
    const { actor, link } = await openRequestLink(exchange, [contact.email]);
    await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, '');
    const [entry] = await inbox(actor);
    expect(await inbox(contact)).toEqual([]);
    await expect(findInboxFile(engines, contact, entry?.id as string, 'a.txt')).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('is listed beside what others sent, each under its sender', async () => {
    const { actor, link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, '');
    const { sender } = await sentLink(exchange, ['b.txt'], [actor.email]);
    expect((await inbox(actor)).map((entry) => [entry.sender, entry.files.map(({ name }) => name)])).toEqual([
      [sender.email, ['b.txt']],
      ['c@example.org', ['a.txt']],
    ]);
  });

  test('is told the account in one mail, in the account’s language', async () => {
    const { actor, link } = await openRequestLink(exchange);
    await query("update accounts set language = 'de' where id = $1", [actor.accountId]);
    await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, 'Bitte sehr.');
    const sent = await readMails(link, 'received');
    expect(sent).toMatchObject([{ to: actor.email }]);
    expect(sent[0]?.html).toContain('<html lang="de"');
    for (const said of ['c@example.org', 'a.txt', 'Bitte sehr.']) expect(sent[0]?.text).toContain(said);
    expect(sent[0]?.text).not.toContain('/u/');
  });

  test('has the reference of its request in both mails, which the contact’s page shows', async () => {
    const { link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, '');
    for (const kind of ['received', 'confirmation'] as const) {
      const [mail] = await readMails(link, kind);
      for (const part of [mail?.text, mail?.html]) {
        expect(part?.match(/WB-\w{4}-\w{4}/g)).toEqual([toReference(link.dropId)]);
      }
    }
  });

  test('is confirmed to the contact in one mail, in the contact’s language, also when it has ended since', async () => {
    const { actor, link } = await openRequestLink(exchange);
    await query("update links set language = 'sv' where drop_id = $1", [link.dropId]);
    await readyFile(engines, link, 'a.txt', '12345');
    await sendFiles(engines, link, 'Varsågod.');
    await query("update drops set ended_at = now() where account_id = $1 and type = 'receivedfiles'", [link.accountId]);
    const sent = await readMails(link, 'confirmation');
    expect(sent).toMatchObject([{ to: link.receiver, subject: `Din fil har skickats till ${actor.email}` }]);
    expect(sent[0]?.html).toContain('<html lang="sv"');
    const said = [
      'a.txt',
      '5 byte',
      'Filen har inte viruskontrollerats',
      'Varsågod.',
      String(new Date().getFullYear()),
    ];
    for (const part of said) expect(sent[0]?.text).toContain(part);
    // A later reader of the mailbox finds nothing that opens anything: the only link stops the sender's mails.
    expect(sent[0]?.text.match(/https?:\S+/g)).toEqual([expect.stringMatching(/\/m\/[\w-]+$/)]);
  });

  test('is remembered with its files and its time, newest first, for its own link alone', async () => {
    const { links } = await openRequestLink(exchange, ['c@example.org', 'd@example.org']);
    const [link, other] = links as [Link, Link];
    const sentThrough = (through: Link, files = 10) => engines.store.drops.sentThrough(through, { sendings: 2, files });
    expect(await sentThrough(link)).toEqual([]);
    for (const names of [['a'], ['b'], ['c', 'd', 'e']]) {
      for (const name of names) await readyFile(engines, link, name, `${name}${name}`);
      await sendFiles(engines, link, names.join(''));
    }
    const [last, before, ...older] = await sentThrough(link);
    expect(last).toMatchObject({
      fileCount: 3,
      totalBytes: 6,
      files: ['c', 'd', 'e'].map((name) => ({ name, sizeBytes: 2, scan: 'unscanned' })),
    });
    expect(before).toMatchObject({ fileCount: 1, files: [{ name: 'b' }] });
    expect(older).toEqual([]);
    expect(last?.sentAt.getTime()).toBeGreaterThan(before?.sentAt.getTime() as number);
    expect((await sentThrough(link, 1))[0]).toMatchObject({ fileCount: 3, totalBytes: 6, files: [{ name: 'c' }] });
    expect(await sentThrough(other)).toEqual([]);
  });

  test('is written in the audit, under the contact’s address', async () => {
    const { link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, '');
    const entries = await query(
      `select author_kind, author_id, author_name, details from audit_entries
       where account_id = $1 and action = any ('{file.uploaded,files.received}') order by at, id`,
      [link.accountId],
    );
    const by = { author_kind: 'link', author_id: `${link.dropId}:${link.position}` };
    expect(entries).toMatchObject([
      { ...by, author_name: `link:${by.author_id}` },
      { ...by, author_name: 'c@example.org', details: { requestId: link.dropId, files: 1 } },
    ]);
  });

  test('makes no receipt when the account fetches it', async () => {
    const { actor, link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt', '12345');
    await sendFiles(engines, link, '');
    const [entry] = await inbox(actor);
    const file = await findInboxFile(engines, actor, entry?.id as string, 'a.txt');
    await recordInboxDelivery(engines, actor, file, [{ file, sent: { start: 0, end: 5 } }]);
    expect(await query("select 1 from messages where account_id = $1 and kind = 'receipt'", [actor.accountId])).toEqual(
      [],
    );
  });

  test('ends with its own deadline: the entry, its keys and its objects', async () => {
    const { actor, link } = await openRequestLink(exchange);
    const id = await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, '');
    const [entry] = await inbox(actor);
    // The request ends, but what was sent through it stays.
    await exchange.expire(link.dropId);
    await sweep(engines);
    await findInboxFile(engines, actor, entry?.id as string, 'a.txt');
    await exchange.expire(entry?.dropId as string);
    await sweep(engines);
    expect(await inbox(actor)).toEqual([]);
    expect([...engines.objects.objects.keys()].filter((key) => key.startsWith(id))).toEqual([]);
    expect(await query('select state, wrapped_key from files where id = $1', [id])).toEqual([
      { state: 'gone', wrapped_key: null },
    ]);
  });
});

describe('nothing is sent, and nothing changed,', () => {
  test.each<[string, (link: Link) => Promise<unknown>]>([
    ['on its way', (link) => announceUpload(engines, link, 'b.txt', 5)],
    ['being checked', (link) => receivedFile(engines, link, 'b.txt', 'b')],
  ])('while a file is still %s', async (_state, prepare) => {
    const { link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    await prepare(link);
    const before = await readBooks(link);
    await expect(sendFiles(engines, link, '')).rejects.toMatchObject({ code: 'files_not_ready' });
    expect(await readBooks(link)).toEqual(before);
  });

  test('when there are no files, or refused ones only', async () => {
    const { link } = await openRequestLink(exchange);
    await expect(sendFiles(engines, link, '')).rejects.toMatchObject({ code: 'no_files' });
    await engines.store.uploads.refuse(link.accountId, await receivedFile(engines, link, 'a.txt', 'a'), 'infected');
    const before = await readBooks(link);
    await expect(sendFiles(engines, link, '')).rejects.toMatchObject({ code: 'no_files' });
    expect(await readBooks(link)).toEqual(before);
  });

  test.each([
    ['too long', 'x'.repeat(limits.messageLength + 1), 'too_large'],
    ['not storable', 'a\0b', 'invalid_input'],
    ['half a character', '\ud800', 'invalid_input'],
  ])('when the message is %s', async (_what, message, code) => {
    const { link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    const before = await readBooks(link);
    await expect(sendFiles(engines, link, message)).rejects.toMatchObject({ code });
    expect(await readBooks(link)).toEqual(before);
  });

  test.each(['received:files-moved', 'received:before-commit'])('when the process dies at %s', async (point) => {
    const { link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    const before = await readBooks(link);
    const checkpoint = (name: string) => {
      if (name === point) throw new Error('killed');
    };
    await expect(sendFiles({ ...engines, checkpoint }, link, '')).rejects.toThrow('killed');
    expect(await readBooks(link)).toEqual(before);
    expect(await sendFiles(engines, link, '')).toHaveLength(1);
  });
});

describe('the same request again', () => {
  test('returns no files and makes nothing new', async () => {
    const { link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, 'hello');
    const before = await readBooks(link);
    expect(await sendFiles(engines, link, 'hello')).toEqual([]);
    await expect(sendFiles(engines, link, 'another message')).rejects.toMatchObject({ code: 'no_files' });
    expect(await readBooks(link)).toEqual(before);
  });

  test('at once makes one entry and one mail each', async () => {
    const { actor, link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    const responses = await Promise.all(Array.from({ length: 4 }, () => sendFiles(engines, link, 'hello')));
    expect(responses.map((files) => files.length).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 1]);
    const counts = [await inbox(actor), await readMessages(link), await readMessages(link, 'confirmation')];
    expect(counts.map(({ length }) => length)).toEqual([1, 1, 1]);
  });

  test('with new files is another sending', async () => {
    const { actor, link } = await openRequestLink(exchange);
    for (const name of ['a.txt', 'b.txt']) {
      await readyFile(engines, link, name);
      expect(await sendFiles(engines, link, 'hello')).toHaveLength(1);
    }
    expect((await inbox(actor)).map(({ files }) => files.map(({ name }) => name))).toEqual([['b.txt'], ['a.txt']]);
  });

  test('through the other contact’s link is theirs', async () => {
    const { actor, links } = await openRequestLink(exchange, ['c@example.org', 'd@example.org']);
    for (const link of links) {
      await readyFile(engines, link, 'a.txt');
      expect(await sendFiles(engines, link, 'hello')).toHaveLength(1);
    }
    expect((await inbox(actor)).map(({ sender }) => sender)).toEqual(['d@example.org', 'c@example.org']);
  });
});

test('refused files leave the contact draft with what is sent, and go nowhere', async () => {
  const { actor, link } = await openRequestLink(exchange);
  await readyFile(engines, link, 'a.txt');
  const refused = await receivedFile(engines, link, 'virus.exe', 'x');
  await engines.store.uploads.refuse(link.accountId, refused, 'infected');
  expect((await sendFiles(engines, link, '')).map(({ name }) => name)).toEqual(['a.txt']);
  expect((await inbox(actor))[0]?.files.map(({ name }) => name)).toEqual(['a.txt']);
  expect(await listDraftFiles(engines, link)).toEqual([]);
  await query('update uploads set due_at = now() where id = $1', [refused]);
  await sweep(engines);
  expect(await query('select 1 from uploads where id = $1', [refused])).toEqual([]);
});

test('a file that is removed at the last moment is not counted as sent', async () => {
  const { actor, link } = await openRequestLink(exchange);
  await readyFile(engines, link, 'a.txt');
  const removed = await readyFile(engines, link, 'b.txt');
  const transaction: typeof engines.store.transaction = (work) =>
    engines.store.transaction((tx) =>
      work({
        ...tx,
        drops: {
          ...tx.drops,
          async insert(...asked) {
            await engines.store.uploads.remove(link.accountId, contactDraftName(link), removed);
            return tx.drops.insert(...asked);
          },
        },
      }),
    );
  const meanwhile = { ...engines, store: { ...engines.store, transaction } };
  await expect(sendFiles(meanwhile, link, '')).rejects.toMatchObject({ code: 'files_not_ready' });
  expect((await sendFiles(engines, link, '')).map(({ name }) => name)).toEqual(['a.txt']);
  expect(await inbox(actor)).toMatchObject([{ fileCount: 1, files: [{ name: 'a.txt' }] }]);
});
