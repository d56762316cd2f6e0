import { createHash } from 'node:crypto';
import { isEventComplete } from '@waybill/evidence';
import { describe, expect, test } from 'vitest';
import { deliveryReport } from '../../../test/delivery-report.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { openRequestLink, readyFile } from '../../../test/file-requests.ts';
import { deriveToken } from '../../../test/links.ts';
import { findAccount } from '../accounts/read-accounts.ts';
import type { Actor } from '../actor.ts';
import { personAuthor } from '../audit/author.ts';
import { serverAccountId } from '../audit/record.ts';
import { correctReceiver, prepareReceiver } from '../drops/add-receiver.ts';
import { extendDrop } from '../drops/extend-drop.ts';
import { restoreDrop, revokeDrop, revokeSentDrop } from '../drops/revoke-drop.ts';
import { prepareDrop } from '../drops/send-drop.ts';
import { showLinks } from '../drops/show-links.ts';
import { recordInboxDelivery } from '../inbox/record-inbox-delivery.ts';
import { toDate } from '../keys/day-keys.ts';
import { findLink, findSession } from '../links/find-link.ts';
import { deriveCode } from '../links/issue-code.ts';
import { tokenDigest } from '../links/link-token.ts';
import { maxSessions, openLink, passCode } from '../links/open-link.ts';
import { recordDelivery } from '../links/record-delivery.ts';
import { recordBounce } from '../outbox/read-bounces.ts';
import { recordSent, sendMessage } from '../outbox/send-message.ts';
import type { Mail } from '../ports/mailer.ts';
import { sendPublicLink } from '../public-page/send-public-link.ts';
import { toReference } from '../reference.ts';
import { sendFiles } from '../requests/send-files.ts';
import { sweep } from '../sweep.ts';

const exchange = await useTestExchange();
const { database } = exchange;
const { query } = database;
/** As set up by an operator who requires a code by mail. */
const engines = { ...exchange.engines, policy: { ...exchange.engines.policy, secondFactor: 'mail' as const } };
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const toFile = (name: string) => {
  const content = `content of ${name}`;
  return { name, size: content.length, sha256: sha256(content) };
};

interface Entry {
  readonly kind: string;
  readonly dropId: string | null;
  readonly position: number | null;
  readonly data: Record<string, unknown>;
}

let seen = 0;
/** The entries that were written since the last call, in the order in which they get their leaves. */
async function takeNew(): Promise<Entry[]> {
  const rows = await query<Entry & { sequence: number }>(
    `select sequence, kind, drop_id as "dropId", position, data from evidence_entries
     where sequence > $1 order by sequence`,
    [seen],
  );
  seen = rows.at(-1)?.sequence ?? seen;
  // As a verifier checks it.
  for (const { kind, data } of rows) {
    expect(isEventComplete({ at: '', id: '', number: 0, kind, data }), kind).toBe(true);
  }
  return rows.map(({ sequence: _, ...entry }) => entry);
}
const takeKinds = async () => (await takeNew()).map(({ kind, position }) => `${kind} ${position ?? '-'}`);

/** Sends the waiting messages of a kind, and returns the mails. */
async function sendAll(accountId: string, kind: string, outcome: 'sent' | 'refused' = 'sent'): Promise<Mail[]> {
  const mails: Mail[] = [];
  const mailer = {
    async send(mail: Mail) {
      mails.push(mail);
      return {
        outcome,
        response: outcome === 'sent' ? '250 2.0.0 queued https://x.org/d/secret' : '550 5.1.1 unknown',
      };
    },
  };
  const rows = await query<{ id: string }>(
    "select id from messages where account_id = $1 and kind = $2 and state = 'waiting' order by position",
    [accountId, kind],
  );
  for (const { id } of rows) await sendMessage({ ...engines, mailer }, accountId, id);
  return mails;
}

const toPerson = (actor: Actor): Actor => ({
  ...actor,
  author: personAuthor({ id: '01a1dca1-b6e4-73d7-b45e-3306c96c241d', email: 'member@example.org' }, '192.0.2.1'),
});

test('the story of a drop: each change writes its entries once, with what they prove', async () => {
  const inbox = await exchange.account();
  const sender = toPerson(await exchange.account('r@example.org', inbox.email));
  const account = await findAccount(engines, sender.email);
  const receivers = ['r@example.org', inbox.email];
  await exchange.upload(sender, 'staged.txt');
  expect(await takeNew()).toEqual([]);
  const dropId = await exchange.drop(sender, receivers, ['a.txt', 'b.txt']);
  const sent = { type: 'downloadfiles', dropId } as const;
  const [{ message, expiresAt } = { message: '', expiresAt: '' }] = await query<Record<string, string>>(
    `select message, to_char(expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "expiresAt" from drops
     where id = $1`,
    [dropId],
  );
  expect(await takeNew()).toEqual([
    {
      kind: 'submission.accepted',
      dropId,
      position: null,
      data: {
        reference: toReference(dropId),
        type: 'drop',
        sender: { address: sender.email, by: 'person' },
        files: ['staged.txt', 'a.txt', 'b.txt'].map(toFile),
        receivers: 2,
        expires_at: expiresAt,
        message_sha256: sha256(message),
      },
    },
    // The domain's operations of the test exchange ask for no code.
    ...receivers.map((address, position) => {
      return { kind: 'content.consigned', dropId, position, data: { address, code: 'none', notified: true } };
    }),
  ]);

  const token = await deriveToken(exchange, sender, dropId, 0);
  const link = await findLink(engines, token, 'downloadfiles');
  const [mail] = await sendAll(sender.accountId, 'invitation');
  const [first, second] = await takeNew();
  const notification = { channel: 'mail', purpose: 'invitation', response: '250 2.0.0 queued …' };
  expect(first).toEqual({
    kind: 'notification.sent',
    dropId,
    position: 0,
    data: { ...notification, to: receivers[0] },
  });
  expect(second).toMatchObject({ kind: 'notification.sent', position: 1 });
  const report = (changes: object) =>
    recordBounce(engines, deliveryReport({ to: mail?.envelopeFrom ?? '', ...changes }));
  const delivered = { action: 'delivered', status: '2.1.5' };
  expect([await report(delivered), await report(delivered)]).toEqual(['accepted', 'known']);
  expect(await takeNew()).toEqual([
    {
      kind: 'notification.accepted',
      dropId,
      position: 0,
      data: { to: 'r@example.org', server: 'mail.example.net', status: '2.1.5' },
    },
  ]);
  expect([await report({}), await report({})]).toEqual(['undeliverable', 'known']);
  const failure = { to: 'r@example.org', status: '5.1.1', reason: 'unknown user: "late"' };
  expect(await takeNew()).toEqual([{ kind: 'notification.failed', dropId, position: 0, data: failure }]);

  await showLinks(engines, sender, sent);
  await showLinks(engines, sender, sent, 0);
  expect(await takeNew()).toEqual(
    [0, 1].map((position) => ({ kind: 'link.shown', dropId, position, data: { by: 'member@example.org' } })),
  );

  const secret = await openLink(engines, link);
  expect(await takeNew()).toEqual([{ kind: 'link.opened', dropId, position: 0, data: {} }]);
  await sendAll(sender.accountId, 'code');
  expect((await takeNew()).map(({ data }) => data['purpose'])).toEqual(['code']);
  const [row] = await query<{ code_id: string }>('select code_id from link_sessions where digest = $1', [
    tokenDigest(secret),
  ]);
  const key = await engines.store.links.key(link);
  if (!key || !row) throw new Error('there is no code');
  const code = deriveCode(await engines.dayKeys.unwrap(key.wrapped, key.day, dropId), row.code_id);
  const session = await findSession(engines, secret, 'downloadfiles');
  expect(await passCode(engines, session, '000000')).toBe(false);
  const results = await Promise.all([passCode(engines, session, code), passCode(engines, session, code)]);
  expect(results.filter(Boolean)).toHaveLength(1);
  expect(await takeNew()).toEqual([{ kind: 'code.entered', dropId, position: 0, data: { channel: 'mail' } }]);

  const [staged, a, b] = await engines.store.links.files(link);
  if (!staged || !a || !b) throw new Error('a file is missing');
  const part = (file: typeof a, start: number, end = file.sizeBytes) => ({ file, sent: { start, end } });
  await recordDelivery(engines, link, [part(a, 0, 3)]);
  expect(await takeNew()).toEqual([]);
  await Promise.all([recordDelivery(engines, link, [part(a, 3)]), recordDelivery(engines, link, [part(a, 3)])]);
  await recordDelivery(engines, link, [part(a, 0)]);
  const handOver = (name: string, position: number, via: string) => {
    return { kind: 'content.handed_over', dropId, position, data: { file: toFile(name), via } };
  };
  expect(await takeNew()).toEqual([handOver('a.txt', 0, 'link')]);
  await recordDelivery(engines, link, [part(staged, 0), part(a, 0), part(b, 0)]);
  expect(await takeNew()).toEqual([handOver('staged.txt', 0, 'link'), handOver('b.txt', 0, 'link')]);
  await recordInboxDelivery(engines, inbox, { accountId: sender.accountId, dropId }, [part(b, 0)]);
  expect(await takeNew()).toEqual([handOver('b.txt', 1, 'inbox')]);

  const until = inDays(20);
  await extendDrop(engines, account, dropId, until);
  expect(await takeNew()).toEqual([
    { kind: 'drop.extended', dropId, position: null, data: { expires_at: until.toISOString() } },
  ]);
  const add = await prepareReceiver(engines, sender, sent, { email: 'third@example.org', name: 'Third' });
  await add(engines, undefined);
  expect(await takeNew()).toEqual([
    {
      kind: 'content.consigned',
      dropId,
      position: 2,
      data: { address: 'third@example.org', name: 'Third', code: 'mail', notified: true },
    },
  ]);
  await correctReceiver(engines, sender, sent, 2, { email: 'fourth@example.org' });
  expect(await takeKinds()).toEqual(['link.revoked 2', 'content.consigned 3']);
  await sendAll(sender.accountId, 'invitation', 'refused');
  expect(await takeKinds()).toEqual(['notification.failed 3']);

  const [stored] = await query<{ keyDay: number }>('select key_day as "keyDay" from drops where id = $1', [dropId]);
  const keyDay = toDate(stored?.keyDay ?? 0);
  await revokeSentDrop(engines, sender, sent, { undoSeconds: 60 });
  await restoreDrop(engines, sender, sent);
  await revokeDrop(engines, account, dropId, engines.administrator);
  await expect(revokeDrop(engines, account, dropId, engines.administrator)).rejects.toMatchObject({
    code: 'not_found',
  });
  const by = 'member@example.org';
  expect(await takeNew()).toEqual([
    { kind: 'drop.revoked', dropId, position: null, data: { by, key_day: keyDay } },
    { kind: 'drop.restored', dropId, position: null, data: { by } },
    { kind: 'drop.revoked', dropId, position: null, data: { by: 'admin', key_day: keyDay } },
  ]);
});

describe('other stories', () => {
  test('files from a contact are in the story of the request, and are a drop with a story of its own', async () => {
    const { actor, link } = await openRequestLink({ ...exchange, engines });
    expect(await takeNew()).toMatchObject([
      { kind: 'submission.accepted', dropId: link.dropId, data: { type: 'request', files: [], sender: { by: 'key' } } },
      { kind: 'content.consigned', position: 0, data: { address: link.receiver, code: 'mail' } },
    ]);
    await readyFile(engines, link, 'report.txt');
    const files = await sendFiles(engines, link, 'as asked');
    expect([files.length, await sendFiles(engines, link, 'as asked')]).toEqual([1, []]);
    const [received] = await query<{ id: string }>('select id from drops where request_id = $1', [link.dropId]);
    const [submitted, ofContact, ...others] = await takeNew();
    expect(submitted).toMatchObject({
      kind: 'submission.accepted',
      dropId: received?.id,
      position: null,
      data: {
        sender: { address: link.receiver, by: 'link' },
        files: [{ name: 'report.txt' }],
        message_sha256: sha256('as asked'),
      },
    });
    expect(ofContact).toEqual({
      kind: 'content.received',
      dropId: link.dropId,
      position: 0,
      data: { reference: toReference(received?.id ?? ''), files: submitted?.data['files'] },
    });
    expect(others).toEqual([]);
    await sendAll(actor.accountId, 'received');
    await sendAll(actor.accountId, 'confirmation');
    expect(await takeNew()).toEqual([]);
  });

  test('a drop without mails shows its links to who sends it', async () => {
    const sender = await exchange.account();
    const input = { uploads: [], message: 'only a message', receivers: [{ email: 'r@example.org' }] };
    const choices = {
      expiresIn: undefined,
      expiresAt: inDays(3),
      title: null,
      externalId: null,
      metadata: null,
      secondFactor: null,
    };
    const make = await prepareDrop(engines, sender, { ...input, ...choices, notify: false });
    const { id: dropId } = await make(engines);
    expect(await takeNew()).toMatchObject([
      { kind: 'submission.accepted', dropId },
      { kind: 'content.consigned', dropId, position: 0, data: { notified: false } },
      { kind: 'link.shown', dropId, position: 0, data: { by: sender.email } },
    ]);
  });

  test('a visitor of a public page is consigned a link without a code', async () => {
    const { accountId } = await exchange.account();
    await query("insert into public_pages (account_id, name, is_open) values ($1, 'evidence', true)", [accountId]);
    await sendPublicLink(engines, accountId, { email: 'visitor@example.org', name: 'Vera', language: '' });
    expect(await takeNew()).toMatchObject([
      { kind: 'submission.accepted', data: { type: 'request', sender: { by: 'system' } } },
      { kind: 'content.consigned', data: { address: 'visitor@example.org', name: 'Vera', code: 'none' } },
    ]);
  });

  test('a message that is recorded as sent twice is one entry', async () => {
    const sender = await exchange.account('r@example.org');
    await exchange.drop(sender, ['r@example.org'], ['a.txt']);
    const [message] = await query<{ id: string }>('select id from messages where account_id = $1', [sender.accountId]);
    await takeNew();
    const id = message?.id ?? '';
    await Promise.all([1, 2].map(() => recordSent(engines, sender.accountId, id, '250 ok')));
    expect(await takeKinds()).toEqual(['notification.sent 0']);
  });

  test('a link that is opened again and again fills the log no further than its number of browsers', async () => {
    const sender = await exchange.account('r@example.org');
    const dropId = await exchange.drop(sender, ['r@example.org'], ['a.txt']);
    const token = await deriveToken(exchange, sender, dropId, 0);
    const link = await findLink(engines, token, 'downloadfiles');
    await takeNew();
    for (let count = 0; count < maxSessions + 3; count += 1) await openLink(exchange.engines, link);
    expect(await takeNew()).toHaveLength(maxSessions);
  });

  test('drops that expire and keys that are destroyed are entries of one sweep', async () => {
    const sender = await exchange.account('r@example.org', 'c@example.org');
    const dropIds = [];
    for (const name of ['a.txt', 'b.txt']) dropIds.push(await exchange.drop(sender, ['r@example.org'], [name]));
    const { link } = await openRequestLink(exchange, ['c@example.org'], sender);
    await takeNew();
    const days = await query<{ day: number }>('select key_day as day from drops where account_id = $1 limit 1', [
      sender.accountId,
    ]);
    await exchange.expireAll(sender);
    await sweep(engines);
    const expired = await takeNew();
    const data = { key_day: toDate(days[0]?.day ?? 0) };
    expect(expired.toSorted((one, other) => ((one.dropId ?? '') < (other.dropId ?? '') ? -1 : 1))).toEqual(
      [...dropIds, link.dropId].toSorted().map((dropId) => ({ kind: 'drop.expired', dropId, position: null, data })),
    );
    // The day is over, and nothing is wrapped by its key.
    await query("update day_key_objects set created_at = now() - interval '1 day'");
    await query('update drops set link_key = null');
    await query("update files set state = 'gone', wrapped_key = null");
    await query("update uploads set state = 'abandoned', wrapped_key = null, refusal = null");
    const keys = await query<{ day: number }>('update day_keys set day = day - 100 returning day');
    await sweep(engines);
    await sweep(engines);
    expect(await takeNew()).toEqual(
      keys
        .map(({ day }) => toDate(day))
        .toSorted()
        .map((day) => ({ kind: 'key.destroyed', dropId: null, position: null, data: { day } })),
    );
    const accounts = await query("select distinct account_id from evidence_entries where kind = 'key.destroyed'");
    expect(accounts).toEqual([{ account_id: serverAccountId }]);
  });
});
