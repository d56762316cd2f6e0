import { describe, expect, test } from 'vitest';
import { AppBrowser } from '../../../../test/app-browser.ts';
import { MemoryLimits } from '../../../../test/memory/memory-limits.ts';
import { requestV1 } from '../../../../test/request-v1.ts';
import { runJob } from '../../../../test/run-job.ts';
import { buildTestServer } from '../../../../test/server.ts';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { stoppedReason } from '../../../domain/outbox/abandon-message.ts';
import { sendMessage } from '../../../domain/outbox/send-message.ts';
import type { Mail, SendOutcome } from '../../../domain/ports/mailer.ts';
import type { Visitor } from '../../../domain/public-page/public-page-store.ts';
import { sendPublicLinkJob } from '../../../domain/public-page/send-public-link.ts';
import { findCorrespondence, stopMail } from '../../../domain/stops/stop-mail.ts';

const { exchange, app } = await useTestServer();
const { engines, database } = exchange;
let count = 0;

type Server = typeof app;
const newName = () => `orders-${(count += 1)}`;
const newVisitor = () => new AppBrowser(app, engines.policy.publicUrl);

/** An owner whose account has a public page of this name. */
async function openPage(name = newName()) {
  const owner = await signInMember(exchange, app, 'owner');
  const save = (fields: Record<string, string>) =>
    owner.browser.post(`${owner.base}settings/account/public-page`, { name, message: '', ...fields });
  const saved = await save({ open: 'on', message: 'Drawings as PDF, please.' });
  expect(saved.headers.location).toContain('notice=public_page_saved');
  return { ...owner, save, name, path: `/to/${name}` };
}
/** Asks for a link on the page. */
async function ask(path: string, fields: Record<string, string>, server: Server = app) {
  const browser = new AppBrowser(server, engines.policy.publicUrl);
  await browser.get(path);
  return browser.post(path, fields);
}
/** Runs the jobs that the pages have enqueued. */
async function runJobs(policy = engines.policy): Promise<void> {
  const jobs = await database.query<{ id: string; payload: Visitor & { accountId: string } }>(
    `select jobs.id, private.payload from graphile_worker.jobs join graphile_worker._private_jobs as private using (id)
     where task_identifier = $1 order by jobs.id`,
    [sendPublicLinkJob],
  );
  for (const { id, payload } of jobs) {
    await runJob({ ...engines, policy }, sendPublicLinkJob, payload);
    await database.query('select graphile_worker.complete_jobs(array[$1::bigint])', [id]);
  }
}
/** Sends the waiting mails of an account. */
async function sendMails(accountId: string, respond?: () => SendOutcome): Promise<Mail[]> {
  await runJobs();
  const waiting = await database.query<{ id: string }>(
    `select id from messages where account_id = $1 and state = 'waiting' order by created_at, id`,
    [accountId],
  );
  const sent: Mail[] = [];
  const mailer = {
    send: async (mail: Mail): Promise<SendOutcome> => {
      sent.push(mail);
      return respond?.() ?? { outcome: 'sent', response: 'ok' };
    },
  };
  for (const { id } of waiting) await sendMessage({ ...engines, mailer }, accountId, id);
  return sent;
}
const findLink = ({ text }: Mail) => /https:\/\/files\.example\.org(\/u\/[\w-]{43})/.exec(text)?.[1] ?? '';
/** Opens a mailed link as a person does. Returns the path of the page behind it. */
async function openLink(browser: AppBrowser, link: string) {
  const landing = await browser.get(link);
  const opened = await browser.post(link, { gesture: 'pressed' });
  return { landing, status: opened.statusCode, page: String(opened.headers.location) };
}
/** Sends one file through the form of the upload page, as a browser without scripts. */
async function sendFile(browser: AppBrowser, page: string, content: string) {
  const boundary = 'waybill';
  const parts = [
    `--${boundary}\r\ncontent-disposition: form-data; name="message"\r\n\r\nHello from outside.\r\n`,
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${content}\r\n`,
    `--${boundary}--\r\n`,
  ];
  return browser.send('POST', page, {
    payload: parts.join(''),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
}

describe('a public page', () => {
  test('is closed unless an owner opens it, and then looks as if it did not exist', async () => {
    const name = newName();
    const visitor = newVisitor();
    const unknown = await visitor.get('/to/nobody-has-this');
    expect(unknown.statusCode).toBe(404);
    const strip = (body: string) =>
      body.replaceAll(/name="csrftoken" value="[^"]+"/g, '').replaceAll(/to\/[\w-]+/g, '');
    const isMissing = async () => {
      const response = await visitor.get(`/to/${name}`);
      expect([response.statusCode, strip(response.body)]).toEqual([404, strip(unknown.body)]);
    };
    await isMissing();
    const { save, account } = await openPage(name);
    const open = await visitor.get(`/to/${name}`);
    expect(open.statusCode).toBe(200);
    expect(open.body).toContain('Drawings as PDF, please.');
    expect(open.body).toContain(account.email);
    await save({});
    await isMissing();
    await save({ open: 'on' });
    await database.query('update accounts set disabled_at = now() where id = $1', [account.accountId]);
    await isMissing();
    for (const odd of ['x', 'UPPER-CASE', '-x-', 'a%2F..%2Fb', 'a'.repeat(41)]) {
      expect((await visitor.get(`/to/${odd}`)).statusCode, odd).toBe(404);
    }
  });

  test('has a name that is free, well formed and not reserved; only owners change it', async () => {
    const { name } = await openPage();
    const { browser, base, account } = await signInMember(exchange, app, 'owner');
    const path = `${base}settings/account/public-page`;
    const refusals = [
      [name, 'Another account has this name'],
      ['support', 'reserved'],
      ['-a-', 'Use 3 to 40'],
      ['a b c', 'Use 3 to 40'],
      ['ab', 'Use 3 to 40'],
    ] as const;
    for (const [wrong, reason] of refusals) {
      const refused = await browser.post(path, { open: 'on', name: wrong });
      expect(refused.statusCode, wrong).toBe(400);
      expect(refused.body, wrong).toContain(reason);
    }
    expect(await engines.store.publicPages.ofAccount(account.accountId)).toBeUndefined();
    const member = await signInMember(exchange, app, 'member', account);
    expect((await member.browser.post(path, { open: 'on', name: newName() })).statusCode).toBe(403);
    const [changed] = await database.query(
      `select author_kind, before, after from audit_entries where action = 'public_page.changed' and details ->> 'name' = $1`,
      [name],
    );
    expect(changed).toMatchObject({
      author_kind: 'person',
      before: { name: null, isOpen: false },
      after: { name, isOpen: true },
    });
  });

  test('is forbidden where the operator does not allow any', async () => {
    const { path } = await openPage();
    const policy = { ...engines.policy, publicPage: { ...engines.policy.publicPage, isAllowed: false } };
    const strict = buildTestServer({ ...exchange, engines: { ...engines, policy } });
    const browser = new AppBrowser(strict, engines.policy.publicUrl);
    expect((await browser.get(path)).statusCode).toBe(404);
    await strict.close();
  });
});

describe('a visitor', () => {
  test('confirms the address by the mailed link, sends files once, and they are in the inbox as unsolicited', async () => {
    const owner = await openPage();
    const { accountId, apiKey } = owner.account;
    const visitor = newVisitor();
    await visitor.get(owner.path);
    const asked = await visitor.post(owner.path, { email: 'Kim@Example.org', name: 'Kim Park' });
    expect(asked.statusCode).toBe(200);
    expect(asked.body).toContain('Check your e\u2011mail');

    const [mail, ...others] = await sendMails(accountId);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ to: 'kim@example.org', stopLink: expect.stringContaining('/m/') });
    expect(mail?.subject).toContain('Send your files to');
    const link = findLink(mail as Mail);
    // A scanner that posts the form does not open it.
    expect((await newVisitor().post(link, { gesture: '' })).headers.location).toBeUndefined();
    const { landing, page } = await openLink(visitor, link);
    expect(landing.body).toContain('Send files to');
    expect(landing.body).not.toContain('is asking you for files');
    expect((await visitor.get(page)).body).not.toContain('is asking you for files');
    expect((await sendFile(visitor, page, 'content')).statusCode).toBe(303);
    expect((await sendFile(visitor, page, 'again')).statusCode, 'a second time').toBe(410);

    const list = await owner.browser.get(`${owner.base}inbox`);
    expect(list.body).toContain('Kim Park');
    expect(list.body).toContain('Nobody asked for it');
    const [entry] = (await requestV1(app, 'GET', '/inbox', { key: apiKey })).json().data;
    expect(entry).toMatchObject({ sender: 'kim@example.org', unsolicited: true, request_id: null });
    const shown = await owner.browser.get(`${owner.base}inbox/${entry.id}`);
    expect(shown.body).toContain('Open the files only if you know the sender');
    expect(shown.body).toContain(`/inbox/${entry.id}/report`);
    // Nobody made a request, so there is none in the lists.
    expect((await requestV1(app, 'GET', '/requests', { key: apiKey })).json().data).toEqual([]);
    const events = await database.query<{ type: string }>('select type from events where account_id = $1', [accountId]);
    expect(events).toEqual([{ type: 'inbox.received' }]);
    const mails = await sendMails(accountId);
    expect(mails.map(({ to }) => to).toSorted()).toEqual([owner.account.email, 'kim@example.org'].toSorted());
    expect(mails.find(({ to }) => to !== 'kim@example.org')?.text).toContain('nobody asked for it');
  });

  test('gets the same page whatever is known about the address, and no mail more often than allowed', async () => {
    const { path, account } = await openPage();
    const pages = new Set<string>();
    for (let attempt = 0; attempt < 5; attempt++) {
      const response = await ask(path, { email: 'often@example.org' });
      expect(response.statusCode).toBe(200);
      pages.add(response.body);
      await runJobs();
    }
    expect(pages.size).toBe(1);
    expect(await sendMails(account.accountId)).toHaveLength(engines.policy.publicPage.mailsPerAddress);
    // Nor for another account: the mailbox is the same.
    const other = await openPage();
    await ask(other.path, { email: 'often@example.org' });
    expect(await sendMails(other.account.accountId)).toEqual([]);
  });

  test.each([
    ['network', { mailsPerNetwork: 2 }],
    ['page', { mailsPerPage: 2 }],
  ])('is told when there were too many of this %s', async (_about, limits) => {
    const { path } = await openPage();
    const policy = { ...engines.policy, publicPage: { ...engines.policy.publicPage, ...limits } };
    const attemptLimit = new MemoryLimits().attemptLimit();
    const limited = buildTestServer({ ...exchange, engines: { ...engines, policy, attemptLimit } });
    const statuses: number[] = [];
    for (const nth of [1, 2, 3]) {
      statuses.push((await ask(path, { email: `v${nth}@example.org` }, limited)).statusCode);
    }
    expect(statuses).toEqual([200, 200, 429]);
    await limited.close();
    await runJobs();
  });

  test('cannot put anything into the headers of a mail', async () => {
    const { path, account } = await openPage();
    const wrong = [
      { email: 'a@example.org\r\nBcc: b@example.org' },
      { email: 'a@example.org, b@example.org' },
      { email: '"a b"@example.org' },
      { email: 'a@example.org', name: 'Kim\r\nBcc: b@example.org' },
      { email: 'a@example.org', name: 'Kim <b@example.org>' },
      { email: '' },
    ];
    for (const fields of wrong) {
      const refused = await ask(path, fields);
      expect(refused.statusCode, JSON.stringify(fields)).toBe(400);
    }
    expect(await sendMails(account.accountId)).toEqual([]);
  });

  test('is not sent what the account may not send, nor more than the link takes', async () => {
    const { path, account } = await openPage();
    await database.query(`update accounts set receiver_domains = '{example.com}' where id = $1`, [account.accountId]);
    await ask(path, { email: 'v@example.org' });
    expect(await sendMails(account.accountId)).toEqual([]);
    await ask(path, { email: 'v@example.com' });
    const [mail] = await sendMails(account.accountId);
    const policy = { ...engines.policy, publicPage: { ...engines.policy.publicPage, maxBytes: 4 } };
    const small = buildTestServer({ ...exchange, engines: { ...engines, policy } });
    const visitor = new AppBrowser(small, engines.policy.publicUrl);
    const { page } = await openLink(visitor, findLink(mail as Mail));
    expect((await sendFile(visitor, page, '12345')).statusCode).toBe(422);
    expect((await sendFile(visitor, page, '1234')).statusCode).toBe(303);
    await small.close();
  });

  test('needs no code, whatever the account asks its receivers for', async () => {
    const { path, account } = await openPage();
    await database.query(`update accounts set second_factor = 'mail' where id = $1`, [account.accountId]);
    await ask(path, { email: 'coded@example.org' });
    const [mail] = await sendMails(account.accountId);
    const visitor = newVisitor();
    const { page } = await openLink(visitor, findLink(mail as Mail));
    expect((await visitor.get(page)).body).toContain('type="file"');
  });

  test('whose mail comes back is no news for the account, and who stops its mails gets no more', async () => {
    const { path, account } = await openPage();
    await ask(path, { email: 'nobody@example.org' });
    await sendMails(account.accountId, () => ({ outcome: 'refused', response: '550 no such user' }));
    expect(await sendMails(account.accountId)).toEqual([]);

    await ask(path, { email: 'tired@example.org' });
    const [mail] = await sendMails(account.accountId);
    const token = mail?.stopLink?.split('/m/')[1] ?? '';
    await stopMail(engines, await findCorrespondence(engines, token));
    expect((await sendMails(account.accountId)).map(({ to }) => to)).toEqual([account.email]);
    await ask(path, { email: 'tired@example.org' });
    expect(await sendMails(account.accountId)).toEqual([]);
    const [link] = await database.query<{ reason: string }>(
      `select undeliverable_reason as reason from links where account_id = $1 and email = 'tired@example.org'`,
      [account.accountId],
    );
    expect(link?.reason).toBe(stoppedReason);
  });
});

describe('a sender whom nobody asked', () => {
  test('can be blocked: no mail, no further link, the same page; and unblocked', async () => {
    const owner = await openPage();
    const { accountId } = owner.account;
    const email = 'pest@example.org';
    await ask(owner.path, { email });
    await ask(owner.path, { email });
    const mails = await sendMails(accountId);
    const [first, second] = mails.map(findLink);
    const visitor = newVisitor();
    const { page } = await openLink(visitor, first ?? '');
    await sendFile(visitor, page, 'junk');
    const [entry] = await engines.store.inbox.page(accountId, {}, undefined, 1);
    const path = `${owner.base}inbox/${entry?.id}`;

    const reader = await signInMember(exchange, app, 'reader', owner.account);
    expect((await reader.browser.get(path)).body).not.toContain('/report');
    expect((await reader.browser.post(`${path}/block`)).statusCode).toBe(403);
    const report = await owner.browser.get(`${path}/report`);
    expect(report.body).toContain(email);
    expect((await owner.browser.post(`${path}/block`)).headers.location).toBe(`${path}?notice=block`);

    await sendMails(accountId);
    expect((await newVisitor().get(second ?? '')).statusCode, 'the link that was left').toBe(410);
    const neutral = await ask(owner.path, { email });
    expect([neutral.statusCode, neutral.body.includes('Check your e\u2011mail')]).toEqual([200, true]);
    expect(await sendMails(accountId)).toEqual([]);

    const settings = await owner.browser.get(`${owner.base}settings/account`);
    expect(settings.body).toContain(email);
    await owner.browser.post(`${owner.base}settings/account/public-page/unblock`, { email });
    await ask(owner.path, { email });
    expect(await sendMails(accountId)).toHaveLength(1);
  });

  test('is not somebody who was asked, or another account', async () => {
    const owner = await signInMember(exchange, app, 'owner');
    const sender = await exchange.account(owner.account.email);
    await exchange.drop(sender, [owner.account.email], ['a.txt']);
    const [entry] = await engines.store.inbox.page(owner.account.accountId, {}, undefined, 1);
    expect(entry).toMatchObject({ isUnsolicited: false });
    expect((await owner.browser.get(`${owner.base}inbox/${entry?.id}/report`)).statusCode).toBe(404);
    expect((await owner.browser.post(`${owner.base}inbox/${entry?.id}/block`)).statusCode).toBe(404);
  });

  test('loses the link when the page is closed', async () => {
    const { path, account, save } = await openPage();
    await ask(path, { email: 'late@example.org' });
    const [mail] = await sendMails(account.accountId);
    await ask(path, { email: 'later@example.org' });
    await save({});
    expect(await sendMails(account.accountId)).toEqual([]);
    expect((await newVisitor().get(findLink(mail as Mail))).statusCode).toBe(410);
  });
});
