import { randomInt, randomUUID } from 'node:crypto';
import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { type TestExchange, useTestExchange } from '../../../test/exchange.ts';
import { openRequestLink } from '../../../test/file-requests.ts';
import { deriveToken, sentLink } from '../../../test/links.ts';
import { setReceivers } from '../drafts/change-draft.ts';
import { dispatchDraft } from '../drops/dispatch-draft.ts';
import { sendMessage } from '../outbox/send-message.ts';
import type { SecondFactor } from '../policy.ts';
import type { Mail, SmsGateway } from '../ports/mailer.ts';
import { findLink, findSession } from './find-link.ts';
import { deriveCode, issueCode, mayIssueCode } from './issue-code.ts';
import type { Link, LinkSession } from './link-store.ts';
import { tokenDigest } from './link-token.ts';
import { openLink, passCode } from './open-link.ts';
import { codeTarget, findPendingStep } from './second-factor.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;
/** As set up by an operator who requires a code by mail from everyone. */
const strict: TestExchange['engines'] = { ...engines, policy: { ...engines.policy, secondFactor: 'mail' } };

const gateway: SmsGateway = { send: async () => ({ outcome: 'sent', response: '202' }) };

/** A browser in which the link was opened, and the code that was sent for it, if any. */
async function openTestLink(link: Link) {
  const secret = await openLink(strict, link);
  const session = () => findSession(engines, secret, link.type);
  return { secret, session, code: () => codeOfSession(secret, link), digest: tokenDigest(secret) };
}
/** The code that is in the mail. */
async function codeOfSession(secret: string, link: Link): Promise<string> {
  const [row] = await query<{ code_id: string }>('select code_id from link_sessions where digest = $1', [
    tokenDigest(secret),
  ]);
  const key = await engines.store.links.key(link);
  if (!row?.code_id || !key) throw new Error('no code');
  return deriveCode(await engines.dayKeys.unwrap(key.wrapped, key.day, link.dropId), row.code_id);
}
const another = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const issue = (link: Link, digest: Buffer) => issueCode(strict, link, digest);
const readCodes = (link: Link) =>
  query<{ channel: string; receiver: string }>(
    "select channel, receiver from messages where drop_id = $1 and kind = 'code'",
    [link.dropId],
  );
const age = (digest: Buffer, interval: string) =>
  query('update link_sessions set code_expires_at = code_expires_at - $2::interval where digest = $1', [
    digest,
    interval,
  ]);

propertyTest.prop([fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uuid()])(
  'a code is six digits, the same for the same message, of the same key only',
  (key, id) => {
    const code = deriveCode(Buffer.from(key), id);
    expect(code).toMatch(/^\d{6}$/);
    expect(deriveCode(Buffer.from(key), id)).toBe(code);
  },
);

test('codes are as good as random', () => {
  const codes = Array.from({ length: 2000 }, () => deriveCode(Buffer.alloc(32, 1), randomUUID()));
  expect(new Set(codes).size).toBeGreaterThan(1980);
  for (let digit = 0; digit < 10; digit += 1) {
    expect(codes.filter((code) => code.startsWith(`${digit}`)).length).toBeGreaterThan(100);
  }
});

describe('where a code goes', () => {
  const link = (changes: Partial<Link>) =>
    ({ receiver: 'r@example.org', phone: '', secondFactor: null, secondFactorRule: null, ...changes }) as Link;
  const target = (server: SecondFactor, account: SecondFactor | null, number: string, sms: SmsGateway | undefined) =>
    codeTarget(
      { policy: { ...engines.policy, secondFactor: server }, sms },
      link({ secondFactorRule: account, phone: number }),
    );
  const mail = { channel: 'mail', to: 'r@example.org' };
  const text = { channel: 'sms', to: '46701234567' };

  test.each<[SecondFactor, SecondFactor | null, object | undefined]>([
    ['off', null, undefined],
    ['off', 'off', undefined],
    ['off', 'mail', mail],
    ['off', 'sms', text],
    ['mail', null, mail],
    ['mail', 'off', undefined],
    ['mail', 'sms', text],
    ['sms', null, text],
    ['sms', 'off', undefined],
    ['sms', 'mail', mail],
  ])('when the server says %s and the account %s', (server, account, expected) => {
    expect(target(server, account, '46701234567', gateway)).toEqual(expected);
  });

  test('is by mail when there is no phone number, or no gateway', () => {
    expect(target('sms', null, '', gateway)).toEqual(mail);
    expect(target('off', 'sms', '', gateway)).toEqual(mail);
    expect(target('sms', null, '46701234567', undefined)).toEqual(mail);
  });

  test('follows the account’s choice, also after the link was sent', async () => {
    const { sender, token } = await sentLink(exchange, ['a.txt']);
    const choose = async (secondFactor: SecondFactor | null) => {
      await engines.store.accounts.setChoices(sender.accountId, { secondFactor });
      return codeTarget(strict, await findLink(engines, token, 'downloadfiles'))?.channel;
    };
    expect(await choose('off')).toBeUndefined();
    expect(await choose('mail')).toBe('mail');
    expect(await choose(null)).toBe('mail');
    expect(await engines.store.accounts.byId(sender.accountId)).toMatchObject({ receipts: true, reminders: true });
  });

  test.each<[SecondFactor | null, SecondFactor | null, SecondFactor, string | undefined]>([
    ['off', 'off', 'off', undefined],
    ['off', 'mail', 'off', 'mail'],
    ['mail', 'off', 'off', 'mail'],
    ['off', null, 'mail', 'mail'],
    [null, null, 'off', undefined],
  ])(
    'is the stronger of the drop’s %s and the rule that applies now: account %s, server %s',
    async (choice, rule, server, expected) => {
      const { sender, token, dropId } = await sentLink(exchange, ['a.txt']);
      await query('update drops set second_factor = $2 where id = $1', [dropId, choice]);
      await engines.store.accounts.setChoices(sender.accountId, { secondFactor: rule });
      const asked = { ...engines, policy: { ...engines.policy, secondFactor: server } };
      expect(codeTarget(asked, await findLink(engines, token, 'downloadfiles'))?.channel).toBe(expected);
    },
  );

  test('holds for a browser that is open already, when the rule becomes stricter', async () => {
    const { sender, link: sent, dropId } = await sentLink(exchange, ['a.txt']);
    await query("update drops set second_factor = 'off' where id = $1", [dropId]);
    const secret = await openLink(engines, sent);
    const mayEnter = async () => !findPendingStep(engines, await findSession(engines, secret, 'downloadfiles'));
    expect(await mayEnter()).toBe(true);
    await engines.store.accounts.setChoices(sender.accountId, { secondFactor: 'mail' });
    expect(await mayEnter()).toBe(false);
  });

  test('is another account’s choice for nobody else', async () => {
    const [one, other] = [await sentLink(exchange, ['a.txt']), await sentLink(exchange, ['a.txt'])];
    await engines.store.accounts.setChoices(one.sender.accountId, { secondFactor: 'mail' });
    expect(codeTarget(engines, await findLink(engines, one.token, 'downloadfiles'))).toEqual(mail);
    expect(codeTarget(engines, await findLink(engines, other.token, 'downloadfiles'))).toBeUndefined();
  });
});

describe('opening a link', () => {
  test('sends no code where none is asked for, and is enough', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const session = await findSession(engines, await openLink(engines, link), 'downloadfiles');
    expect(session).toMatchObject({ passed: null, code: undefined });
    expect([findPendingStep(engines, session), await readCodes(link)]).toEqual([undefined, []]);
  });

  test('sends a code where one is asked for, and is not enough', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const session = await (await openTestLink(link)).session();
    expect(session).toMatchObject({ passed: null, code: { tries: 0, expired: false } });
    expect(findPendingStep(strict, session)).toBe('code');
    expect(await readCodes(link)).toEqual([{ channel: 'mail', receiver: 'r@example.org' }]);
  });

  test('sends it to the phone number of the receiver, where there is one and a gateway', async () => {
    const actor = await exchange.account('r@example.org');
    await exchange.prepare(actor, ['r@example.org'], ['a.txt']);
    await setReceivers(engines, actor, '', [{ email: 'r@example.org', phone: '46701112233' }]);
    await dispatchDraft(engines, actor, { draft: '', parameters: {} }, 'downloadfiles');
    const [drop] = await query<{ id: string }>('select id from drops where account_id = $1', [actor.accountId]);
    const link = await findLink(engines, await deriveToken(exchange, actor, drop?.id as string, 0), 'downloadfiles');
    const bySms = { ...engines, sms: gateway, policy: { ...engines.policy, secondFactor: 'sms' as const } };
    await openLink(bySms, link);
    expect(await readCodes(link)).toEqual([{ channel: 'sms', receiver: '46701112233' }]);
  });

  test('asks it of a link to upload too', async () => {
    const { link } = await openRequestLink(exchange);
    const browser = await openTestLink(link);
    expect(findPendingStep(strict, await browser.session())).toBe('code');
    expect(await passCode(engines, await browser.session(), await browser.code())).toBe(true);
    expect(findPendingStep(strict, await browser.session())).toBe(undefined);
  });
});

describe('the right code', () => {
  const passedAt = async ({ dropId }: Link) =>
    (await query<{ passed_at: Date | null }>('select passed_at from links where drop_id = $1', [dropId]))[0]?.passed_at;

  test('lets the browser pass, as it is in the mail', async () => {
    const { sender, link } = await sentLink(exchange, ['a.txt']);
    const browser = await openTestLink(link);
    const [message] = await query<{ id: string }>("select id from messages where drop_id = $1 and kind = 'code'", [
      link.dropId,
    ]);
    const sent: Mail[] = [];
    const mailer = { send: async (mail: Mail) => ({ outcome: 'sent' as const, response: `${sent.push(mail)}` }) };
    await sendMessage({ ...engines, mailer }, sender.accountId, message?.id as string);
    expect(sent).toMatchObject([{ to: 'r@example.org' }]);
    const code = /^\s*(\d{3}\s?\d{3})\s*$/m.exec(sent[0]?.text ?? '')?.[1] as string;
    expect(sent[0]?.subject).toContain(code);
    expect(await passedAt(link)).toBeNull();
    expect(await passCode(engines, await browser.session(), code)).toBe(true);
    expect(await browser.session()).toMatchObject({ passed: 'mail', code: undefined });
    expect(await passedAt(link)).toBeInstanceOf(Date);
  });

  test('may be typed in with spaces', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const browser = await openTestLink(link);
    const code = await browser.code();
    expect(await passCode(engines, await browser.session(), ` ${code.slice(0, 3)} ${code.slice(3)}\n`)).toBe(true);
  });

  test('works once, also for many at once', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const browser = await openTestLink(link);
    const [session, code] = [await browser.session(), await browser.code()];
    const responses = await Promise.all(Array.from({ length: 4 }, () => passCode(engines, session, code)));
    expect(responses.filter(Boolean)).toHaveLength(1);
    expect(await passCode(engines, session, code)).toBe(false);
    expect(await browser.session()).toMatchObject({ passed: 'mail' });
  });

  test('is none in another browser, of the same link or another', async () => {
    const [one, other] = [await sentLink(exchange, ['a.txt']), await sentLink(exchange, ['a.txt'])];
    const browsers = [
      await openTestLink(one.link),
      await openTestLink(one.link),
      await openTestLink(other.link),
    ] as const;
    const code = await browsers[0].code();
    for (const browser of browsers.slice(1)) {
      if ((await browser.code()) === code) continue; // one in a million
      expect(await passCode(engines, await browser.session(), code)).toBe(false);
      expect(await browser.session()).toMatchObject({ passed: null, code: { tries: 1 } });
    }
    expect(await browsers[0].session()).toMatchObject({ passed: null, code: { tries: 0 } });
    expect(await passCode(engines, await browsers[0].session(), code)).toBe(true);
    expect(await browsers[1].session()).toMatchObject({ passed: null });
  });

  test('works for ten minutes', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const [inTime, late] = [await openTestLink(link), await openTestLink(link)];
    await age(inTime.digest, '9 minutes 30 seconds');
    await age(late.digest, '10 minutes');
    expect(await passCode(engines, await late.session(), await late.code())).toBe(false);
    expect(await late.session()).toMatchObject({ passed: null, code: { expired: true } });
    expect(await passCode(engines, await inTime.session(), await inTime.code())).toBe(true);
  });

  test('is no longer the one before, when there is a new one', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const browser = await openTestLink(link);
    const before = await browser.code();
    expect(await issue(link, browser.digest)).toBe('sent');
    const code = await browser.code();
    if (before !== code) expect(await passCode(engines, await browser.session(), before)).toBe(false);
    expect(await passCode(engines, await browser.session(), code)).toBe(true);
  });

  test('of a link that has ended says so', async () => {
    const { sender, dropId, link } = await sentLink(exchange, ['a.txt']);
    const browser = await openTestLink(link);
    const [session, code] = [await browser.session(), await browser.code()];
    await engines.store.drops.revoke(sender.accountId, dropId);
    await expect(passCode(engines, session, code)).rejects.toMatchObject({ code: 'link_ended' });
    await expect(browser.session()).rejects.toMatchObject({ code: 'link_revoked' });
  });
});

describe('a wrong code', () => {
  test.each(['', '0', '12345', '1234567', 'abcdef', '１２３４５６', '-1', '1e5', 'x'.repeat(10_000)])(
    'such as %j does not pass, and counts',
    async (typed) => {
      const { link } = await sentLink(exchange, ['a.txt']);
      const browser = await openTestLink(link);
      expect(await passCode(engines, await browser.session(), typed)).toBe(false);
      expect(await browser.session()).toMatchObject({ passed: null, code: { tries: 1 } });
    },
  );

  test('five times makes the right one useless; a new one is not', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const browser = await openTestLink(link);
    const code = await browser.code();
    for (let tries = 0; tries < 5; tries += 1) await passCode(engines, await browser.session(), another(code));
    expect(await passCode(engines, await browser.session(), code)).toBe(false);
    expect(await browser.session()).toMatchObject({ passed: null, code: { tries: 5 } });
    await issue(link, browser.digest);
    expect(await passCode(engines, await browser.session(), await browser.code())).toBe(true);
  });

  test('four times leaves the fifth try', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const browser = await openTestLink(link);
    const code = await browser.code();
    for (let tries = 0; tries < 4; tries += 1) await passCode(engines, await browser.session(), another(code));
    expect(await passCode(engines, await browser.session(), code)).toBe(true);
  });

  test('of many at once is one of five', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const browser = await openTestLink(link);
    const session = await browser.session();
    let compared = 0;
    const links = {
      ...engines.store.links,
      async tryCode(...asked: Parameters<typeof engines.store.links.tryCode>) {
        const id = await engines.store.links.tryCode(...asked);
        if (id !== undefined) compared += 1;
        return id;
      },
    };
    const counting = { ...engines, store: { ...engines.store, links } };
    const wrong = another(await browser.code());
    await Promise.all(Array.from({ length: 20 }, () => passCode(counting, session, wrong)));
    expect(compared).toBe(5);
    expect(await browser.session()).toMatchObject({ code: { tries: 5 } });
  });
});

test('a link has fifty codes in all', async () => {
  const { link } = await sentLink(exchange, ['a.txt']);
  const { digest } = await openTestLink(link);
  for (let code = 2; code <= 50; code += 1) {
    await query("update messages set created_at = created_at - interval '1 hour' where drop_id = $1", [link.dropId]);
    expect(await issue(link, digest)).toBe('sent');
  }
  await query("update messages set created_at = created_at - interval '1 hour' where drop_id = $1", [link.dropId]);
  expect(await issue(link, digest)).toBe('too_many_codes');
});

describe('a link has five codes an hour', () => {
  test('in one browser', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const { digest, code } = await openTestLink(link);
    for (let codes = 1; codes < 5; codes += 1) expect(await issue(link, digest)).toBe('sent');
    const last = await code();
    expect(await issue(link, digest)).toBe('too_many_codes');
    expect(await code()).toBe(last);
    expect(await readCodes(link)).toHaveLength(5);
    await query(
      "update messages set created_at = created_at - interval '1 hour' where drop_id = $1 and kind = 'code'",
      [link.dropId],
    );
    expect(await issue(link, digest)).toBe('sent');
  });

  test('in one browser that asks many times at once', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const { digest } = await openTestLink(link);
    const responses = await Promise.all(Array.from({ length: 10 }, () => issue(link, digest)));
    expect(responses.filter((response) => response === 'sent')).toHaveLength(4);
    expect(await readCodes(link)).toHaveLength(5);
  });

  test('in all browsers together, also at once; the others have none, and do not pass', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const secrets = await Promise.all(Array.from({ length: 9 }, () => openLink(strict, link)));
    const sessions: LinkSession[] = [];
    for (const secret of secrets) sessions.push(await findSession(engines, secret, 'downloadfiles'));
    expect(sessions.filter(({ code }) => code)).toHaveLength(5);
    expect(await readCodes(link)).toHaveLength(5);
    const without = sessions.find(({ code }) => !code) as LinkSession;
    expect(findPendingStep(strict, without)).toBe('code');
    for (const typed of ['', '000000']) expect(await passCode(engines, without, typed)).toBe(false);
  });

  test('and each receiver for themselves', async () => {
    const { sender, dropId, link } = await sentLink(exchange, ['a.txt'], ['r@example.org', 's@example.org']);
    const other = await findLink(engines, await deriveToken(exchange, sender, dropId, 1), 'downloadfiles');
    const { digest } = await openTestLink(link);
    while ((await issue(link, digest)) === 'sent');
    expect((await (await openTestLink(other)).session()).code).toBeDefined();
  });
});

test('nothing in the database is or contains a code', async () => {
  const { sender, link } = await sentLink(exchange, ['a.txt']);
  const browser = await openTestLink(link);
  const code = await browser.code();
  const [message] = await query<{ id: string }>("select id from messages where drop_id = $1 and kind = 'code'", [
    link.dropId,
  ]);
  const mailer = { send: async () => ({ outcome: 'sent' as const, response: '250 ok' }) };
  const found = async (wanted: string) => {
    const columns = await query<{ place: string; column: string; type: string }>(
      `select format('%I.%I', table_schema, table_name) as place, quote_ident(column_name) as column, data_type as type
       from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE'
         and data_type in ('text', 'json', 'jsonb', 'bytea', 'integer', 'bigint', 'ARRAY', 'USER-DEFINED')`,
    );
    expect(columns.length).toBeGreaterThan(50);
    const places: string[] = [];
    for (const { place, column, type } of columns) {
      // As a whole word: six digits within an id or a digest mean nothing.
      const has = type === 'bytea' ? `position($1::bytea in ${column}) > 0` : `${column}::text ~ $1::text`;
      const value = type === 'bytea' ? Buffer.from(wanted) : `(^|[^0-9a-f])${wanted}([^0-9a-f]|$)`;
      const rows = await query(`select 1 from ${place} where ${has} limit 1`, [value]);
      if (rows.length > 0) places.push(`${place}.${column}`);
    }
    return places;
  };
  expect(await found(sender.email)).toContain('public.accounts.email');
  expect(await found(code)).toEqual([]);
  await sendMessage({ ...engines, mailer }, sender.accountId, message?.id as string);
  expect(await passCode(engines, await browser.session(), another(code))).toBe(false);
  expect(await passCode(engines, await browser.session(), code)).toBe(true);
  expect(await found(code)).toEqual([]);
});

describe('one phone number or address is sent so many codes in an hour', () => {
  const limited = (secondFactor: SecondFactor) => ({
    ...engines,
    sms: gateway,
    policy: { ...engines.policy, secondFactor, maxCodesPerReceiver: 7 },
  });
  const codesTo = (receiver: string) =>
    query("select 1 from messages where kind = 'code' and receiver = $1", [receiver]);
  /** A link to this receiver from a new account. */
  const linkTo = async (email: string, phone?: string): Promise<Link> => {
    const actor = await exchange.account(email);
    await exchange.prepare(actor, [email], ['a.txt']);
    await setReceivers(engines, actor, '', [{ email, ...(phone === undefined ? {} : { phone }) }]);
    await dispatchDraft(engines, actor, { draft: '', parameters: {} }, 'downloadfiles');
    const [drop] = await query<{ id: string }>('select id from drops where account_id = $1', [actor.accountId]);
    return findLink(engines, await deriveToken(exchange, actor, drop?.id as string, 0), 'downloadfiles');
  };

  test.each<[SecondFactor, string]>([
    ['sms', 'number'],
    ['mail', 'address'],
  ])('by %s, across links and accounts, also at once', async (factor) => {
    const email = `${randomUUID()}@example.org`;
    const phone = String(46 * 10 ** 9 + randomInt(10 ** 8, 10 ** 9));
    const links = [await linkTo(email, phone), await linkTo(email, phone), await linkTo(email, phone)];
    await Promise.all(Array.from({ length: 15 }, (_, index) => openLink(limited(factor), links[index % 3] as Link)));
    const sent = await codesTo(factor === 'sms' ? phone : email);
    // Two accounts may have used it up before the third has sent its first two.
    expect(sent.length).toBeGreaterThanOrEqual(7);
    expect(sent.length).toBeLessThanOrEqual(9);
    const link = links[0] as Link;
    expect(await mayIssueCode(limited(factor), link)).toBe(false);
    const digest = tokenDigest(await openLink(engines, link));
    const issued = () => issueCode(limited(factor), link, digest);
    expect(await issued()).toBe('too_many_codes');
    await query("update messages set created_at = created_at - interval '61 minutes' where receiver = $1", [
      factor === 'sms' ? phone : email,
    ]);
    expect(await issued()).toBe('sent');
  });

  test('of which one account cannot use up those of another', async () => {
    const email = `${randomUUID()}@example.org`;
    const other = await linkTo(email);
    const actor = await exchange.account(email);
    for (let count = 0; count < 3; count += 1) {
      const { link } = await sentLink(exchange, ['a.txt'], [email], actor);
      for (let opening = 0; opening < 5; opening += 1) await openLink(limited('mail'), link);
    }
    expect(await codesTo(email)).toHaveLength(4);
    for (const link of [await linkTo(email), await linkTo(email)]) {
      for (let opening = 0; opening < 5; opening += 1) await openLink(limited('mail'), link);
    }
    expect(await codesTo(email)).toHaveLength(9);
    await openLink(limited('mail'), other);
    expect(await codesTo(email)).toHaveLength(10);
  });

  test('and at most twice as many, however many accounts there are', async () => {
    const email = `${randomUUID()}@example.org`;
    for (let account = 0; account < 9; account += 1) {
      const link = await linkTo(email);
      for (let opening = 0; opening < 3; opening += 1) await openLink(limited('mail'), link);
    }
    expect(await codesTo(email)).toHaveLength(14);
  });

  test('and another one is not held up', async () => {
    const email = `${randomUUID()}@example.org`;
    const [busy, other] = [await linkTo(email), await linkTo(`${randomUUID()}@example.org`)];
    for (let times = 0; times < 8; times += 1) await openLink(limited('mail'), busy);
    await openLink(limited('mail'), other);
    expect(await readCodes(other)).toHaveLength(1);
  });
});
