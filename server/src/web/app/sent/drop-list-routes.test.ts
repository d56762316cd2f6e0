import { describe, expect, test } from 'vitest';
import { sentLink } from '../../../../test/links.ts';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { sweep } from '../../../domain/sweep.ts';

const { exchange, app } = await useTestServer();
const { query } = exchange.database;

async function openAccount(...contacts: string[]) {
  const account = await exchange.account('r@example.org', 's@example.org', ...contacts);
  const member = await signInMember(exchange, app, 'member', account);
  const send = (...receivers: string[]) =>
    exchange.drop(account, receivers.length === 0 ? ['r@example.org'] : receivers, ['a.txt', 'b.txt']);
  return { ...member, send, sent: `${member.base}sent` };
}

const setLink = (dropId: string, set: string) => query(`update links set ${set} where drop_id = $1`, [dropId]);
const listed = (body: string) =>
  [...body.matchAll(/class="row-link"[^>]*href="[^"]*\/sent\/([0-9a-f-]+)"/g)].map(([, id]) => id);

describe('the list', () => {
  test('shows how far each delivery has come, newest first', async () => {
    const { browser, sent, send } = await openAccount();
    const first = await send();
    const second = await send('r@example.org', 's@example.org');
    await setLink(first, 'opened_at = now(), completed_at = now(), notified_at = now()');
    await setLink(second, 'notified_at = now()');
    const { statusCode, body } = await browser.get(sent);
    expect(statusCode).toBe(200);
    expect(listed(body)).toEqual([second, first]);
    expect(body).toContain('2 files, 32 bytes');
    expect(body).toContain('and 1 other person');
    expect([...body.matchAll(/class="route-text">([^<]*)/g)].map(([, text]) => text)).toEqual([
      'Delivered',
      'Downloaded',
    ]);
  });

  test('is divided into what needs somebody, what is under way and what is done', async () => {
    const { browser, sent, send } = await openAccount();
    const bounced = await send();
    const waiting = await send();
    const done = await send();
    await setLink(bounced, "undeliverable_at = now(), undeliverable_reason = '550 5.1.1 unknown'");
    await setLink(done, 'completed_at = now()');
    const read = async (part: string) => listed((await browser.get(`${sent}?part=${part}`)).body);
    expect(await read('attention')).toEqual([bounced]);
    expect(await read('underway')).toEqual([waiting, bounced]);
    expect(await read('done')).toEqual([done]);
    expect(await read('nonsense')).toEqual([done, waiting, bounced]);
    expect(await read('underway&sort=until')).toEqual([bounced, waiting]);
  });

  test('tells what people sent from what programs sent', async () => {
    const { browser, sent, send, person } = await openAccount();
    const byProgram = await send();
    const byPerson = await send();
    await query('update drops set sent_by = $1 where id = $2', [person.id, byPerson]);
    const read = async (by: string) => listed((await browser.get(`${sent}?by=${by}`)).body);
    expect(await read('me')).toEqual([byPerson]);
    expect(await read('programs')).toEqual([byProgram]);
  });

  test('has pages in both directions, in either order', async () => {
    const { browser, sent, send, account } = await openAccount();
    const template = await send();
    await query(
      `insert into drops select (jsonb_populate_record(drops, jsonb_build_object(
         'id', gen_random_uuid(), 'expires_at', drops.expires_at + number * interval '1 minute'))).*
       from drops, generate_series(1, 120) as number where id = $1`,
      [template],
    );
    await query(
      `insert into links select (jsonb_populate_record(links, jsonb_build_object(
         'drop_id', drops.id, 'token_digest', '\\x' || encode(sha256(drops.id::text::bytea), 'hex')))).*
       from links, drops where links.drop_id = $1 and drops.account_id = $2 and drops.id <> $1`,
      [template, account.accountId],
    );
    for (const start of [sent, `${sent}?part=underway&sort=until`]) {
      const seen: (string | undefined)[][] = [];
      let next: string | undefined = start;
      let body = '';
      while (next !== undefined) {
        ({ body } = await browser.get(next));
        seen.push(listed(body));
        next = /href="([^"]*)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
      }
      expect(seen.map(({ length }) => length)).toEqual([50, 50, 21]);
      expect(new Set(seen.flat()).size).toBe(121);
      const before = /href="([^"]*)" rel="prev"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';
      expect(listed((await browser.get(before)).body)).toEqual(seen[1]);
    }
  });

  test('finds a delivery by a part of its receiver, and one of its files', async () => {
    const { browser, sent, send } = await openAccount();
    const found = await send('s@example.org');
    await send();
    expect(listed((await browser.get(`${sent}?q=S%40exam`)).body)).toEqual([found]);
    expect(listed((await browser.get(`${sent}?q=b.tx`)).body)).toHaveLength(2);
    expect((await browser.get(`${sent}?q=nothing+like+this`)).body).toContain('Nothing matches');
  });

  test('can be read by a reader, who can change nothing', async () => {
    const { account, send, sent } = await openAccount();
    const dropId = await send();
    const { browser } = await signInMember(exchange, app, 'reader', account);
    const { body } = await browser.get(sent);
    expect(listed(body)).toEqual([dropId]);
    expect(body).not.toContain('type="checkbox"');
    for (const action of ['remind', 'extend', 'revoke', 'restore']) {
      expect((await browser.post(`${sent}/${action}`, { id: dropId })).statusCode, action).toBe(403);
      expect((await browser.post(`${sent}/${dropId}/${action}`)).statusCode, action).toBe(403);
    }
  });
});

describe('a selection', () => {
  test('is reminded, and the result returns to the same part of the list', async () => {
    const { browser, sent, send } = await openAccount();
    const dropId = await send('r@example.org', 's@example.org');
    await browser.get(sent);
    const { statusCode, headers } = await browser.post(`${sent}/remind`, { id: dropId, back: '?part=underway' });
    expect(statusCode).toBe(303);
    expect(headers.location).toBe(`${sent}?part=underway&notice=reminded&count=2`);
    expect((await browser.get(headers.location as string)).body).toContain('2 people are reminded.');
    const reminders = await query(
      "select author_kind, details from audit_entries where action = 'drop.reminded' and details ->> 'dropId' = $1",
      [dropId],
    );
    expect(reminders).toEqual([{ author_kind: 'person', details: { dropId, receivers: 2 } }]);
  });

  test('is revoked after one question, and can be undone in time', async () => {
    const { browser, sent, send } = await openAccount();
    const dropId = await send();
    const other = await (await openAccount()).send();
    await browser.get(sent);
    const asked = await browser.post(`${sent}/revoke`, { id: dropId });
    expect(asked.statusCode).toBe(200);
    expect(asked.body).toContain('Revoke 1 delivery?');
    expect(asked.body).toContain('You can undo this for 10 minutes.');
    const readState = async (id: string) =>
      (await query<{ revoked: boolean }>('select revoked_at is not null as revoked from drops where id = $1', [id]))[0]
        ?.revoked;
    expect(await readState(dropId)).toBe(false);

    const ids = { ids: `${dropId},${other}` };
    const revoked = await browser.post(`${sent}/revoke`, { ...ids, confirmed: '1' });
    expect(revoked.headers.location).toBe(`${sent}?notice=revoked&count=1&unchanged=1&undo=${dropId}`);
    expect(await readState(dropId)).toBe(true);
    expect(await readState(other), 'of another account').toBe(false);
    expect((await browser.get(revoked.headers.location as string)).body).toContain('>Undo</button>');

    const undone = await browser.post(`${sent}/restore`, { ids: dropId });
    expect(undone.headers.location).toBe(`${sent}?notice=restored&count=1`);
    expect(await readState(dropId)).toBe(false);

    await browser.post(`${sent}/revoke`, { id: dropId, confirmed: '1' });
    await query('update drops set restorable_until = now() where id = $1', [dropId]);
    await sweep(exchange.engines);
    const late = await browser.post(`${sent}/restore`, { ids: dropId });
    expect(late.headers.location).toBe(`${sent}?notice=tooLate`);
    expect(await readState(dropId)).toBe(true);
  });

  test('is extended to a chosen day; what ends later stays as it is', async () => {
    const { browser, sent, send } = await openAccount();
    const dropId = await send();
    await browser.get(sent);
    const asked = await browser.post(`${sent}/extend`, { id: dropId });
    expect(asked.body).toContain('Extend 1 delivery');
    expect(asked.body).toContain('value="14"');
    expect((await browser.post(`${sent}/extend`, { id: dropId, confirmed: '1', date: 'soon' })).statusCode).toBe(400);
    const extended = await browser.post(`${sent}/extend`, { id: dropId, confirmed: '1', days: '14' });
    expect(extended.headers.location).toBe(`${sent}?notice=extended&count=1`);
    const again = await browser.post(`${sent}/extend`, { id: dropId, confirmed: '1', days: '7' });
    expect(again.headers.location).toBe(`${sent}?notice=notLater`);
  });

  test('of nothing says so', async () => {
    const { browser, sent } = await openAccount();
    for (const action of ['remind', 'extend', 'revoke']) {
      const { headers } = await browser.post(`${sent}/${action}`, { id: 'x' });
      expect(headers.location).toBe(`${sent}?notice=noneSelected`);
    }
  });
});

describe('the export', () => {
  test('is a table of what the filter shows, whose cells are no formulas', async () => {
    const { browser, sent, send } = await openAccount();
    const first = await send();
    await send();
    await setLink(first, `name = '=HYPERLINK("x")', completed_at = now()`);
    const { headers, body } = await browser.get(`${sent}.csv?part=done`);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toBe('attachment; filename=sent.csv');
    const lines = body.trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(first);
    expect(lines[1]).toContain(`"'=HYPERLINK(""x"")"`);
  });

  test('has every row of a long list once', async () => {
    const { browser, sent, send, account } = await openAccount();
    const template = await send();
    await query(
      `insert into drops select (jsonb_populate_record(drops, jsonb_build_object('id', gen_random_uuid()))).*
       from drops, generate_series(1, 250) where id = $1`,
      [template],
    );
    await query(
      `insert into links select (jsonb_populate_record(links, jsonb_build_object(
         'drop_id', drops.id, 'token_digest', '\\x' || encode(sha256(drops.id::text::bytea), 'hex')))).*
       from links, drops where links.drop_id = $1 and drops.account_id = $2 and drops.id <> $1`,
      [template, account.accountId],
    );
    const { body } = await browser.get(`${sent}.csv`);
    const ids = body
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.slice(1, 37));
    expect(ids).toHaveLength(251);
    expect(new Set(ids).size).toBe(251);
  });
});

test('a delivery of another account is not in the list', async () => {
  const { browser, sent } = await openAccount();
  const { dropId } = await sentLink(exchange, ['a.txt']);
  expect((await browser.get(sent)).body).not.toContain(dropId);
});
