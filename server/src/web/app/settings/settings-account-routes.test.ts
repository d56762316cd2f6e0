import { describe, expect, test } from 'vitest';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import type { Actor } from '../../../domain/actor.ts';
import { replaceContacts } from '../../../domain/contacts/replace-contacts.ts';
import { invitePerson, limitInvitations } from '../../../domain/people/invite-person.ts';
import { findPersonLink } from '../../../domain/people/open-person-link.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { query } = exchange.database;

/** An owner in the settings of an account. */
async function openSettings(...joins: [] | [Parameters<typeof signInMember>[2], Parameters<typeof signInMember>[3]]) {
  const [role = 'owner', account] = joins;
  const joined = await signInMember(exchange, app, role, account);
  const { accountId } = joined.account;
  const settings = `${joined.base}settings`;
  const post = (path: string, fields: Record<string, string>) => joined.browser.post(`${settings}/${path}`, fields);
  const findRole = async (personId: string) =>
    (await engines.store.people.members(accountId, '', 10)).find((member) => member.personId === personId)?.role;
  return { ...joined, accountId, settings, post, findRole };
}

async function addContact(actor: Actor): Promise<Actor> {
  await replaceContacts(engines, actor, { contacts: [{ email: 'r@example.org' }], lenient: false });
  return actor;
}

describe('the choices of an account', () => {
  test('are changed by an owner, in whose name the audit has it, with where they were', async () => {
    const { post, accountId, settings, person, browser } = await openSettings();
    const saved = await post('account/choices', {
      display_name: 'Acme Plant 2',
      second_factor: 'mail',
      receipts: 'on',
    });
    expect(saved.headers.location).toBe(`${settings}/account?notice=choices_saved#choices`);
    const chosen = { displayName: 'Acme Plant 2', secondFactor: 'mail', receipts: true, reminders: false };
    expect(await engines.store.accounts.byId(accountId)).toMatchObject(chosen);
    const [entry] = await query(
      "select author_kind, author_name, author_address from audit_entries where account_id = $1 and action = 'account.changed'",
      [accountId],
    );
    expect(entry).toEqual({ author_kind: 'person', author_name: person.email, author_address: '127.0.0.1' });
    const page = await browser.get(`${settings}/account?notice=choices_saved`);
    expect(page.body).toContain('value="Acme Plant 2"');
  });

  test('say for how long the composer suggests to make files available, and nothing else does', async () => {
    const { post, settings, browser, base, account } = await openSettings();
    const findDays = async () => /name="days"[^>]*value="(\d+)"[^>]*checked/.exec((await browser.get(base)).body)?.[1];
    expect(await findDays()).toBe('7');
    expect((await post('account/choices', { default_days: '14' })).statusCode).toBe(303);
    expect((await browser.get(`${settings}/account`)).body).toMatch(/<option selected value="14"|value="14" selected/);
    expect(await findDays()).toBe('14');
    const dropId = await exchange.drop(await addContact(account), ['r@example.org'], ['a.txt']);
    const [drop] = await query('select lifetime from drops where id = $1', [dropId]);
    expect(drop, 'programs get what they always got').toEqual({ lifetime: 7 });
    expect((await post('account/choices', { default_days: '31' })).statusCode, 'not allowed').toBe(400);
  });

  test('are kept if the name could be taken for an address', async () => {
    const { post, accountId } = await openSettings();
    const refused = await post('account/choices', { display_name: 'ceo@example.org', second_factor: '' });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('ceo@example.org');
    expect(await engines.store.accounts.byId(accountId)).toMatchObject({ displayName: '', receipts: true });
  });

  test('never ask receivers for less than the server or the group does', async () => {
    const { post, accountId, settings, browser } = await openSettings();
    await engines.store.quotas.createGroup(accountId, 'strict');
    await engines.store.quotas.setForGroup(accountId, { secondFactor: 'mail' });
    await engines.store.quotas.join(accountId, accountId);
    expect((await post('account/choices', { second_factor: 'off' })).statusCode).toBe(400);
    expect((await browser.get(`${settings}/account`)).body).not.toContain('value="off"');
    expect((await post('account/choices', { second_factor: 'mail' })).statusCode).toBe(303);
  });
});

describe('the members of an account', () => {
  test('get another role, and lose access at once', async () => {
    const owner = await openSettings();
    const other = await openSettings('owner', owner.account);
    const id = other.person.id;
    expect((await owner.post('members/role', { id, role: 'reader' })).headers.location).toContain('notice=role_saved');
    expect((await other.post('account/choices', {})).statusCode).toBe(403);
    expect((await other.browser.get(`${other.settings}/account`)).body).not.toContain('members/remove');
    expect((await owner.post('members/remove', { id })).headers.location).toContain('notice=member_removed');
    expect((await other.browser.get(other.settings)).statusCode).toBe(404);
    expect((await owner.post('members/role', { id, role: 'owner' })).statusCode, 'nobody is added by an id').toBe(404);
  });

  test('always include an owner', async () => {
    const { post, person, findRole } = await openSettings();
    const { id } = person;
    expect((await post('members/role', { id, role: 'member' })).headers.location).toContain('notice=last_owner');
    expect((await post('members/remove', { id })).headers.location).toContain('notice=last_owner');
    const invited = await post('members/invitation', { email: person.email, role: 'reader' });
    expect(invited.statusCode, 'nor by an invitation').toBe(400);
    expect(await findRole(id)).toBe('owner');
  });

  test('who leave by themselves are led to another account', async () => {
    const owner = await openSettings();
    const other = await openSettings('owner', owner.account);
    expect((await other.post('members/remove', { id: other.person.id })).headers.location).toBe('/home');
  });

  test('are shown on pages', async () => {
    const { accountId, settings, browser } = await openSettings();
    await query(
      `with made as (insert into people (id, email, handle)
         select gen_random_uuid(), 'many-' || lpad(n::text, 3, '0') || '@example.org', sha256(n::text::bytea)
         from generate_series(1, 60) n returning id)
       insert into memberships (account_id, person_id, role) select $1, id, 'reader' from made`,
      [accountId],
    );
    const first = await browser.get(`${settings}/account`);
    const next = /href="([^"]*after=[^"]*)"/.exec(first.body)?.[1]?.replace('#members', '');
    const second = await browser.get(next ?? '');
    expect(first.body.match(/many-\d+@example\.org<\/bdi>/g)?.length).toBeLessThanOrEqual(50);
    expect(second.body).toContain('many-060@example.org');
    expect(second.body).not.toContain('many-001@example.org');
  });
});

describe('an invitation', () => {
  const findLinks = (email: string) =>
    query<{ id: string }>('select l.id from person_links l join people p on p.id = person_id where email = $1', [
      email,
    ]);

  test('is mailed, shown until it is accepted, and can be sent again or revoked', async () => {
    const { post, settings, browser, accountId } = await openSettings();
    const email = `lena-${engines.random.uuid()}@example.org`;
    const sent = await post('members/invitation', { email, role: 'member' });
    expect(sent.headers.location).toContain('notice=invitation_sent');
    const page = await browser.get(`${settings}/account`);
    expect(page.body).toContain('members/invitation/revoke');
    await post('members/invitation', { email, role: 'member' });
    const links = await findLinks(email);
    expect(links).toHaveLength(2);
    const person = await engines.store.people.byEmail(email);
    const revoked = await post('members/invitation/revoke', { id: person?.id ?? '' });
    expect(revoked.headers.location).toContain('notice=invitation_revoked');
    expect(await engines.store.people.members(accountId, '', 10)).toHaveLength(1);
    for (const { id } of links) {
      const token = engines.personLinks.toUrl(id).split('/').at(-1) ?? '';
      expect(await findPersonLink(engines, token)).toMatchObject({ state: 'expired' });
    }
  });

  test('adds someone who can sign in at once, and cannot be revoked as if it were open', async () => {
    const { post, findRole } = await openSettings();
    const { person } = await signInMember(exchange, app);
    await engines.store.signInMethods.setPassword(person.id, 'hash');
    const added = await post('members/invitation', { email: person.email, role: 'reader' });
    expect(added.headers.location).toContain('notice=member_added');
    expect((await post('members/invitation/revoke', { id: person.id })).statusCode).toBe(404);
    expect(await findRole(person.id)).toBe('reader');
  });

  test('of another account or the operator stays open, whoever else invites the person and revokes it', async () => {
    const [mallory, owner] = [await openSettings(), await openSettings()];
    const email = `lena-${engines.random.uuid()}@example.org`;
    const findState = async (link = '') => (await findPersonLink(engines, link.split('/').at(-1) ?? '')).state;
    const { person, link } = await invitePerson(engines, engines.administrator, { email, mail: false });
    const added = await mallory.post('members/invitation', { email, role: 'member' });
    expect(added.headers.location).toContain('notice=invitation_open');
    expect(await mallory.findRole(person.id)).toBe('member');
    await mallory.post('members/invitation/revoke', { id: person.id });
    expect(await findState(link)).toBe('open');
    expect(await findLinks(email)).toHaveLength(1);

    const other = `lena-${engines.random.uuid()}@example.org`;
    for (let time = 0; time < 3; time += 1) {
      await mallory.post('members/invitation', { email: other, role: 'member' });
      const invited = await engines.store.people.byEmail(other);
      await mallory.post('members/invitation/revoke', { id: invited?.id ?? '' });
    }
    expect((await mallory.post('members/invitation', { email: other, role: 'member' })).statusCode).toBe(429);
    const sent = await owner.post('members/invitation', { email: other, role: 'member' });
    expect(sent.headers.location, 'three by another account').toContain('notice=invitation_sent');
  });

  test('of somebody who has not accepted one follows the rule of allowed domains, too', async () => {
    const { post, findRole } = await openSettings();
    const email = `outside-${engines.random.uuid()}@elsewhere.example`;
    const { person } = await invitePerson(engines, engines.administrator, { email, mail: false });
    expect((await post('members/invitation', { email, role: 'member' })).statusCode).toBe(400);
    expect(await findRole(person.id)).toBeUndefined();
  });

  test('of a member changes nothing, and leads to the form of their role', async () => {
    const { post, findRole, account } = await openSettings();
    const { person } = await signInMember(exchange, app, 'owner', account);
    for (const invited of ['open', 'accepted']) {
      if (invited === 'accepted') await engines.store.signInMethods.setPassword(person.id, 'hash');
      const refused = await post('members/invitation', { email: person.email, role: 'reader' });
      expect(refused.statusCode, invited).toBe(400);
      expect(refused.body, invited).toContain(`#member-${person.id}"`);
    }
    expect(await findRole(person.id)).toBe('owner');
  });

  test('creates nobody outside the domain of the account', async () => {
    const { post } = await openSettings();
    const email = `outside-${engines.random.uuid()}@elsewhere.example`;
    expect((await post('members/invitation', { email, role: 'member' })).statusCode).toBe(400);
    expect(await engines.store.people.byEmail(email)).toBeUndefined();
  });

  test('is one of 200 that an account can send at once, and then each day', async () => {
    const { post, accountId } = await openSettings();
    const attempts = Array.from({ length: 201 }, () => limitInvitations(engines, accountId));
    await Promise.all(attempts);
    const email = `one-too-many-${engines.random.uuid()}@example.org`;
    const refused = await post('members/invitation', { email, role: 'member' });
    expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    expect(await engines.store.people.byEmail(email)).toBeUndefined();
  });

  test('cannot fill a mailbox, and needs an address', async () => {
    const { post } = await openSettings();
    const email = `often-${engines.random.uuid()}@example.org`;
    const statuses: number[] = [];
    while (statuses.length < 4) statuses.push((await post('members/invitation', { email, role: 'member' })).statusCode);
    expect(statuses).toEqual([303, 303, 303, 429]);
    const refused = await post('members/invitation', { email: 'nowhere', role: 'member' });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('value="nowhere"');
  });
});
