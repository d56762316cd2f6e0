import { describe, expect, test } from 'vitest';
import type { AppBrowser } from '../../../../test/app-browser.ts';
import { readyFile } from '../../../../test/file-requests.ts';
import { deriveToken } from '../../../../test/links.ts';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { replaceContacts } from '../../../domain/contacts/replace-contacts.ts';
import { findLink } from '../../../domain/links/find-link.ts';
import { prepareRequest } from '../../../domain/requests/request-files.ts';
import { sendFiles } from '../../../domain/requests/send-files.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const day = 86_400_000;

type Member = Awaited<ReturnType<typeof signInMember>>;

/** Makes a request as a program does. Returns its id. */
async function ask({ account }: Pick<Member, 'account'>, message: string, emails: readonly string[], more = {}) {
  const make = await prepareRequest(engines, account, {
    receivers: emails.map((email) => ({ email })),
    message,
    reusable: false,
    notify: true,
    secondFactor: null,
    title: null,
    externalId: null,
    metadata: null,
    ...more,
  });
  return (await make(engines)).id;
}

/** Sends a file as the contact at this position does. */
async function sendAsContact({ account }: Member, id: string, position: number, name: string): Promise<void> {
  const link = await findLink(engines, await deriveToken(exchange, account, id, position), 'uploadfiles');
  await readyFile(engines, link, name);
  await sendFiles(engines, link, '');
}

const find = ({ account }: Member, id: string) =>
  engines.store.sentDrops.find(account.accountId, { type: 'uploadfiles', dropId: id });
const readActions = async ({ account }: Member) => {
  const rows = await exchange.database.query<{ action: string }>(
    "select action from audit_entries where account_id = $1 and author_kind = 'person' order by at, id",
    [account.accountId],
  );
  return rows.map(({ action }) => action);
};
const countMails = async ({ account }: Member) => {
  const [row] = await exchange.database.query<{ count: string }>(
    'select count(*) as count from messages where account_id = $1',
    [account.accountId],
  );
  return Number(row?.count);
};
const rowsOf = (body: string) => [...body.matchAll(/name="id" value="([^"]+)"/g)].map(([, id]) => id);

function select(browser: AppBrowser, url: string, ids: readonly string[], more: Record<string, string> = {}) {
  const form = new URLSearchParams({ csrftoken: browser.csrf, ...more });
  for (const id of ids) form.append('id', id);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return browser.send('POST', url, { payload: form.toString(), headers });
}

describe('asking for files', () => {
  const fields = {
    receiver: 'kim@example.org',
    message: 'Signed contract',
    days: '14',
    reusable: '0',
    second_factor: 'off',
  };

  test('writes to everyone, and leads to the page of the request', async () => {
    const member = await signInMember(exchange, app);
    const { browser, base } = member;
    const form = await browser.get(`${base}requests/new?to=kim%40example.org%2Cbo%40example.org`);
    expect(form.body).toContain('kim@example.org, bo@example.org</textarea>');
    const asked = await browser.post(`${base}requests/new`, {
      ...fields,
      receiver: 'Kim Park <Kim@Example.org>;\r\nbo@example.org, kim@example.org',
      message: 'Signed contract\r\nPlease by Monday',
      reusable: '1',
      second_factor: 'mail',
    });
    expect(asked.statusCode).toBe(303);
    const [, id = ''] = /requests\/([0-9a-f-]+)\?notice=asked$/.exec(String(asked.headers.location)) ?? [];
    const request = await find(member, id);
    expect(request).toMatchObject({
      message: 'Signed contract\nPlease by Monday',
      reusable: true,
      notify: true,
      secondFactor: 'mail',
      receiverCount: 2,
    });
    expect((request?.expiresAt.getTime() ?? 0) - Date.now()).toBeGreaterThan(13.9 * day);
    expect(await countMails(member)).toBe(2);
    const page = await browser.get(String(asked.headers.location));
    for (const text of ['Signed contract', 'Kim Park', 'bo@example.org', 'Several times', 'on its way']) {
      expect(page.body).toContain(text);
    }
    expect(await readActions(member)).toEqual(['request.created']);
  });

  test('twice with one form writes once, and leads to the same page; a changed form is asked about', async () => {
    const member = await signInMember(exchange, app);
    const { browser, base } = member;
    const form = await browser.get(`${base}requests/new`);
    const [, id = ''] = /name="request_id" value="([^"]+)"/.exec(form.body) ?? [];
    const once = { ...fields, request_id: id };
    const both = await Promise.all([1, 2].map(() => browser.post(`${base}requests/new`, once)));
    const again = await browser.post(`${base}requests/new`, once);
    const [first] = both.map(({ headers }) => headers.location);
    expect([...both, again].map(({ statusCode, headers }) => [statusCode, headers.location])).toEqual(
      Array.from({ length: 3 }, () => [303, first]),
    );
    expect(await countMails(member)).toBe(1);
    const changed = await browser.post(`${base}requests/new`, { ...once, message: 'Something else' });
    expect([changed.statusCode, changed.body]).toEqual([400, expect.stringContaining('was sent already')]);
    expect(changed.body).not.toContain(id);
    expect(await countMails(member)).toBe(1);
  });

  test('of a group writes to everyone in it', async () => {
    const member = await signInMember(exchange, app);
    await replaceContacts(engines, member.account, {
      contacts: [
        { email: 'a@example.org', groups: ['Site team'] },
        { email: 'b@example.org', groups: ['Site team'] },
      ],
      lenient: false,
    });
    await member.browser.post(`${member.base}requests/new`, { ...fields, receiver: 'site team, c@example.org' });
    expect(await countMails(member)).toBe(3);
  });

  test('without a mail shows the links only on demand, and records it', async () => {
    const member = await signInMember(exchange, app);
    const { browser, base } = member;
    const asked = await browser.post(`${base}requests/new`, { ...fields, notify: 'links' });
    const [, id = ''] = /requests\/([0-9a-f-]+)\?notice=linksReady$/.exec(String(asked.headers.location)) ?? [];
    expect(await countMails(member)).toBe(0);
    const page = await browser.get(`${base}requests/${id}?do=link`);
    expect(page.body).not.toMatch(/\/u\/[\w-]{20,}/);
    const shown = await browser.post(`${base}requests/${id}/link`, { receiver: '0' });
    const token = await deriveToken(exchange, member.account, id, 0);
    expect([shown.statusCode, shown.body]).toEqual([200, expect.stringContaining(`/u/${token}`)]);
    expect(await readActions(member)).toEqual(['request.created', 'link.shown']);
  });

  test('until the end of a day, in the time zone of the person', async () => {
    const member = await signInMember(exchange, app);
    const { person } = member;
    await engines.store.people.setProfile(person.id, { name: 'Maya', language: '', timeZone: 'Asia/Tokyo' });
    const date = new Date(Date.now() + 10 * day).toISOString().slice(0, 10);
    const asked = await member.browser.post(`${member.base}requests/new`, { ...fields, days: '', until: date });
    const [, id = ''] = /requests\/([0-9a-f-]+)/.exec(String(asked.headers.location)) ?? [];
    expect((await find(member, id))?.expiresAt.toISOString()).toContain(`${date}T14:59`);
  });

  test.each([
    ['nobody', { receiver: ' , ' }, 'at least one address'],
    ['a word', { receiver: 'kim@example.org, kim.park' }, 'is neither an e‑mail address'],
    ['a day that is too late', { days: '', until: '2099-01-01' }, 'your account does not allow this one'],
    ['a text that is too long', { message: 'x'.repeat(20_001) }, '20,000 characters'],
  ])('is refused for %s, and the form keeps what was entered', async (_what, wrong, text) => {
    const member = await signInMember(exchange, app);
    const refused = await member.browser.post(`${member.base}requests/new`, { ...fields, reusable: '1', ...wrong });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain(text);
    expect(refused.body).toMatch(/name="reusable" value="1" checked/);
    expect(await engines.store.requests.countOpen(member.account.accountId, 10)).toBe(0);
  });

  test('is limited by the rules of the account', async () => {
    const member = await signInMember(exchange, app);
    const { accountId } = member.account;
    await exchange.database.query(
      "update accounts set receiver_domains = '{example.com}', second_factor = 'mail' where id = $1",
      [accountId],
    );
    const { browser, base } = member;
    const form = await browser.get(`${base}requests/new`);
    expect(form.body).not.toContain('name="notify"');
    expect(form.body).not.toContain('name="second_factor" value="off"');
    const refused = await browser.post(`${base}requests/new`, { ...fields, second_factor: 'mail' });
    expect([refused.statusCode, refused.body]).toEqual([400, expect.stringContaining('may not write to')]);
    const links = await browser.post(`${base}requests/new`, {
      ...fields,
      receiver: 'kim@example.com',
      second_factor: 'mail',
      notify: 'links',
    });
    expect([links.statusCode, links.body]).toEqual([400, expect.stringContaining('may not pass on links itself')]);
  });
});

describe('the list', () => {
  test('has the open ones, the closed ones or all, and finds parts of texts', async () => {
    const member = await signInMember(exchange, app);
    const { browser, base } = member;
    const open = await ask(member, 'Signed contract', ['kim@example.org', 'bo@example.org']);
    const closed = await ask(member, 'Photos of the site', ['ines@albrecht.example']);
    await ask(await signInMember(exchange, app), 'Of another account', ['kim@example.org']);
    const list = async (query: string) => rowsOf((await browser.get(`${base}requests?${query}`)).body);
    await select(browser, `${base}requests/revoke`, [closed], { confirmed: '1' });
    expect(await list('')).toEqual([open]);
    expect(await list('part=closed')).toEqual([closed]);
    expect(await list('part=all')).toEqual([closed, open]);
    expect(await list('part=all&q=otos+of')).toEqual([closed]);
    expect(await list('part=all&q=albrecht')).toEqual([closed]);
    expect(await list('q=otos')).toEqual([]);
    await sendAsContact(member, open, 1, 'a.txt');
    const { body } = await browser.get(`${base}requests`);
    for (const text of ['Signed contract', '1 file', 'from 1 of 2', 'Open</bdi><span class="segment-count">1<']) {
      expect(body).toContain(text);
    }
  });

  test('leads from page to page and back', async () => {
    const member = await signInMember(exchange, app);
    const { browser, base } = member;
    const ids: string[] = [];
    while (ids.length < 53) ids.unshift(await ask(member, `Request ${ids.length}`, ['kim@example.org']));
    for (const id of [ids[1], ids[51]]) {
      await browser.post(`${base}requests/${id}/revoke`);
    }
    await exchange.database.query(
      "update drops set ended_at = now(), expires_at = now() - interval '1 day' where account_id = $1 and revoked_at is null",
      [member.account.accountId],
    );
    const first = await browser.get(`${base}requests?part=closed`);
    expect(rowsOf(first.body)).toEqual(ids.slice(0, 50));
    const next = /href="([^"]+)" rel="next"/.exec(first.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await browser.get(next);
    expect(rowsOf(second.body)).toEqual(ids.slice(50));
    const back = /href="([^"]+)" rel="prev"/.exec(second.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(rowsOf((await browser.get(back)).body)).toEqual(ids.slice(0, 50));
  });

  test('changes several at once, after a question, and can undo it', async () => {
    const member = await signInMember(exchange, app);
    const { browser, base } = member;
    const [one, other] = [
      await ask(member, 'One', ['a@example.org', 'b@example.org']),
      await ask(member, 'Other', ['c@example.org']),
    ];
    const ids = [one, other];
    const reminded = await select(browser, `${base}requests/remind`, ids, { back: '?part=all&q=o' });
    expect(reminded.headers.location).toBe(`${base}requests?q=o&part=all&notice=reminded&count=3`);
    const choose = await select(browser, `${base}requests/extend`, ids, { back: '?part=all&notice=x' });
    expect(choose.body).toContain('Extend 2 requests');
    expect(choose.body).toContain('name="back" value="?part=all"');
    const extended = await select(browser, `${base}requests/extend`, ids, { confirmed: '1', days: '30' });
    expect(extended.headers.location).toBe(`${base}requests?notice=extended&count=2`);
    expect((await find(member, one))?.expiresAt.getTime()).toBeGreaterThan(Date.now() + 29 * day);
    const question = await select(browser, `${base}requests/revoke`, ids);
    expect(question.body).toContain('3 people who have sent nothing yet can no longer send');
    expect((await find(member, one))?.state).toBe('live');
    const closed = await select(browser, `${base}requests/revoke`, ids, { confirmed: '1' });
    expect((await find(member, other))?.state).toBe('revoked');
    const toast = await browser.get(String(closed.headers.location));
    expect(toast.body).toContain('2 requests were closed.');
    const undone = await browser.post(`${base}requests/restore`, { ids: ids.join(',') });
    expect(undone.headers.location).toBe(`${base}requests?notice=restored&count=2`);
    expect((await find(member, other))?.state).toBe('live');
    const nothing = await select(browser, `${base}requests/revoke`, []);
    expect(nothing.headers.location).toBe(`${base}requests?notice=noneSelected`);
    expect(await readActions(member)).toEqual([
      'drop.reminded',
      'drop.reminded',
      'drop.extended',
      'drop.extended',
      'drop.revoked',
      'drop.revoked',
      'drop.restored',
      'drop.restored',
    ]);
  });
});

describe('a request', () => {
  test('shows what arrived and from whom', async () => {
    const member = await signInMember(exchange, app);
    const { browser, base } = member;
    const id = await ask(member, 'Signed contract', ['kim@example.org', 'bo@example.org']);
    await sendAsContact(member, id, 0, 'contract.pdf');
    const { body } = await browser.get(`${base}requests/${id}`);
    expect(body).toContain('1 file arrived');
    expect(body).toContain('1 of 2 has sent files');
    const [, entry = ''] = /href="[^"]*\/inbox\/([0-9a-f-]+)"/.exec(body) ?? [];
    expect(body).toContain(' · unread');
    expect((await browser.get(`${base}inbox/${entry}`)).body).toContain('contract.pdf');
    expect((await browser.get(`${base}requests/${id}`)).body).not.toContain(' · unread');
    expect(body.replaceAll('<wbr/>', '')).toMatch(/kim@example\.org[^ ]* sent files/);
    const history = await browser.get(`${base}requests/${id}/history.csv`);
    expect(history.body).toMatch(/"received","[^"]*sent files","kim@example.org"/);
    expect(history.body).not.toContain('downloaded');
  });

  test('is extended, sent to another person, corrected, and closed for one', async () => {
    const member = await signInMember(exchange, app);
    const { browser, base } = member;
    const id = await ask(member, 'Signed contract', ['kim@example.org']);
    const url = `${base}requests/${id}`;
    for (const task of ['add', 'extend', 'revoke', 'correct&receiver=0', 'link']) {
      expect((await browser.get(`${url}?do=${task}`)).body, task).toContain('id="do"');
    }
    expect((await browser.post(`${url}/extend`, { days: '', date: '2001-01-01' })).statusCode).toBe(400);
    expect((await browser.post(`${url}/extend`, { days: '21' })).headers.location).toContain('notice=extended');
    const wrong = await browser.post(`${url}/receivers`, { receiver: 'bo.example.org' });
    expect([wrong.statusCode, wrong.body]).toEqual([400, expect.stringContaining('>bo.example.org</textarea>')]);
    expect((await browser.post(`${url}/receivers`, { receiver: 'kim@example.org' })).body).toContain(
      'has a link already',
    );
    expect((await browser.post(`${url}/receivers`, { receiver: 'Bo <bo@example.org>' })).statusCode).toBe(303);
    expect((await browser.post(`${url}/receivers/0/resend`)).headers.location).toContain('notice=resent');
    expect((await browser.post(`${url}/resend`)).headers.location).toContain('notice=resent');
    const corrected = await browser.post(`${url}/receivers/0/correct`, { email: 'kim.park@example.org' });
    expect(corrected.headers.location).toContain('notice=corrected');
    expect((await browser.post(`${url}/remind`)).headers.location).toContain('notice=reminded&count=2');
    expect((await browser.post(`${url}/revoke`, { receiver: '1' })).headers.location).toContain(
      'notice=receiverStopped',
    );
    const contacts = await engines.store.sentDrops.receivers(member.account.accountId, id);
    expect(contacts.map(({ email, revokedAt }) => [email, revokedAt !== null])).toEqual([
      ['kim@example.org', true],
      ['bo@example.org', true],
      ['kim.park@example.org', false],
    ]);
    expect((await browser.post(`${url}/revoke`)).headers.location).toContain('notice=revoked');
    expect((await browser.post(`${url}/remind`)).headers.location).toContain('notice=unchanged');
    const late = await browser.post(`${url}/receivers`, { receiver: 'x@example.org' });
    expect([late.statusCode, late.body]).toEqual([400, expect.stringContaining('It has ended meanwhile')]);
    expect((await browser.post(`${url}/restore`)).headers.location).toContain('notice=restored');
    expect((await find(member, id))?.state).toBe('live');
  });

  test('does not show links where the account forbids it', async () => {
    const member = await signInMember(exchange, app);
    const id = await ask(member, 'Signed contract', ['kim@example.org']);
    await exchange.database.query('update accounts set show_links = false where id = $1', [member.account.accountId]);
    expect((await member.browser.get(`${member.base}requests/${id}`)).body).not.toContain('do=link');
    expect((await member.browser.post(`${member.base}requests/${id}/link`, { receiver: '0' })).statusCode).toBe(403);
  });

  test('of another account, or a drop, does not exist', async () => {
    const [member, other] = [await signInMember(exchange, app), await signInMember(exchange, app)];
    const id = await ask(other, 'Theirs', ['kim@example.org']);
    const drop = await exchange.drop(await exchange.account('r@example.org'), ['r@example.org'], ['a']);
    const { browser, base } = member;
    for (const unknown of [id, drop, 'new2', engines.random.uuid()]) {
      expect((await browser.get(`${base}requests/${unknown}`)).statusCode).toBe(404);
      for (const action of ['remind', 'extend', 'revoke', 'restore', 'link', 'receivers', 'receivers/0/resend']) {
        expect((await browser.post(`${base}requests/${unknown}/${action}`)).statusCode, action).toBe(404);
      }
    }
    for (const action of ['remind', 'extend', 'revoke', 'restore']) {
      await select(browser, `${base}requests/${action}`, [id], { confirmed: '1', days: '30' });
    }
    expect(await find(other, id)).toMatchObject({ state: 'live' });
    expect(await readActions(member)).toEqual([]);
  });
});

test('a reader sees requests and changes none', async () => {
  const owner = await signInMember(exchange, app);
  const id = await ask(owner, 'Signed contract', ['kim@example.org']);
  const { browser, base } = await signInMember(exchange, app, 'reader', owner.account);
  expect((await browser.get(`${base}requests`)).body).toContain('Signed contract');
  const page = await browser.get(`${base}requests/${id}?do=revoke`);
  expect(page.body).toContain('Signed contract');
  expect(page.body.split('id="main"')[1]).not.toMatch(/formaction|id="do"|do=revoke/i);
  expect((await browser.get(`${base}requests/new`)).statusCode).toBe(403);
  for (const action of ['/new', '/remind', '/extend', '/revoke', '/restore', `/${id}/remind`, `/${id}/link`]) {
    expect((await browser.post(`${base}requests${action}`)).statusCode, action).toBe(403);
  }
});
