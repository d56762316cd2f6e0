import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { runJob } from '../../../test/run-job.ts';
import { createAccount } from '../accounts/change-account.ts';
import { personAuthor } from '../audit/author.ts';
import type { Mail } from '../ports/mailer.ts';
import { sweep } from '../sweep.ts';
import { toBrowser } from './browser.ts';
import { removeMember, setMember } from './change-members.ts';
import { type Invitation, invitePerson } from './invite-person.ts';
import { findPersonLink, openPersonLink } from './open-person-link.ts';
import { makeRecoveryLink, recoverPerson, recoverPersonJob, requestRecovery } from './recover-person.ts';
import { sendPersonLink } from './send-person-mails.ts';
import { beginSession, findSession, replaceSession, type SessionStart } from './sessions.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;
const { store, administrator } = engines;
const browser = toBrowser('192.0.2.7', 'Firefox');
let count = 0;
const newAddress = () => `person-${(count += 1)}@example.org`;

const invite = (invitation: Partial<Invitation> = {}, author: Parameters<typeof invitePerson>[1] = administrator) =>
  invitePerson(engines, author, { email: newAddress(), name: 'Maya', mail: true, ...invitation });
const findToken = (link = '') => link.slice(link.lastIndexOf('/') + 1);
const begin = (start: Omit<SessionStart, 'personId'>, personId: string) =>
  store.transaction((tx) => beginSession(engines, tx, { ...start, personId }, browser));

/** The links that jobs would mail, each mailed. */
async function sendLinks(personId: string): Promise<Mail[]> {
  const mails: Mail[] = [];
  const mailer = {
    send: async (mail: Mail) => {
      mails.push(mail);
      return { outcome: 'sent' as const, response: '250 ok' };
    },
  };
  const rows = await query<{ id: string }>('select id from person_links where person_id = $1', [personId]);
  for (const { id } of rows) await sendPersonLink({ ...engines, mailer }, id);
  return mails;
}

describe('an invitation', () => {
  test('creates the person and an account of their own, and mails one link', async () => {
    const { person, link } = await invite({ language: 'sv' });
    const memberships = await store.people.memberships(person.id, '', 10);
    expect(memberships).toMatchObject([{ account: person.email, accountName: 'Maya', role: 'owner' }]);
    const [mail, ...others] = await sendLinks(person.id);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ to: person.email, subject: `Ditt konto hos ${engines.policy.operatorName}` });
    expect(mail?.text).toContain(link);
  });

  test('names in its mail the person who invites, or else the operator', async () => {
    const { person: owner } = await invite();
    const { person: invited } = await invite({}, personAuthor(owner, '192.0.2.7'));
    const [[byCommand], [byOwner]] = [await sendLinks(owner.id), await sendLinks(invited.id)];
    expect(byCommand?.text).toMatch(new RegExp(`^Invitation from: \\W*${engines.policy.operatorName}\\W*$`, 'm'));
    expect(byOwner?.text.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`Invitation from: .{0,40}${owner.email}`));
    expect(byOwner?.text.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`Account: \\W*${invited.email}`));
  });

  test('gives nobody a name that could be mistaken for an address', async () => {
    for (const name of ['ceo@bank.example', 'ceo\uff20bank.example', 'Maya\r\nBcc: x', 'Maya\u202e'])
      await expect(invite({ name })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('does not contain anything that the database has', async () => {
    const { link } = await invite();
    const rows = await query('select * from person_links');
    expect(JSON.stringify(rows)).not.toContain(findToken(link));
  });

  test('of a person who can sign in only adds the membership', async () => {
    const { person } = await invite();
    await store.signInMethods.setPassword(person.id, 'hash');
    const { accountId } = await exchange.account();
    const again = await invite({ email: person.email, membership: { accountId, role: 'reader' } });
    expect(again).toMatchObject({ person: { id: person.id }, link: undefined });
    expect(await store.people.members(accountId, '', 10)).toMatchObject([{ personId: person.id, role: 'reader' }]);
  });

  test('replaces an earlier one, which no longer opens', async () => {
    const first = await invite();
    const second = await invite({ email: first.person.email });
    expect(await findPersonLink(engines, findToken(first.link))).toMatchObject({ state: 'expired' });
    expect(await findPersonLink(engines, findToken(second.link))).toMatchObject({ state: 'open' });
  });

  test('gives the account that programs have used with this address only by an administrator', async () => {
    const email = newAddress();
    const { account } = await createAccount(engines, { email, phone: '46701234567', type: 'api' });
    const member = { kind: 'system', id: 'server', name: 'someone' } as const;
    const { person } = await invite({ email }, member);
    expect(await store.people.memberships(person.id, '', 10)).toEqual([]);
    const other = newAddress();
    await createAccount(engines, { email: other, phone: '46701234567', type: 'api' });
    const { person: invited } = await invite({ email: other });
    expect(await store.people.memberships(invited.id, '', 10)).toMatchObject([{ account: other, role: 'owner' }]);
    expect(account.email).toBe(email);
  });

  test('of a disabled person is refused', async () => {
    const { person } = await invite();
    await store.people.setDisabled(person.id, true);
    await expect(invite({ email: person.email })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('a mailed link', () => {
  test('begins one session, in which only a sign-in method can be registered', async () => {
    const { person, link } = await invite();
    const found = await findPersonLink(engines, findToken(link));
    const secret = await openPersonLink(engines, found, browser);
    expect(await findSession(engines, secret)).toMatchObject({
      session: { stage: 'enrolment', method: 'link', address: '192.0.2.7' },
      person: { id: person.id },
    });
    await expect(openPersonLink(engines, found, browser)).rejects.toMatchObject({ code: 'link_ended' });
  });

  test('opened by two browsers at once begins one session', async () => {
    const { link } = await invite();
    const found = await findPersonLink(engines, findToken(link));
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => openPersonLink(engines, found, browser)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('that is altered is none', async () => {
    const { link } = await invite();
    const token = findToken(link);
    const altered = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
    await expect(findPersonLink(engines, altered)).rejects.toMatchObject({ code: 'not_found' });
    await expect(findPersonLink(engines, `${token}A`)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('of a person who was disabled since is none, and is not mailed', async () => {
    const { person, link } = await invite();
    await store.people.setDisabled(person.id, true);
    await expect(findPersonLink(engines, findToken(link))).rejects.toMatchObject({ code: 'not_found' });
    expect(await sendLinks(person.id)).toEqual([]);
  });
});

describe('a recovery', () => {
  test('is mailed at most three times an hour, to those who have signed in before', async () => {
    const { person } = await invite();
    await query('delete from person_links where person_id = $1', [person.id]);
    await recoverPerson(engines, person.email);
    expect(await query('select 1 from person_links where person_id = $1', [person.id]), 'nobody to recover').toEqual(
      [],
    );
    await engines.store.signInMethods.setPassword(person.id, 'hash');
    for (let time = 0; time < 5; time += 1) await runJob(engines, recoverPersonJob, { email: person.email });
    expect(await query('select 1 from person_links where person_id = $1', [person.id])).toHaveLength(3);
    const mails = await sendLinks(person.id);
    expect(mails).toHaveLength(3);
    expect(mails[0]?.text).toContain('signed out everywhere');
  });

  test('that anybody asks for leaves the links open that were made before, until one of them is used', async () => {
    const { person } = await invite();
    await engines.store.signInMethods.setPassword(person.id, 'hash');
    const made = await makeRecoveryLink(engines, administrator, person, { mail: false });
    await recoverPerson(engines, person.email);
    const [mailed] = await sendLinks(person.id).then((mails) =>
      mails
        .map(({ text }) => /\/sign-in\/link\/([\w-]{43})/.exec(text)?.[1])
        .filter((token) => token !== findToken(made)),
    );
    const found = await findPersonLink(engines, findToken(made));
    const other = await findPersonLink(engines, mailed ?? '');
    expect([found.state, other.state]).toEqual(['open', 'open']);
    await openPersonLink(engines, found, browser);
    await expect(openPersonLink(engines, other, browser)).rejects.toMatchObject({ code: 'link_ended' });
  });

  test('of an unknown address leaves nothing but a job, as that of a known one does', async () => {
    const jobs = () => query("select 1 from graphile_worker.jobs where task_identifier = 'recover-person'");
    const before = await jobs();
    const { person } = await invite();
    await requestRecovery(engines, 'nobody@example.org');
    await requestRecovery(engines, person.email);
    expect(await jobs()).toHaveLength(before.length + 2);
    await recoverPerson(engines, 'nobody@example.org');
    expect(await query("select 1 from people where email = 'nobody@example.org'")).toEqual([]);
  });
});

describe('a session', () => {
  test('ends when it was idle for a day, and two weeks after it began', async () => {
    const { person } = await invite();
    const { id, secret } = await begin({ stage: 'complete', method: 'passkey' }, person.id);
    expect(await findSession(engines, secret)).toBeDefined();
    await query("update sessions set seen_at = now() - interval '25 hours' where id = $1", [id]);
    expect(await findSession(engines, secret)).toBeUndefined();
    await query('update sessions set seen_at = now(), expires_at = now() where id = $1', [id]);
    expect(await findSession(engines, secret)).toBeUndefined();
    await sweep(engines);
    expect(await query('select 1 from sessions where id = $1', [id])).toEqual([]);
  });

  test('is seen again a few minutes later', async () => {
    const { person } = await invite();
    const { id, secret } = await begin({ stage: 'complete', method: 'passkey' }, person.id);
    await query("update sessions set seen_at = now() - interval '10 minutes' where id = $1", [id]);
    await findSession(engines, secret);
    const [row] = await query<{ recent: boolean }>(
      "select seen_at > now() - interval '1 minute' as recent from sessions where id = $1",
      [id],
    );
    expect(row).toEqual({ recent: true });
  });

  test('gets another secret when its rights change, and the first one is worth nothing', async () => {
    const { person } = await invite();
    const { secret } = await begin({ stage: 'second_factor', method: 'password' }, person.id);
    const found = await findSession(engines, secret);
    const replace = () =>
      store.transaction((tx) =>
        replaceSession(engines, tx, found?.session as never, { stage: 'complete', method: 'password' }, browser),
      );
    const next = await replace();
    expect(next.secret).not.toBe(secret);
    expect(await findSession(engines, secret)).toBeUndefined();
    expect(await findSession(engines, next.secret)).toMatchObject({ session: { stage: 'complete' } });
    await expect(replace()).rejects.toMatchObject({ code: 'sign_in_required' });
  });

  test('of a disabled person is none', async () => {
    const { person } = await invite();
    const { secret } = await begin({ stage: 'complete', method: 'passkey' }, person.id);
    await store.people.setDisabled(person.id, true);
    expect(await findSession(engines, secret)).toBeUndefined();
  });

  test('is ended by itself, with all others, or by the provider that began it', async () => {
    const { person } = await invite();
    const provider = { issuer: 'https://id.example.org', sid: 'sid-1' };
    const [first, second, third] = [
      await begin({ stage: 'complete', method: 'passkey' }, person.id),
      await begin({ stage: 'complete', method: 'passkey' }, person.id),
      await begin({ stage: 'complete', method: 'provider', provider }, person.id),
    ];
    const list = async () => (await store.sessions.ofPerson(person.id, 3600, 10)).map(({ id }) => id);
    expect(await store.sessions.endOfProvider('https://other.example.org', { sid: 'sid-1' })).toBe(0);
    expect(await store.sessions.endOfProvider(provider.issuer, { sid: 'sid-1' })).toBe(1);
    expect(await findSession(engines, third.secret)).toBeUndefined();
    expect(await store.sessions.end(person.id, { except: first.id })).toBe(1);
    expect(await findSession(engines, second.secret)).toBeUndefined();
    expect(await list()).toEqual([first.id]);
    const { person: other } = await invite();
    expect(await store.sessions.end(other.id, { id: first.id }), 'another person’s').toBe(0);
    expect(await store.sessions.end(person.id, 'all')).toBe(1);
  });

  test('is stored without what opens it', async () => {
    const { person } = await invite();
    const { secret } = await begin({ stage: 'complete', method: 'passkey' }, person.id);
    const rows = await query('select digest::text, id from sessions where person_id = $1', [person.id]);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret, 'base64url').toString('hex'));
  });
});

describe('the members of an account', () => {
  test('always include an owner', async () => {
    const { person } = await invite();
    const [own] = await store.people.memberships(person.id, '', 1);
    const accountId = own?.accountId as string;
    const last = { accountId, personId: person.id };
    await expect(removeMember(engines, administrator, last)).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(setMember(engines, administrator, { ...last, role: 'member' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    const { person: second } = await invite();
    await setMember(engines, administrator, { accountId, personId: second.id, role: 'owner' });
    await removeMember(engines, administrator, last);
    expect(await store.people.members(accountId, '', 10)).toMatchObject([{ personId: second.id, role: 'owner' }]);
    expect(await store.people.membership(person.id, person.email)).toBeUndefined();
  });

  test('of whom two leave at once still include an owner', async () => {
    const [{ person: first }, { person: second }] = [await invite(), await invite()];
    const { accountId } = await exchange.account();
    for (const { id } of [first, second]) {
      await setMember(engines, administrator, { accountId, personId: id, role: 'owner' });
    }
    const outcomes = await Promise.allSettled(
      [first, second].map(({ id }) => removeMember(engines, administrator, { accountId, personId: id })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await store.people.countMembers(accountId)).toEqual({ all: 1, owners: 1 });
  });

  test('have no access while the account is disabled or being deleted', async () => {
    const { person } = await invite();
    const [own] = await store.people.memberships(person.id, '', 1);
    const accountId = own?.accountId as string;
    expect(await store.people.membership(person.id, person.email)).toMatchObject({ role: 'owner' });
    await store.accounts.setDisabled(accountId, true);
    expect(await store.people.membership(person.id, person.email)).toBeUndefined();
  });
});
