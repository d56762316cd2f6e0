import { describe, expect, test } from 'vitest';
import { signInMember } from '../../../test/sign-in-member.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import type { Actor } from '../../domain/actor.ts';
import { personAuthor } from '../../domain/audit/author.ts';
import { replaceContacts } from '../../domain/contacts/replace-contacts.ts';
import { markUndeliverable } from '../../domain/outbox/abandon-message.ts';
import { sendMessage } from '../../domain/outbox/send-message.ts';
import { changeRole, removeMember } from '../../domain/people/change-members.ts';
import type { Mail } from '../../domain/ports/mailer.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { query } = exchange.database;

/** A member of a shared account, to which another account sends files. */
async function openShared() {
  const joined = await signInMember(exchange, app);
  const sender = await exchange.account(joined.account.email);
  const choose = (...kinds: string[]) =>
    joined.browser.post(`${joined.base}settings/notifications`, Object.fromEntries(kinds.map((kind) => [kind, 'on'])));
  const send = () => exchange.drop(sender, [joined.account.email], ['order.pdf']);
  return { ...joined, choose, send, receive: () => runJobs(joined.person.email) };
}

/** Sends the mails to an address that are due. */
async function runJobs(to: string): Promise<Mail[]> {
  const mails: Mail[] = [];
  const mailer = {
    send: async (mail: Mail) => {
      mails.push(mail);
      return { outcome: 'sent' as const, response: '250 ok' };
    },
  };
  const rows = await query<{ account_id: string; id: string }>(
    "select account_id, id from messages where receiver = $1 and state = 'waiting' and due_at <= now()",
    [to],
  );
  for (const { account_id, id } of rows) await sendMessage({ ...engines, mailer }, account_id, id);
  return mails;
}

/** Moves the messages to an address into the past, as if this much time had passed. */
const passMinutes = (to: string, minutes: number) =>
  query(
    `update messages set due_at = due_at - make_interval(mins => $2), settled_at = settled_at - make_interval(mins => $2)
     where receiver = $1`,
    [to, minutes],
  );

describe('the e-mails to a person', () => {
  test('about files that arrive in a shared account are sent to those who want them, in their language', async () => {
    const { browser, base, account, person, choose, send, receive } = await openShared();
    await send();
    expect(await receive(), 'nobody asked for them').toEqual([]);
    expect((await choose('received')).headers.location).toContain('notice=notifications_saved#notifications');
    expect((await browser.get(`${base}settings`)).body).toMatch(/name="received"[^>]*checked/);
    await browser.post(`${base}settings/profile`, { name: 'Maya', language: 'sv', time_zone: 'Asia/Tokyo' });
    await send();
    const [mail, ...others] = await receive();
    expect(others).toEqual([]);
    expect(mail?.to).toBe(person.email);
    expect(mail?.text).toContain(`${engines.policy.publicUrl}${base}inbox`);
    expect(mail?.text).toContain('i din inkorg till');
    expect(mail?.text).toContain('GMT+9');
    expect(mail?.text).toContain(`Konto: ${account.email}`);
    expect(mail?.text).toContain(`${base}settings#notifications`);
  });

  test('are few, however much arrives at once', async () => {
    const { person, choose, send, receive } = await openShared();
    await choose('received');
    await send();
    expect(await receive()).toHaveLength(1);
    for (let i = 0; i < 12; i += 1) await send();
    expect(await receive(), 'not within 15 minutes').toEqual([]);
    await passMinutes(person.email, 15);
    const [mail, ...others] = await receive();
    expect(others).toEqual([]);
    expect(mail?.text).toContain('11 more of the same kind have come since.');
    await passMinutes(person.email, 15);
    expect(await receive()).toEqual([]);
  });

  test('are not sent any more once the person has left, or wants none', async () => {
    const one = await openShared();
    await one.choose('received');
    await one.send();
    await removeMember(engines, engines.administrator, { accountId: one.account.accountId, personId: one.person.id });
    expect(await one.receive()).toEqual([]);
    const two = await openShared();
    await two.choose('received');
    await two.send();
    await two.choose();
    expect(await two.receive()).toEqual([]);
    const [message] = await query('select state, outcome from messages where receiver = $1', [two.person.email]);
    expect(message).toMatchObject({ state: 'abandoned', outcome: expect.stringContaining('wants no such news') });
  });

  test('about a delivery of a shared account go to the person who sent it, and to the account', async () => {
    const { account, person, receive } = await openShared();
    await signInMember(exchange, app, 'member', account);
    const dropId = await dropToContact({ ...account, author: personAuthor(person, '192.0.2.1') });
    await engines.store.transaction((tx) =>
      markUndeliverable(
        engines,
        tx,
        { accountId: account.accountId, dropId, position: 0 },
        { author: engines.administrator, reason: '550 no such user' },
      ),
    );
    const [mail, ...others] = await receive();
    expect(others).toEqual([]);
    expect(mail?.text).toContain(`/sent/${dropId}`);
    const receivers = await query("select receiver from messages where drop_id = $1 and kind = 'undeliverable'", [
      dropId,
    ]);
    const told = new Set(receivers.map(({ receiver }) => receiver));
    expect(told).toEqual(new Set([account.email, person.email]));
  });

  test('about the own account are sent until the person does not want them', async () => {
    const { browser, person } = await openShared();
    const base = `/${encodeURIComponent(person.email)}/`;
    const accountId = (await engines.store.people.memberships(person.id, '', 10)).find(
      ({ account }) => account === person.email,
    )?.accountId as string;
    const tell = async () => {
      const dropId = await dropToContact({ accountId, email: person.email, author: personAuthor(person, '192.0.2.1') });
      await engines.store.transaction((tx) => tx.outbox.tell(accountId, { kind: 'receipt', dropId, position: 0 }));
      return runJobs(person.email);
    };
    expect(await tell(), 'once, though the account and the person have the same address').toHaveLength(1);
    await browser.get(`${base}settings`);
    await browser.post(`${base}settings/notifications`, { received: 'on' });
    expect(await tell()).toEqual([]);
  });
});

/** A drop of an account to a new contact. */
async function dropToContact(actor: Actor): Promise<string> {
  const email = `${engines.random.uuid()}@example.net`;
  await replaceContacts(engines, actor, { contacts: [{ email }], lenient: false });
  return exchange.drop(actor, [email], ['order.pdf']);
}

test('a person whose role is changed keeps what they chose', async () => {
  const { account, person, choose } = await openShared();
  await choose('received');
  const membership = { accountId: account.accountId, personId: person.id, role: 'reader' } as const;
  await changeRole(engines, engines.administrator, membership);
  expect(await engines.store.people.news(account.accountId, person.id)).toEqual(['received']);
});
