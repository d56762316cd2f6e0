import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestExchange, type TestExchange } from '../../testing/exchange.ts';
import { setReceivers } from '../drafts/set-receivers.ts';
import { createDrop, grantAccess } from '../drops/create-drop.ts';
import { tokenDigest } from '../drops/link-token.ts';
import type { Actor, Mail, Mailer } from '../ports.ts';
import { mostAttempts, pauseSeconds, sendMessage } from './send-message.ts';

let exchange: TestExchange;
let engines: TestExchange['engines'];
let query: TestExchange['database']['query'];
beforeAll(async () => {
  exchange = await openTestExchange();
  engines = exchange.engines;
  query = exchange.database.query;
});
afterAll(() => exchange[Symbol.asyncDispose]());

function recording(outcome: () => ReturnType<Mailer['send']> = async () => ({ outcome: 'sent', answer: '250 ok' })) {
  const sent: Mail[] = [];
  const mailer: Mailer = {
    send: (mail) => {
      sent.push(mail);
      return outcome();
    },
  };
  return { sent, mailer };
}

const mailIds = async (actor: Actor) =>
  (
    await query<{ id: string }>('select id from messages where account_id = $1 order by position', [actor.accountId])
  ).map(({ id }) => id);
const mailRow = async (id: string) => {
  const [row] = await query(
    'select state, attempts, outcome, settled_at is not null as settled from messages where id = $1',
    [id],
  );
  return row;
};

const makeDue = (id: string) => query('update messages set due_at = now() where id = $1', [id]);
const jobsOf = (id: string) =>
  query<{ run_at: Date; locked: boolean }>(
    'select run_at, locked_at is not null as locked from graphile_worker.jobs where key = $1',
    [`message:${id}`],
  );

test('each receiver of a drop gets a mail with a link of their own that the database knows', async () => {
  const actor = await exchange.account('r@example.org', 's@example.org');
  await exchange.prepare(actor, ['r@example.org', 's@example.org'], ['a.txt', 'b.txt']);
  await createDrop(engines, actor, { draft: '', parameters: { ddmessage: 'Hello <b>\n{{7*7}}' } });
  const { sent, mailer } = recording();
  for (const id of await mailIds(actor)) await sendMessage({ ...engines, mailer }, actor.accountId, id);

  expect(sent.map(({ to, from, subject }) => ({ to, from, subject }))).toEqual(
    ['r@example.org', 's@example.org'].map((to) => ({
      to,
      from: 'waybill@example.org',
      subject: `${actor.email} has sent you 2 files`,
    })),
  );
  const tokens = sent.map(
    ({ text }) => /https:\/\/files\.example\.org\/d\/([A-Za-z0-9_-]{43})\n/.exec(text)?.[1] as string,
  );
  const links = await query<{ token_digest: Buffer }>(
    'select token_digest from links where account_id = $1 order by position',
    [actor.accountId],
  );
  expect(links.map((link) => link.token_digest)).toEqual(tokens.map(tokenDigest));
  expect(sent[0]?.text).toMatch(/ {2}a\.txt \(.*\)\n {2}b\.txt /);
  expect(sent[0]?.text).toContain('> Hello <b>\n> {{7*7}}');
});

test('a mail is sent once, under the same Message-ID however often it is tried', async () => {
  const actor = await exchange.account('r@example.org');
  await exchange.drop(actor, ['r@example.org'], ['a.txt']);
  const [id] = (await mailIds(actor)) as [string];
  const failing = recording(() => Promise.reject(new Error('451 try later')));
  await sendMessage({ ...engines, mailer: failing.mailer }, actor.accountId, id);
  expect(await mailRow(id)).toEqual({ state: 'waiting', attempts: 1, outcome: '451 try later', settled: false });
  const { sent, mailer } = recording();
  await sendMessage({ ...engines, mailer }, actor.accountId, id);
  expect(sent).toEqual([]); // not before its pause has passed
  await makeDue(id);
  await sendMessage({ ...engines, mailer }, actor.accountId, id);
  await sendMessage({ ...engines, mailer }, actor.accountId, id);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.messageId).toBe(failing.sent[0]?.messageId);
  expect(sent[0]?.messageId).toBe(`<${id}@files.example.org>`);
  expect(await mailRow(id)).toEqual({ state: 'sent', attempts: 2, outcome: '250 ok', settled: true });
});

test('a mail that is refused for ever is given up, with the answer on view', async () => {
  const actor = await exchange.account('r@example.org');
  await exchange.drop(actor, ['r@example.org'], ['a.txt']);
  const [id] = (await mailIds(actor)) as [string];
  const { mailer } = recording(async () => ({ outcome: 'refused', answer: '550 no such user' }));
  await sendMessage({ ...engines, mailer }, actor.accountId, id);
  expect(await mailRow(id)).toEqual({ state: 'given_up', attempts: 1, outcome: '550 no such user', settled: true });
});

test('a mail that fails to the last attempt is given up, and its job ends', async () => {
  const actor = await exchange.account('r@example.org');
  await exchange.drop(actor, ['r@example.org'], ['a.txt']);
  const [id] = (await mailIds(actor)) as [string];
  await query('update messages set attempts = $2 where id = $1', [id, mostAttempts - 2]);
  const { mailer } = recording(() => Promise.reject(new Error('451 try later')));
  await sendMessage({ ...engines, mailer }, actor.accountId, id);
  await makeDue(id);
  await sendMessage({ ...engines, mailer }, actor.accountId, id);
  expect(await mailRow(id)).toEqual({
    state: 'given_up',
    attempts: mostAttempts,
    outcome: '451 try later',
    settled: true,
  });
});

test('a grant’s mail asks for files and leads to the upload page', async () => {
  const actor = await exchange.account('r@example.org');
  await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
  await grantAccess(engines, actor, { draft: '', parameters: {} });
  const { sent, mailer } = recording();
  await sendMessage({ ...engines, mailer }, actor.accountId, (await mailIds(actor))[0] as string);
  expect(sent[0]?.subject).toBe(`${actor.email} invites you to send files`);
  expect(sent[0]?.text).toMatch(/https:\/\/files\.example\.org\/u\/[A-Za-z0-9_-]{43}\n/);
});

describe('nothing is sent', () => {
  test('for a mail that is another account’s', async () => {
    const [actor, other] = [await exchange.account('r@example.org'), await exchange.account()];
    await exchange.drop(actor, ['r@example.org'], ['a.txt']);
    const { sent, mailer } = recording();
    await sendMessage({ ...engines, mailer }, other.accountId, (await mailIds(actor))[0] as string);
    expect(sent).toEqual([]);
  });
});

test('a long list of files is cut, and says so', async () => {
  const actor = await exchange.account('r@example.org');
  const names = Array.from({ length: 22 }, (_, index) => `file-${index}.txt`);
  await exchange.drop(actor, ['r@example.org'], names);
  const { sent, mailer } = recording();
  await sendMessage({ ...engines, mailer }, actor.accountId, (await mailIds(actor))[0] as string);
  expect(sent[0]?.text).toContain('22 files');
  expect(sent[0]?.text.match(/ {2}file-\d+\.txt/g)).toHaveLength(20);
  expect(sent[0]?.text).toMatch(/and 2 more/);
});

test('two workers with the same mail send it once', async () => {
  const actor = await exchange.account('r@example.org');
  await exchange.drop(actor, ['r@example.org'], ['a.txt']);
  const [id] = (await mailIds(actor)) as [string];
  const { sent, mailer } = recording();
  const send = () => sendMessage({ ...engines, mailer }, actor.accountId, id);
  await Promise.all([send(), send(), send()]);
  expect(sent).toHaveLength(1);
});

test('a failed mail has its next attempt in a job of its own', async () => {
  const actor = await exchange.account('r@example.org');
  await exchange.drop(actor, ['r@example.org'], ['a.txt']);
  const [id] = (await mailIds(actor)) as [string];
  const { mailer } = recording(() => Promise.reject(new Error('451 try later')));
  const before = Date.now();
  await sendMessage({ ...engines, mailer }, actor.accountId, id);
  const [job, ...more] = await jobsOf(id);
  expect(more).toEqual([]);
  expect(job?.run_at.getTime()).toBeGreaterThan(before + 5_000);
});

test('a mail whose worker died is given a new job when its lease has passed', async () => {
  const actor = await exchange.account('r@example.org');
  await exchange.drop(actor, ['r@example.org'], ['a.txt']);
  const [id] = (await mailIds(actor)) as [string];
  // As a process leaves it that is killed while it sends: taken, and its job locked by nobody who lives.
  await engines.store.outbox.take(actor.accountId, id, 90);
  await query("update graphile_worker._private_jobs set locked_at = now(), locked_by = 'dead' where key = $1", [
    `message:${id}`,
  ]);
  const wake = () => engines.store.outbox.wakeOverdue(0, 1000);
  await wake();
  expect(await jobsOf(id)).toMatchObject([{ locked: true }]);
  await query("update messages set due_at = now() - interval '1 second' where id = $1", [id]);
  await wake();
  expect(await jobsOf(id)).toMatchObject([{ locked: false }]);
});

test('pauses double up to a bound, and are scattered', () => {
  const least = { bytes: () => Buffer.from([0]), uuid: () => '' };
  const most = { bytes: () => Buffer.from([255]), uuid: () => '' };
  expect([1, 2, 3].map((attempt) => pauseSeconds(attempt, least))).toEqual([11, 23, 45]);
  expect([1, 2, 3].map((attempt) => pauseSeconds(attempt, most))).toEqual([19, 38, 75]);
  expect(pauseSeconds(mostAttempts, most)).toBe(27_000);
});
