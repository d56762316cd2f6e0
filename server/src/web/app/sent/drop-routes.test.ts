import { describe, expect, test } from 'vitest';
import { AppBrowser } from '../../../../test/app-browser.ts';
import { copyFileRows } from '../../../../test/copy-file-rows.ts';
import { deriveToken } from '../../../../test/links.ts';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { sendMessage } from '../../../domain/outbox/send-message.ts';
import { sweep } from '../../../domain/sweep.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { query } = exchange.database;

async function openDrop(...receivers: string[]) {
  const all = receivers.length === 0 ? ['r@example.org'] : receivers;
  const account = await exchange.account(...all);
  const member = await signInMember(exchange, app, 'member', account);
  const dropId = await exchange.drop(account, all, ['a.txt', 'b.txt']);
  return { ...member, dropId, page: `${member.base}sent/${dropId}` };
}

const readLinks = (dropId: string) =>
  query<{ email: string; revoked: boolean }>(
    'select email, revoked_at is not null as revoked from links where drop_id = $1 order by position',
    [dropId],
  );
const readActions = async (dropId: string) =>
  (
    await query<{ action: string }>(
      `select action from audit_entries where details ->> 'dropId' = $1 and author_kind = 'person' order by at`,
      [dropId],
    )
  ).map(({ action }) => action);

describe('the page of a delivery', () => {
  test('shows how far each receiver has come, why a mail failed, and who has which file', async () => {
    const { browser, page, dropId, account } = await openDrop('r@example.org', 's@example.org');
    await query(
      `update links set undeliverable_at = now(), undeliverable_reason = '550 5.1.1 User unknown'
       where drop_id = $1 and position = 1`,
      [dropId],
    );
    await query('update links set notified_at = now(), opened_at = now() where drop_id = $1 and position = 0', [
      dropId,
    ]);
    await query(
      `insert into deliveries (account_id, drop_id, position, file_id, delivered, completed_at)
       select account_id, drop_id, 0, id, case name when 'a.txt' then '{[0,16)}' else '{[0,4)}' end::int8multirange,
         case name when 'a.txt' then now() end from files where drop_id = $1`,
      [dropId],
    );
    const { statusCode, body } = await browser.get(page);
    expect(statusCode).toBe(200);
    expect(body).toContain('2 files for');
    expect(body).toContain('There is no mailbox with this address.');
    expect(body).toContain('550 5.1.1 User unknown');
    expect(body).toContain('0 of 2 have everything');
    expect(body).toMatch(/holders-all.*r@example\.org/);
    expect(body).toContain('25 %');
    expect(body.replaceAll('<wbr/>', '')).toMatch(/r@example\.org.{0,2} opened the page/);
    expect(body).toContain(`Sent by `);
    expect(body).toContain(account.email);
    for (const id of ['delivery-receivers', 'delivery-files']) expect(body).toContain(`id="${id}"`);
  });

  test('says that a mail is tried again, and quotes the mail server only if it said something about the mail', async () => {
    const { browser, page, dropId } = await openDrop('r@example.org', 's@example.org');
    await query(
      `update messages set attempts = 1, outcome = case position
         when 0 then 'mails cannot be sent at the moment: connect ECONNREFUSED 10.0.0.7:25' else '451 greylisted' end
       where drop_id = $1`,
      [dropId],
    );
    const { body } = await browser.get(page);
    expect(body.match(/The mail could not be sent yet\. It is tried again\./g)).toHaveLength(2);
    expect(body.match(/The mail server said:/g)).toHaveLength(1);
    expect(body).toContain('451 greylisted');
    expect(body).not.toContain('ECONNREFUSED');
  });

  test('is not found for another account, nor by a wrong id', async () => {
    const { dropId } = await openDrop();
    const { browser, base } = await openDrop();
    for (const path of [dropId, 'x', `${dropId}/history.csv`]) {
      expect((await browser.get(`${base}sent/${path}`)).statusCode, path).toBe(404);
    }
    for (const name of [
      'remind',
      'resend',
      'extend',
      'revoke',
      'restore',
      'receivers',
      'link',
      'receivers/0/resend',
      'receivers/0/correct',
    ]) {
      const fields = { email: 'x@example.org', days: '14' };
      expect((await browser.post(`${base}sent/${dropId}/${name}`, fields)).statusCode, name).toBe(404);
    }
    expect(await readActions(dropId)).toEqual([]);
  });

  test('lets a reader see everything and change nothing', async () => {
    const { dropId, account, page } = await openDrop();
    const { browser } = await signInMember(exchange, app, 'reader', account);
    const { body } = await browser.get(`${page}?do=revoke`);
    expect(body).toContain('r@example.org');
    expect(body).not.toContain('formaction');
    expect(body).not.toContain('id="do"');
    for (const name of ['remind', 'resend', 'extend', 'revoke', 'restore', 'receivers', 'link']) {
      expect((await browser.post(`${page}/${name}`)).statusCode, name).toBe(403);
    }
    expect(await readActions(dropId)).toEqual([]);
  });

  test('says that it was sent, right after that', async () => {
    const { browser, page } = await openDrop('r@example.org', 's@example.org');
    expect((await browser.get(`${page}?sent=1`)).body).toContain('Sent to 2 people');
    expect((await browser.get(page)).body).not.toContain('Sent to 2 people');
  });

  test('groups many receivers, those who need somebody open, and leads to all of a group', async () => {
    const many = Array.from({ length: 120 }, (_, index) => `r${index}@example.org`);
    const { browser, page, dropId } = await openDrop(...many);
    const mark = (column: string, from: number, to: number) =>
      query(`update links set ${column} = now() where drop_id = $1 and position between $2 and $3`, [dropId, from, to]);
    await mark('undeliverable_at', 110, 110);
    await mark('opened_at', 20, 99);
    await mark('completed_at', 30, 99);
    const { body } = await browser.get(page);
    const groups = [
      ...body.matchAll(/<details class="receiver-group" id="receivers-(\w+)"( open)?>.*?<strong>(\d+)/gs),
    ];
    expect(groups.map(([, name, open, count]) => [name, open !== undefined, Number(count)])).toEqual([
      ['trouble', true, 1],
      ['waiting', false, 39],
      ['opened', false, 10],
      ['complete', false, 70],
    ]);
    expect(body.match(/class="person"/g), 'ten of each group').toHaveLength(1 + 10 + 10 + 10);
    expect(body).toContain('r110@example.org');
    const complete = body.slice(body.indexOf('id="receivers-complete"'));
    const next = /href="([^"]*)" rel="next"/.exec(complete)?.[1] ?? '';
    const second = await browser.get(next.replaceAll('&amp;', '&'));
    expect(second.body).toMatch(/id="receivers-complete" open/);
    expect(second.body).toContain('11–60 of 70');
    expect(second.body).toContain('rel="prev"');
  });

  test('says once who has everything, and shows one folder of many files at a time, in the order that people count', async () => {
    const { browser, page, dropId } = await openDrop('r@example.org', 's@example.org', 't@example.org');
    await copyFileRows(
      exchange,
      `with added as (select account_id, id from drops where id = $1), numbers as (select generate_series(1, 200) as n)
       select (jsonb_populate_record(files, jsonb_build_object('id', gen_random_uuid(), 'name', n || '.txt',
         'path', case when n <= 60 then 'Plans/' || n || '.txt' else 'Photos/' || n % 3 || '/' || n || '.txt' end))).*
       from files, numbers, added where files.drop_id = added.id and files.name = 'a.txt'`,
      [dropId],
    );
    const { body } = await browser.get(page);
    const list = body.slice(body.indexOf('id="delivery-files"'));
    expect(list).toContain('202 files');
    expect(list).toContain('Nobody has any of them yet.');
    expect(list).not.toContain('Nobody yet');
    expect(list.match(/<li class="file"/g)).toHaveLength(2);
    const folders = [
      ...list.matchAll(/class="folder folder-link" href="([^"]+)".*?<bdi>([^<]+)<\/bdi>.*?(\d+) files/gs),
    ];
    expect(folders.map(([, , name, count]) => [name, count])).toEqual([
      ['Photos', '140'],
      ['Plans', '60'],
    ]);
    const inside = async (href: string | undefined) => (await browser.get((href ?? '').replaceAll('&amp;', '&'))).body;
    const plans = await inside(folders[1]?.[1]);
    const names = (html: string) => [...html.matchAll(/<li class="file".*?title="([^"]+)"/gs)].map(([, name]) => name);
    expect(names(plans)).toEqual(Array.from({ length: 50 }, (_, index) => `${index + 1}.txt`));
    const rest = await inside(/href="([^"]*)" rel="next"/.exec(plans)?.[1]);
    expect(names(rest)).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 51}.txt`));
    const photos = await inside(folders[0]?.[1]);
    expect(names(photos)).toEqual([]);
    expect(photos.match(/class="folder folder-link"/g)).toHaveLength(3);
    expect((await browser.get(`${page}?folder=nonsense`)).body).toContain('class="folder folder-link"');
  });
});

describe('a change of a delivery', () => {
  test('reminds, and resends to one or to all', async () => {
    const { browser, page, dropId } = await openDrop('r@example.org', 's@example.org');
    expect((await browser.post(`${page}/remind`)).headers.location).toBe(`${page}?notice=reminded&count=2`);
    expect((await browser.post(`${page}/resend`)).headers.location).toBe(`${page}?notice=resent&count=2`);
    const one = await browser.post(`${page}/receivers/1/resend`);
    expect(one.headers.location).toBe(`${page}?notice=resent&count=1`);
    expect(await readActions(dropId)).toEqual(['drop.reminded', 'drop.resent', 'drop.resent']);
    const { body } = await browser.get(one.headers.location as string);
    expect(body).toContain('The e‑mail is sent again to 1 person.');
    expect(body.replaceAll('<wbr/>', '')).toMatch(/The e‑mail to .{0,2}s@example\.org.{0,2} was sent again/);
    expect(body).toContain('2 people were reminded');
  });

  test('adds a receiver, or says at the field why not', async () => {
    const { browser, page, dropId } = await openDrop();
    expect((await browser.get(`${page}?do=add`)).body).toContain('Send this to somebody else too');
    const wrong = await browser.post(`${page}/receivers`, { receiver: 'nobody' });
    expect(wrong.statusCode).toBe(400);
    expect(wrong.body).toContain('This is not an e‑mail address.');
    expect(wrong.body).toContain('>nobody</textarea>');
    expect((await browser.post(`${page}/receivers`, { receiver: 'R@example.org' })).body).toContain(
      'This address has a link already.',
    );
    const added = await browser.post(`${page}/receivers`, { receiver: 'Nia <new@example.org>' });
    expect(added.headers.location).toBe(`${page}?notice=added&count=1`);
    expect(await readLinks(dropId)).toEqual([
      { email: 'r@example.org', revoked: false },
      { email: 'new@example.org', revoked: false },
    ]);
  });

  test('corrects an address: the old link ends, the new one is sent', async () => {
    const { browser, page, dropId } = await openDrop('wrong@example.org');
    expect((await browser.get(`${page}?do=correct&receiver=0`)).body).toContain('value="wrong@example.org"');
    const { headers } = await browser.post(`${page}/receivers/0/correct`, { email: 'right@example.org' });
    expect(headers.location).toBe(`${page}?notice=corrected`);
    expect(await readLinks(dropId)).toEqual([
      { email: 'wrong@example.org', revoked: true },
      { email: 'right@example.org', revoked: false },
    ]);
    expect((await browser.get(page)).body).toContain('0 of 1 have everything');
  });

  test('extends it by days or to a day', async () => {
    const { browser, page, dropId } = await openDrop();
    expect((await browser.get(`${page}?do=extend`)).body).toContain('value="14"');
    const refused = await browser.post(`${page}/extend`, { days: '', date: '2020-01-01' });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('Choose a day after the present deadline');
    const day = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
    expect((await browser.post(`${page}/extend`, { days: '', date: day })).headers.location).toBe(
      `${page}?notice=extended&count=1`,
    );
    const [drop] = await query<{ expires_at: Date }>('select expires_at from drops where id = $1', [dropId]);
    expect(drop?.expires_at.toISOString()).toContain(day);
    const last = new Date(Date.now() + 30 * 86_400_000 - 1000).toISOString().slice(0, 10);
    expect((await browser.post(`${page}/extend`, { date: last })).statusCode, 'the last day that is allowed').toBe(303);
  });

  test('revokes the link of one receiver for good', async () => {
    const { browser, page, dropId } = await openDrop('r@example.org', 's@example.org');
    const asked = await browser.get(`${page}?do=revoke&receiver=1`);
    expect(asked.body).toContain('This cannot be undone.');
    const { headers } = await browser.post(`${page}/revoke`, { receiver: '1' });
    expect(headers.location).toBe(`${page}?notice=receiverStopped`);
    expect((await readLinks(dropId)).map(({ revoked }) => revoked)).toEqual([false, true]);
  });

  test('revokes it for everyone, which can be undone until the files are deleted', async () => {
    const { browser, page, dropId, account, base } = await openDrop();
    const token = await deriveToken(exchange, account, dropId, 0);
    const receiver = new AppBrowser(app, engines.policy.publicUrl);
    const visit = async () => (await receiver.get(`/d/${token}`)).statusCode;
    expect(await visit()).toBe(200);
    const asked = await browser.get(`${page}?do=revoke`);
    expect(asked.body).toContain('You can undo this for 10 minutes.');
    expect(asked.body).toContain('After that, 2 files are deleted from this server.');
    const revoked = await browser.post(`${page}/revoke`);
    expect(revoked.headers.location).toBe(`${page}?notice=revoked&count=1&undo=${dropId}`);
    expect(await visit()).toBe(410);
    expect((await browser.get(page)).body).toContain('You can undo this until');
    expect((await browser.get(`${base}sent`)).body).toContain('Undo the revocation');

    expect((await browser.post(`${page}/restore`)).headers.location).toBe(`${page}?notice=restored&count=1`);
    expect(await visit()).toBe(200);

    await browser.post(`${page}/revoke`);
    await query('update drops set restorable_until = now() where id = $1', [dropId]);
    await sweep(engines);
    expect((await browser.post(`${page}/restore`)).headers.location).toBe(`${page}?notice=tooLate`);
    expect(await visit()).toBe(410);
    expect((await browser.get(page)).body).not.toContain('You can undo this until');
    expect(await readActions(dropId)).toEqual(['drop.revoked', 'drop.restored', 'drop.revoked']);
    const ended = await browser.post(`${page}/extend`, { days: '14' });
    expect(ended.body).toContain('It has ended meanwhile');
  });
});

describe('the link of a receiver', () => {
  test('is shown only when asked for, and then stands in the history and in the receipt', async () => {
    const { browser, page, dropId, account, person } = await openDrop('r@example.org', 's@example.org');
    const link = `${engines.policy.publicUrl}/d/${await deriveToken(exchange, account, dropId, 1)}`;
    const asked = await browser.get(`${page}?do=link&receiver=1`);
    expect(asked.body).toContain('That you saw it is recorded');
    expect(asked.body).not.toContain(link);
    const shown = await browser.post(`${page}/link`, { receiver: '1' });
    expect(shown.statusCode).toBe(200);
    expect(shown.body).toContain(link);
    expect(shown.headers['cache-control']).toContain('no-store');
    const { body } = await browser.get(page);
    expect(body).not.toContain(link);
    expect(body.replaceAll('<wbr/>', '')).toMatch(/The link of .{0,2}s@example\.org.{0,2} was shown/);
    expect(await readActions(dropId)).toEqual(['link.shown']);

    const mails: { text: string }[] = [];
    const messageId = engines.random.uuid();
    const about = { kind: 'receipt', channel: 'mail', dropId, position: 1, receiver: account.email } as const;
    await engines.store.outbox.enqueue(account.accountId, { id: messageId, ...about });
    const mailer = {
      async send(mail: { text: string }) {
        mails.push(mail);
        return { accepted: true };
      },
    };
    await sendMessage({ ...engines, mailer } as never, account.accountId, messageId);
    expect(mails[0]?.text).toContain(person.email);
  });

  test('is shown for everyone at once, where no mails were sent', async () => {
    const { browser, page, dropId, account } = await openDrop('r@example.org', 's@example.org');
    await query('update drops set notify = false where id = $1', [dropId]);
    expect((await browser.get(`${page}?sent=1`)).body).toContain('The links are ready');
    const { body } = await browser.post(`${page}/link`);
    for (const position of [0, 1]) expect(body).toContain(await deriveToken(exchange, account, dropId, position));
    expect((await browser.get(page)).body).toContain('The links of 2 people were shown');
  });

  test('can be copied by one press where no mails were sent, and is recorded as if it was shown', async () => {
    const { browser, page, dropId, account } = await openDrop('r@example.org');
    await query('update drops set notify = false where id = $1', [dropId]);
    const link = `${engines.policy.publicUrl}/d/${await deriveToken(exchange, account, dropId, 0)}`;
    const sent = await browser.get(`${page}?sent=1`);
    expect(sent.body).toContain('The link is ready');
    expect(sent.body).toMatch(/<button[^>]*data-copies-link/);
    expect(sent.body).not.toContain(link);

    const copied = await browser.post(`${page}/link`, { receiver: '0' }, { accept: 'application/json' });
    expect(copied.json()).toEqual({ links: [link] });
    expect(copied.headers['cache-control']).toContain('no-store');
    expect(await readActions(dropId)).toEqual(['link.shown']);
    // Without a script, the same button shows the link, also as a QR code.
    const shown = await browser.post(`${page}/link`, { receiver: '0' });
    expect(shown.body).toContain(link);
    expect(shown.body).toMatch(/<svg class="qr-code"[^>]* aria-label="The link of/);
  });

  test('of a delivery without mails was created, and is not delivered', async () => {
    const { browser, page, dropId } = await openDrop('r@example.org');
    const read = async () => /<ol class="timeline.*?<\/ol>/s.exec((await browser.get(page)).body)?.[0];
    expect(await read()).toContain('Delivered');
    await query('update drops set notify = false where id = $1', [dropId]);
    const timeline = await read();
    expect([...(timeline ?? '').matchAll(/class="step-name">([^<]+)/g)].map(([, step]) => step)).toEqual([
      'Link created',
      'Opened',
      'Downloaded',
    ]);
  });

  test('is not shown if the account’s rules forbid it', async () => {
    const { browser, page, dropId, account } = await openDrop();
    await engines.store.accounts.setChoices(account.accountId, { showLinks: false });
    expect((await browser.get(page)).body).not.toContain('Show the link');
    expect((await browser.post(`${page}/link`)).statusCode).toBe(403);
    const asked = await browser.post(`${page}/link`, { receiver: '0' }, { accept: 'application/json' });
    expect([asked.statusCode, asked.body.includes('/d/')]).toEqual([403, false]);
    expect(await readActions(dropId)).toEqual([]);
  });
});

test('the history can be exported', async () => {
  const { browser, page, person } = await openDrop('r@example.org', 's@example.org');
  await browser.post(`${page}/remind`);
  const { headers, body } = await browser.get(`${page}/history.csv`);
  expect(headers['content-disposition']).toMatch(/filename=WB-/);
  expect(
    body
      .trim()
      .split('\r\n')
      .map((line) => line.split(',')[1]),
  ).toEqual(['"kind"', '"remindedSome"', '"sent"']);
  expect(body).toContain(`,"Maya","${person.email}"\r\n`);
});

test('the history names people, with their addresses', async () => {
  const { browser, page, person } = await openDrop('r@example.org', 's@example.org');
  await browser.post(`${page}/remind`);
  const readLog = async () =>
    /<ol class="log">.*?<\/ol>/s.exec((await browser.get(page)).body)?.[0].replaceAll('<wbr/>', '');
  const named = await readLog();
  expect(named).toContain('>by Maya<');
  expect(named).toContain(`<bdi>${person.email}</bdi>`);
  await query(`update people set name = '' where id = $1`, [person.id]);
  const unnamed = await readLog();
  expect(unnamed).toContain(`>by ${person.email}<`);
  expect(unnamed).not.toContain(`<bdi>${person.email}</bdi>`);
});
