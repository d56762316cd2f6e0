import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { openRequestLink, readyFile } from '../../../test/file-requests.ts';
import { deriveToken, sentLink } from '../../../test/links.ts';
import { memoryMailer } from '../../../test/memory/memory-mailer.ts';
import { memorySmsGateway } from '../../../test/memory/memory-sms-gateway.ts';
import { smtpMailer } from '../../engines/smtp/mailer.ts';
import type { Actor } from '../actor.ts';
import { setReceivers } from '../drafts/change-draft.ts';
import { dispatchDraft } from '../drops/dispatch-draft.ts';
import { readInbox } from '../drops/read-history.ts';
import { findInboxFile } from '../inbox/find-inbox-file.ts';
import { recordInboxDelivery } from '../inbox/record-inbox-delivery.ts';
import { askSender } from '../links/ask-sender.ts';
import { findLink } from '../links/find-link.ts';
import type { DroppedFile, Link } from '../links/link-store.ts';
import { openLink } from '../links/open-link.ts';
import { recordDelivery } from '../links/record-delivery.ts';
import { invitePerson } from '../people/invite-person.ts';
import type { Policy } from '../policy.ts';
import type { Mail, Mailer } from '../ports/mailer.ts';
import { sendFiles } from '../requests/send-files.ts';
import { sweep } from '../sweep.ts';
import type { MessageKind, OutboxLine } from './outbox-store.ts';
import { maxAttempts, sendMessage } from './send-message.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

interface MessageRow {
  id: string;
  kind: MessageKind;
  receiver: string;
  state: string;
  attempts: number;
  outcome: string | null;
}
const readMessages = (actor: Pick<Actor, 'accountId'>, kind: MessageKind) =>
  query<MessageRow>(
    `select id, kind, receiver, state, attempts, outcome from messages
     where account_id = $1 and kind = $2 order by created_at, position, id`,
    [actor.accountId, kind],
  );
const readJobs = (id: string) => query('select 1 from graphile_worker.jobs where key = $1', [`message:${id}`]);
const withFactor = (secondFactor: Policy['secondFactor']) => ({
  ...engines,
  policy: { ...engines.policy, secondFactor },
});

/** Sends the account's messages of a kind; returns the mails. */
async function sendAll(actor: Pick<Actor, 'accountId'>, kind: MessageKind): Promise<Mail[]> {
  const mailer = memoryMailer();
  for (const { id } of await readMessages(actor, kind)) await sendMessage({ ...engines, mailer }, actor.accountId, id);
  return [...mailer.sent];
}

/** A drop whose receivers have different languages, from an account that writes German. */
async function manyTongues(receivers: Record<string, { language?: string; phone?: string }>, files = ['a.txt']) {
  const emails = Object.keys(receivers);
  const actor = await exchange.account(...emails);
  await query("update accounts set language = 'de' where id = $1", [actor.accountId]);
  await exchange.prepare(actor, emails, files);
  const list = Object.entries(receivers).map(([email, fields]) => ({ email, ...fields }));
  await setReceivers(engines, actor, '', list);
  await dispatchDraft(engines, actor, { draft: '', parameters: { ddmessage: 'a message' } }, 'downloadfiles');
  const [drop] = await query<{ id: string }>('select id from drops where account_id = $1', [actor.accountId]);
  const dropId = drop?.id as string;
  const links = await Promise.all(
    emails.map(async (_, position) =>
      findLink(engines, await deriveToken(exchange, actor, dropId, position), 'downloadfiles'),
    ),
  );
  return { actor, dropId, links };
}
const readLanguage = (mail: Mail | undefined) => /<html lang="([^"]+)"/.exec(mail?.html ?? '')?.[1];

/** The receiver of a link has everything. */
async function fetchAll(link: Link): Promise<void> {
  for (const file of await engines.store.links.files(link)) {
    await recordDelivery(engines, link, [{ file, sent: { start: 0, end: file.sizeBytes } }]);
  }
}

describe('a message is to the right person, in their language:', () => {
  const receivers = { 'r@example.org': { language: 'sv' }, 's@example.org': { language: 'fr' } };

  test('an invitation', async () => {
    const { actor } = await manyTongues(receivers);
    const mails = await sendAll(actor, 'invitation');
    expect(mails.map((mail) => [mail.to, readLanguage(mail)])).toEqual([
      ['r@example.org', 'sv'],
      ['s@example.org', 'fr'],
    ]);
  });

  test('a code, of this link and no other', async () => {
    const { actor, links } = await manyTongues(receivers);
    for (const link of links) await openLink(withFactor('mail'), link);
    const mails = await sendAll(actor, 'code');
    expect(new Map(mails.map((mail) => [mail.to, readLanguage(mail)]))).toEqual(
      new Map([
        ['r@example.org', 'sv'],
        ['s@example.org', 'fr'],
      ]),
    );
    expect(mails).toHaveLength(2);
    for (const { text } of mails) {
      expect(text).toMatch(/^\s*\d{3}\s?\d{3}\s*$/m);
      expect(text).not.toContain('/d/');
    }
  });

  test('a reminder, with the link that is in the invitation', async () => {
    const { actor, dropId } = await manyTongues(receivers, ['a.txt', 'b.txt']);
    const [first] = await sendAll(actor, 'invitation');
    await query('update drops set remind_at = now() where id = $1', [dropId]);
    await engines.store.outbox.remind(200);
    const mails = await sendAll(actor, 'reminder');
    expect(mails.map((mail) => [mail.to, readLanguage(mail)])).toEqual([
      ['r@example.org', 'sv'],
      ['s@example.org', 'fr'],
    ]);
    const link = /https:\/\/files\.example\.org\/d\/[A-Za-z0-9_-]{43}/.exec(first?.text ?? '')?.[0] as string;
    expect(mails[0]?.text).toContain(link);
    expect(mails[1]?.text).not.toContain(link);
    for (const said of ['a.txt', 'b.txt', actor.email]) expect(mails[0]?.text).toContain(said);
  });

  test('a receipt, about the receiver who has everything', async () => {
    const { actor, links } = await manyTongues(receivers);
    await fetchAll(links[1] as Link);
    const mails = await sendAll(actor, 'receipt');
    expect(mails.map((mail) => [mail.to, readLanguage(mail)])).toEqual([[actor.email, 'de']]);
    expect(mails[0]?.subject).toContain('s@example.org');
    expect(mails[0]?.text).not.toContain('r@example.org');
    expect(mails[0]?.text).not.toContain('/d/');
  });

  test('news of files that a contact sent, also when they are gone already', async () => {
    const { actor, link } = await openRequestLink(exchange);
    await query("update accounts set language = 'es' where id = $1", [actor.accountId]);
    await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, 'Here.');
    await exchange.expireAll(actor);
    await sweep(engines);
    const mails = await sendAll(actor, 'received');
    expect(mails.map((mail) => [mail.to, readLanguage(mail)])).toEqual([[actor.email, 'es']]);
    expect(mails[0]?.subject).toContain('c@example.org');
  });

  test('a text, through the gateway', async () => {
    const phone = '46701234567';
    const { actor, links } = await manyTongues({ 'r@example.org': { language: 'sv', phone } });
    const sms = memorySmsGateway();
    await openLink({ ...withFactor('sms'), sms }, links[0] as Link);
    const [row] = await readMessages(actor, 'code');
    const mailer = memoryMailer();
    await sendMessage({ ...engines, sms, mailer }, actor.accountId, row?.id as string);
    expect(mailer.sent).toEqual([]);
    expect(sms.sent).toEqual([{ to: phone, text: expect.stringMatching(/^\d{6} .*minuter/) }]);
    expect(await readMessages(actor, 'code')).toMatchObject([{ state: 'sent' }]);
  });
});

describe('a mail to an account leads its members to the page that shows what it is about:', () => {
  const addMember = ({ accountId }: Pick<Actor, 'accountId'>) =>
    invitePerson(engines, engines.administrator, {
      email: `${randomUUID()}@example.org`,
      name: 'Maya',
      membership: { accountId, role: 'reader' },
      mail: false,
    });
  const pageOf = ({ email }: Pick<Actor, 'email'>, path: string) =>
    `https://files.example.org/${encodeURIComponent(email)}/${path}`;

  test('a receipt to the delivery', async () => {
    const { actor, dropId, links } = await manyTongues({ 'r@example.org': {} });
    await addMember(actor);
    await fetchAll(links[0] as Link);
    const [mail] = await sendAll(actor, 'receipt');
    expect(mail?.text).toContain(pageOf(actor, `sent/${dropId}`));
    expect(mail?.html).toContain(`href="${pageOf(actor, `sent/${dropId}`)}"`);
  });

  test("news of a contact's files to the entry in the inbox", async () => {
    const { actor, link } = await openRequestLink(exchange);
    await addMember(actor);
    await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, 'Here.');
    const [entry] = await query<{ id: string }>('select id from inbox_entries where account_id = $1', [
      actor.accountId,
    ]);
    const [mail] = await sendAll(actor, 'received');
    expect(mail?.text).toContain(pageOf(actor, `inbox/${entry?.id}`));
  });

  test.each([true, false])('a question to the request, or to the command if there are none (%s)', async (hasMember) => {
    const { actor, link } = await openRequestLink(exchange);
    if (hasMember) await addMember(actor);
    await askSender(engines, { ...link, endsSoon: true });
    const [mail] = await sendAll(actor, 'more_time');
    expect(mail?.text.includes(pageOf(actor, `requests/${link.dropId}`))).toBe(hasMember);
    expect(mail?.text.includes('waybill extend')).toBe(!hasMember);
  });
});

describe('a message that lost its point is abandoned:', () => {
  test('a code that is older than ten minutes, and no younger one', async () => {
    const { sender, link } = await sentLink(exchange, ['a.txt']);
    for (const seconds of [570, 601]) {
      await openLink(withFactor('mail'), link);
      await query(
        "update messages set created_at = now() - make_interval(secs => $2) where account_id = $1 and kind = 'code' and created_at > now() - interval '1 minute'",
        [sender.accountId, seconds],
      );
    }
    expect(await sendAll(sender, 'code')).toHaveLength(1);
    expect(await readMessages(sender, 'code')).toMatchObject([
      { state: 'abandoned', outcome: 'the code ran out before it could be sent' },
      { state: 'sent' },
    ]);
  });

  test('a reminder of what the receiver has meanwhile', async () => {
    const { sender, dropId, link } = await sentLink(exchange, ['a.txt'], ['r@example.org', 's@example.org']);
    await query('update drops set remind_at = now() where id = $1', [dropId]);
    await engines.store.outbox.remind(200);
    await fetchAll(link);
    expect((await sendAll(sender, 'reminder')).map(({ to }) => to)).toEqual(['s@example.org']);
    expect(await readMessages(sender, 'reminder')).toMatchObject([
      { receiver: 'r@example.org', state: 'abandoned', outcome: 'the receiver has everything' },
      { receiver: 's@example.org', state: 'sent' },
    ]);
  });

  test.each<MessageKind>(['invitation', 'code', 'reminder'])('the %s of a drop that has ended', async (kind) => {
    const { sender, dropId, link } = await sentLink(exchange, ['a.txt']);
    await openLink(withFactor('mail'), link);
    await query('update drops set remind_at = now() where id = $1', [dropId]);
    await engines.store.outbox.remind(200);
    await engines.store.drops.revoke(sender.accountId, dropId);
    expect(await sendAll(sender, kind)).toEqual([]);
    expect(await readMessages(sender, kind)).toMatchObject([
      { state: 'abandoned', outcome: 'its drop ended before it could be sent' },
    ]);
  });

  test('but not a receipt of a drop that has ended', async () => {
    const { sender, dropId, link } = await sentLink(exchange, ['a.txt']);
    await fetchAll(link);
    await engines.store.drops.revoke(sender.accountId, dropId);
    const mails = await sendAll(sender, 'receipt');
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain('a.txt');
  });
});

test('a text waits for a gateway', async () => {
  const { actor, links } = await manyTongues({ 'r@example.org': { phone: '46701112233' } });
  const sms = { send: async () => ({ outcome: 'sent' as const, response: '202' }) };
  await openLink({ ...withFactor('sms'), sms }, links[0] as Link);
  const [row] = await readMessages(actor, 'code');
  await sendMessage({ ...engines, mailer: memoryMailer() }, actor.accountId, row?.id as string);
  expect(await readMessages(actor, 'code')).toMatchObject([
    { state: 'waiting', attempts: 1, outcome: expect.stringMatching(/gateway/) },
  ]);
  await query('update messages set due_at = now() where id = $1', [row?.id]);
  await sendMessage({ ...engines, mailer: memoryMailer(), sms }, actor.accountId, row?.id as string);
  expect(await readMessages(actor, 'code')).toMatchObject([{ state: 'sent', attempts: 2 }]);
});

describe('reminders', () => {
  const due = (dropId: string) => query('update drops set remind_at = now() where id = $1', [dropId]);
  const remindBefore = async (dropId: string) => {
    const [row] = await query<{ seconds: number | null }>(
      'select extract(epoch from expires_at - remind_at)::integer as seconds from drops where id = $1',
      [dropId],
    );
    return row?.seconds;
  };

  test('are due a day before the deadline, or a quarter of a short life', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt']);
    expect(await remindBefore(dropId)).toBe(86_400);
    await exchange.prepare(sender, ['r@example.org'], ['a.txt']);
    await dispatchDraft(
      engines,
      sender,
      { draft: '', parameters: { desttime: 1, ddmessage: 'short' } },
      'downloadfiles',
    );
    const [short] = await query<{ id: string }>("select id from drops where account_id = $1 and message = 'short'", [
      sender.accountId,
    ]);
    expect(await remindBefore(short?.id as string)).toBe(21_600);
    const { link } = await openRequestLink(exchange);
    expect(await remindBefore(link.dropId)).toBeNull();
  });

  test('go once a drop, by whichever sweep comes first, and with a job each', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt'], ['r@example.org', 's@example.org']);
    await sweep(engines);
    expect(await readMessages(sender, 'reminder')).toEqual([]);
    await due(dropId);
    await Promise.all([sweep(engines), sweep(engines), sweep(engines)]);
    await sweep(engines);
    const reminders = await readMessages(sender, 'reminder');
    expect(reminders.map(({ receiver }) => receiver)).toEqual(['r@example.org', 's@example.org']);
    for (const { id } of reminders) expect(await readJobs(id)).toHaveLength(1);
    expect(await remindBefore(dropId)).toBeNull();
  });

  test('go to those who have not everything', async () => {
    const { sender, dropId, link } = await sentLink(
      exchange,
      ['a.txt', 'b.txt'],
      ['r@example.org', 's@example.org', 't@example.org'],
    );
    await fetchAll(link);
    const half = await findLink(engines, await deriveToken(exchange, sender, dropId, 1), 'downloadfiles');
    const [file] = await engines.store.links.files(half);
    await recordDelivery(engines, half, [
      {
        file: file as DroppedFile,
        sent: {
          start: 0,
          end: file?.sizeBytes as number,
        },
      },
    ]);
    await due(dropId);
    await sweep(engines);
    expect((await readMessages(sender, 'reminder')).map(({ receiver }) => receiver)).toEqual([
      's@example.org',
      't@example.org',
    ]);
  });

  test('go for as many drops as are due, in batches', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt']);
    const second = await exchange.drop(sender, ['r@example.org'], ['a.txt']);
    const third = await exchange.drop(sender, ['r@example.org'], ['a.txt']);
    await sweep(engines);
    for (const id of [dropId, second, third]) await due(id);
    expect(await engines.store.outbox.remind(2)).toBe(2);
    expect(await engines.store.outbox.remind(2)).toBe(1);
    expect(await readMessages(sender, 'reminder')).toHaveLength(3);
  });

  test('do not go where the account does not want them, also not later', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt']);
    await engines.store.accounts.setChoices(sender.accountId, { reminders: false });
    await due(dropId);
    await sweep(engines);
    await engines.store.accounts.setChoices(sender.accountId, { reminders: true });
    await sweep(engines);
    expect(await readMessages(sender, 'reminder')).toEqual([]);
  });

  test.each(["expires_at = now() - interval '1 second'", 'ended_at = now()'])(
    'do not go when it is over (%s)',
    async (over) => {
      const { sender, dropId } = await sentLink(exchange, ['a.txt']);
      await query(`update drops set remind_at = now() - interval '1 day', ${over} where id = $1`, [dropId]);
      expect(await engines.store.outbox.remind(200)).toBeGreaterThanOrEqual(1);
      expect(await readMessages(sender, 'reminder')).toEqual([]);
    },
  );
});

describe('receipts', () => {
  test('go once, when the last byte of the last file has left, however often it does', async () => {
    const { sender, link } = await sentLink(exchange, ['a.txt', 'b.txt']);
    const [a, b] = (await engines.store.links.files(link)) as [DroppedFile, DroppedFile];
    await recordDelivery(engines, link, [{ file: a, sent: { start: 0, end: a.sizeBytes } }]);
    await recordDelivery(engines, link, [{ file: b, sent: { start: 0, end: b.sizeBytes - 1 } }]);
    expect(await readMessages(sender, 'receipt')).toEqual([]);
    await Promise.all(
      Array.from({ length: 4 }, () =>
        recordDelivery(engines, link, [{ file: b, sent: { start: b.sizeBytes - 1, end: b.sizeBytes } }]),
      ),
    );
    await fetchAll(link);
    const receipts = await readMessages(sender, 'receipt');
    expect(receipts).toMatchObject([{ receiver: sender.email }]);
    expect(await readJobs(receipts[0]?.id as string)).toHaveLength(1);
  });

  test('go for each receiver', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt'], ['r@example.org', 's@example.org']);
    for (const position of [0, 1]) {
      await fetchAll(await findLink(engines, await deriveToken(exchange, sender, dropId, position), 'downloadfiles'));
    }
    const mails = await sendAll(sender, 'receipt');
    expect(mails.map(({ subject }) => subject).sort()).toEqual([
      'Your file was sent in full to r@example.org',
      'Your file was sent in full to s@example.org',
    ]);
  });

  test('do not go where the account does not want them; what is complete is known all the same', async () => {
    const { sender, dropId, link } = await sentLink(exchange, ['a.txt']);
    await engines.store.accounts.setChoices(sender.accountId, { receipts: false });
    await fetchAll(link);
    await engines.store.accounts.setChoices(sender.accountId, { receipts: true });
    await fetchAll(link);
    expect(await readMessages(sender, 'receipt')).toEqual([]);
    expect(await engines.store.drops.deliveryStates(sender.accountId, dropId, -1, 10)).toMatchObject([
      { completedAt: expect.any(Date) },
    ]);
  });

  test('go when an account here fetched it all from its inbox, or partly there', async () => {
    const receiver = await exchange.account();
    const { sender, link } = await sentLink(exchange, ['a.txt', 'b.txt'], [receiver.email]);
    const [entry] = (await readInbox(engines, receiver.accountId).next()).value ?? [];
    const byApi = async (name: string) => {
      const file = await findInboxFile(engines, receiver, entry?.id as string, name);
      await recordInboxDelivery(engines, receiver, file, [{ file, sent: { start: 0, end: file.sizeBytes } }]);
    };
    await byApi('a.txt');
    expect(await readMessages(sender, 'receipt')).toEqual([]);
    expect((await engines.store.links.files(link)).map(({ complete }) => complete)).toEqual([true, false]);
    await byApi('b.txt');
    await byApi('b.txt');
    await fetchAll(link);
    expect((await sendAll(sender, 'receipt')).map(({ subject }) => subject)).toEqual([
      `Your 2 files were sent in full to ${receiver.email}`,
    ]);
  });
});

describe('the outbox', () => {
  const readLines = async (state: 'waiting' | 'abandoned', account: Actor, perPage: number) => {
    const lines: OutboxLine[] = [];
    for (let after: OutboxLine | undefined; ; ) {
      const page = await engines.store.outbox.page(state, after, perPage);
      lines.push(...page);
      after = page.at(-1);
      if (page.length < perPage) break;
    }
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
    return lines.filter((line) => line.account === account.email);
  };
  const receivers = ['r@example.org', 's@example.org', 't@example.org'];

  test('shows what waits and what was abandoned, each once, in order, over pages', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt'], receivers);
    // Within a millisecond of each other, and two at exactly the same time.
    await query(
      `update messages set due_at = timestamptz '2026-01-01 00:00:00.000001' + make_interval(secs => (position / 2) * 0.000001) where drop_id = $1`,
      [dropId],
    );
    for (const perPage of [1, 2, 1000]) {
      const lines = await readLines('waiting', sender, perPage);
      expect(lines.map(({ receiver }) => receiver).sort()).toEqual(receivers);
      expect(lines.at(-1)).toMatchObject({
        account: sender.email,
        kind: 'invitation',
        channel: 'mail',
        receiver: 't@example.org',
        attempts: 0,
        outcome: null,
      });
      expect(await readLines('abandoned', sender, perPage)).toEqual([]);
    }
    const mailer: Mailer = { send: async () => ({ outcome: 'refused', response: '550 no such user' }) };
    for (const { id } of await readMessages(sender, 'invitation')) {
      await sendMessage({ ...engines, mailer }, sender.accountId, id);
    }
    // The sender is told about each.
    expect((await readLines('waiting', sender, 2)).map(({ kind }) => kind)).toEqual(
      receivers.map(() => 'undeliverable'),
    );
    expect((await readLines('abandoned', sender, 2)).map(({ attempts, outcome }) => [attempts, outcome])).toEqual(
      receivers.map(() => [1, '550 no such user']),
    );
  });

  test('sends again what was abandoned, when asked to, once', async () => {
    const { sender } = await sentLink(exchange, ['a.txt']);
    const [row] = await readMessages(sender, 'invitation');
    const id = row?.id as string;
    expect(await engines.store.outbox.revive(sender.accountId, id)).toBe(false);
    await engines.store.outbox.settle(sender.accountId, id, 'abandoned', '550 no such user');
    await query('delete from graphile_worker._private_jobs where key = $1', [`message:${id}`]);
    const responses = await Promise.all(
      Array.from({ length: 3 }, () => engines.store.outbox.revive(sender.accountId, id)),
    );
    expect(responses.filter(Boolean)).toHaveLength(1);
    expect(await readMessages(sender, 'invitation')).toMatchObject([{ state: 'waiting', attempts: 0 }]);
    expect(await readJobs(id)).toHaveLength(1);
    expect(await sendAll(sender, 'invitation')).toHaveLength(1);
    expect(await sendAll(sender, 'invitation')).toHaveLength(0);
    expect(await engines.store.outbox.revive(sender.accountId, id)).toBe(false);
    expect(await engines.store.outbox.revive(sender.accountId, randomUUID())).toBe(false);
  });

  test('gives a revived message up again when it has no point', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt']);
    const [row] = await readMessages(sender, 'invitation');
    await engines.store.outbox.settle(sender.accountId, row?.id as string, 'abandoned', '550');
    await engines.store.drops.revoke(sender.accountId, dropId);
    expect(await engines.store.outbox.revive(sender.accountId, row?.id as string)).toBe(true);
    expect(await sendAll(sender, 'invitation')).toEqual([]);
    expect(await readMessages(sender, 'invitation')).toMatchObject([{ state: 'abandoned' }]);
  });
});

test('an hour without a mail server loses nothing, and each mail goes out once afterwards', async () => {
  const receivers = Array.from({ length: 3 }, () => `${randomUUID()}@receiver.test`);
  const { sender } = await sentLink(exchange, ['a.txt'], receivers);
  const ids = (await readMessages(sender, 'invitation')).map(({ id }) => id);
  const away = smtpMailer({ url: `smtp://127.0.0.1:${await closedPort()}`, connections: 4 });
  for (const id of ids) {
    let passedSeconds = 0;
    while (passedSeconds < 3600) {
      await sendMessage({ ...engines, mailer: away }, sender.accountId, id);
      const [pause] = await query<{ seconds: number; state: string }>(
        'select extract(epoch from due_at - now())::float8 as seconds, state from messages where id = $1',
        [id],
      );
      expect(pause?.state).toBe('waiting');
      expect(pause?.seconds).toBeGreaterThan(5);
      expect(await readJobs(id)).toHaveLength(1);
      passedSeconds += pause?.seconds as number;
      await query('update messages set due_at = now() where id = $1', [id]);
    }
  }
  away.close();
  for (const { attempts } of await readMessages(sender, 'invitation')) expect(attempts).toBeLessThan(maxAttempts);
  const mailer = memoryMailer();
  const sendEach = () =>
    Promise.all([...ids, ...ids].map((id) => sendMessage({ ...engines, mailer }, sender.accountId, id)));
  await sendEach();
  await query('update messages set due_at = now() where account_id = $1', [sender.accountId]);
  await sendEach();
  expect((await readMessages(sender, 'invitation')).map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
  for (const [position, to] of receivers.entries()) {
    const mails = mailer.sent.filter((mail) => mail.to === to);
    expect(mails.map(({ messageId }) => messageId)).toEqual([`<${ids[position]}@example.org>`]);
  }
  const [links] = await query<{ notified: number }>(
    'select count(*) as notified from links where account_id = $1 and notified_at is not null',
    [sender.accountId],
  );
  expect(links?.notified).toBe(3);
});
