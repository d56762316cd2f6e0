import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { sentLink } from '../../../test/links.ts';
import { runJob } from '../../../test/run-job.ts';
import type { Actor } from '../actor.ts';
import { setReceivers } from '../drafts/change-draft.ts';
import { dispatchDraft } from '../drops/dispatch-draft.ts';
import { ExchangeError } from '../exchange-error.ts';
import { tokenDigest } from '../links/link-token.ts';
import { openLink } from '../links/open-link.ts';
import type { Logger } from '../ports/logger.ts';
import type { Mail, Mailer } from '../ports/mailer.ts';
import { SendFailure } from '../ports/mailer.ts';
import { toReference } from '../reference.ts';
import type { Store } from '../store.ts';
import type { OutboxStore } from './outbox-store.ts';
import { maxAttempts, pauseSeconds, sendMessage, sendMessageJob } from './send-message.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

function recording(outcome: () => ReturnType<Mailer['send']> = async () => ({ outcome: 'sent', response: '250 ok' })) {
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
const readJobs = (id: string) =>
  query<{ run_at: Date; locked: boolean }>(
    'select run_at, locked_at is not null as locked from graphile_worker.jobs where key = $1',
    [`message:${id}`],
  );

test('each receiver of a drop gets a mail with a link of their own that the database knows', async () => {
  const actor = await exchange.account('r@example.org', 's@example.org');
  await exchange.prepare(actor, ['r@example.org', 's@example.org'], ['a.txt', 'b.txt']);
  await dispatchDraft(engines, actor, { draft: '', parameters: { ddmessage: 'Hello <b>\n{{7*7}}' } }, 'downloadfiles');
  const { sent, mailer } = recording();
  for (const id of await mailIds(actor)) await sendMessage({ ...engines, mailer }, actor.accountId, id);

  expect(sent.map(({ to, from, replyTo, subject }) => ({ to, from, replyTo, subject }))).toEqual(
    ['r@example.org', 's@example.org'].map((to) => ({
      to,
      from: { name: `${actor.email} via Acme Files`, address: 'waybill@example.org' },
      replyTo: actor.email,
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
  expect(sent[0]?.text).toMatch(/ {2}a\.txt \(.*\)\n {2}b\.txt .*\n\nThe files were not scanned for viruses\./);
  expect(sent[0]?.text).toContain('> Hello <b>\n> {{7*7}}');
});

test('a name of an account that looks like an address, from before that was refused, is in no mail', async () => {
  const actor = await exchange.account('r@example.org');
  await engines.store.accounts.setChoices(actor.accountId, { displayName: 'security\uff20bank.test' });
  await exchange.prepare(actor, ['r@example.org'], ['a.txt']);
  await dispatchDraft(engines, actor, { draft: '', parameters: {} }, 'downloadfiles');
  const { sent, mailer } = recording();
  for (const id of await mailIds(actor)) await sendMessage({ ...engines, mailer }, actor.accountId, id);
  expect(sent).toMatchObject([{ from: { name: `${actor.email} via Acme Files` } }]);
  expect(JSON.stringify(sent)).not.toContain('bank.test');
});

test('a mail is sent once, under the same Message-ID however often it is tried', async () => {
  const actor = await exchange.account('r@example.org');
  await exchange.drop(actor, ['r@example.org'], ['a.txt']);
  const [id] = (await mailIds(actor)) as [string];
  const failing = recording(() => Promise.reject(new SendFailure('451 try later', '451')));
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
  expect(sent[0]?.messageId).toBe(`<${id}@example.org>`);
  expect(await mailRow(id)).toEqual({ state: 'sent', attempts: 2, outcome: '250 ok', settled: true });
});

test('a mail that is refused permanently is abandoned, and the reply is shown', async () => {
  const actor = await exchange.account('r@example.org');
  await exchange.drop(actor, ['r@example.org'], ['a.txt']);
  const [id] = (await mailIds(actor)) as [string];
  const { mailer } = recording(async () => ({ outcome: 'refused', response: '550 no such user' }));
  await runJob({ ...engines, mailer }, sendMessageJob, { accountId: actor.accountId, messageId: id });
  expect(await mailRow(id)).toEqual({ state: 'abandoned', attempts: 1, outcome: '550 no such user', settled: true });
});

describe('a mail that was not sent', () => {
  const away = new SendFailure('connect ECONNREFUSED 10.0.0.7:25', 'connect ECONNREFUSED 10.0.0.7:25', 'smtp');
  const readReasons = async (actor: Actor, dropId: string) => {
    const { sentDrops, drops } = engines.store;
    const [receiver] = await sentDrops.receivers(actor.accountId, dropId);
    const [followed] = await sentDrops.followedReceivers(actor.accountId, dropId);
    const [shown] = await drops.deliveryStates(actor.accountId, dropId, -1, 10);
    return {
      senders: [receiver?.undeliverableReason, followed?.undeliverableReason],
      administrators: shown?.undeliverableReason,
    };
  };

  test('because the mail server is away names the network to administrators, and never to senders', async () => {
    const actor = await exchange.account('r@example.org');
    const dropId = await exchange.drop(actor, ['r@example.org'], ['a.txt']);
    const [id] = (await mailIds(actor)) as [string];
    const neutral = 'mails cannot be sent at the moment';
    const full = `${neutral}: connect ECONNREFUSED 10.0.0.7:25`;
    for (const error of [away, new Error('connect ECONNREFUSED 10.0.0.7:25')]) {
      await sendMessage({ ...engines, ...recording(() => Promise.reject(error)) }, actor.accountId, id);
      expect(await mailRow(id)).toMatchObject({ state: 'waiting', outcome: full });
      expect(await readReasons(actor, dropId)).toEqual({ senders: [neutral, neutral], administrators: full });
      await makeDue(id);
    }
    await query('update messages set attempts = $2 where id = $1', [id, maxAttempts - 1]);
    await sendMessage({ ...engines, ...recording(() => Promise.reject(away)) }, actor.accountId, id);
    expect(await mailRow(id)).toMatchObject({ state: 'abandoned', outcome: full });
    expect((await readReasons(actor, dropId)).senders).toEqual([neutral, neutral]);
  });

  test('shows the reply about it to senders, without the links that it quotes', async () => {
    const actor = await exchange.account('r@example.org');
    const dropId = await exchange.drop(actor, ['r@example.org'], ['a.txt']);
    const [id] = (await mailIds(actor)) as [string];
    const reply = new SendFailure('451 greylisted: https://files.example.org/d/token see HTTP://mx.example.net', '451');
    await sendMessage({ ...engines, ...recording(() => Promise.reject(reply)) }, actor.accountId, id);
    const shown = '451 greylisted: … see …';
    expect((await readReasons(actor, dropId)).senders).toEqual([shown, shown]);
  });
});

test('a mail that fails to the last attempt is abandoned, and its job ends', async () => {
  const actor = await exchange.account('r@example.org');
  await exchange.drop(actor, ['r@example.org'], ['a.txt']);
  const [id] = (await mailIds(actor)) as [string];
  await query('update messages set attempts = $2 where id = $1', [id, maxAttempts - 2]);
  const { mailer } = recording(() => Promise.reject(new SendFailure('451 try later', '451')));
  await sendMessage({ ...engines, mailer }, actor.accountId, id);
  await makeDue(id);
  await sendMessage({ ...engines, mailer }, actor.accountId, id);
  expect(await mailRow(id)).toEqual({
    state: 'abandoned',
    attempts: maxAttempts,
    outcome: '451 try later',
    settled: true,
  });
});

test('a request’s mail asks for files and leads to the upload page', async () => {
  const actor = await exchange.account('r@example.org');
  await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
  await dispatchDraft(engines, actor, { draft: '', parameters: {} }, 'uploadfiles');
  const { sent, mailer } = recording();
  await sendMessage({ ...engines, mailer }, actor.accountId, (await mailIds(actor))[0] as string);
  expect(sent[0]?.subject).toBe(`${actor.email} is asking you for files`);
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
  expect(sent[0]?.text.match(/ {2}file-\d+\.txt/g)).toHaveLength(5);
  expect(sent[0]?.text).toMatch(/and 17 more/);
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
  const { mailer } = recording(() => Promise.reject(new SendFailure('451 try later', '451')));
  const before = Date.now();
  await sendMessage({ ...engines, mailer }, actor.accountId, id);
  const [job, ...more] = await readJobs(id);
  expect(more).toEqual([]);
  expect(job?.run_at.getTime()).toBeGreaterThan(before + 5_000);
});

test('a mail whose worker died is given a new job when its lease has passed', async () => {
  const actor = await exchange.account('r@example.org');
  await exchange.drop(actor, ['r@example.org'], ['a.txt']);
  const [id] = (await mailIds(actor)) as [string];
  // As left by a process that was killed while sending: taken, and its job locked by a dead process.
  await engines.store.outbox.acquire(actor.accountId, id, 90);
  await query("update graphile_worker._private_jobs set locked_at = now(), locked_by = 'dead' where key = $1", [
    `message:${id}`,
  ]);
  const wake = () => engines.store.outbox.wakeOverdue(0, 1000);
  await wake();
  expect(await readJobs(id)).toMatchObject([{ locked: true }]);
  await query("update messages set due_at = now() - interval '1 second' where id = $1", [id]);
  await wake();
  expect(await readJobs(id)).toMatchObject([{ locked: false }]);
});

test('pauses double up to a bound, and are scattered', () => {
  const min = { bytes: () => Buffer.from([0]), uuid: () => '' };
  const max = { bytes: () => Buffer.from([255]), uuid: () => '' };
  expect([1, 2, 3].map((attempt) => pauseSeconds(attempt, min))).toEqual([11, 23, 45]);
  expect([1, 2, 3].map((attempt) => pauseSeconds(attempt, max))).toEqual([19, 38, 75]);
  expect(pauseSeconds(maxAttempts, max)).toBe(27_000);
});

/** The engines with an outbox in which some methods are replaced. */
const withOutbox = (changes: Partial<OutboxStore>) => {
  const changed = (store: Store): Store => ({
    ...store,
    outbox: { ...store.outbox, ...changes },
    transaction: (work) => store.transaction((tx) => work(changed(tx))),
  });
  return { ...engines, store: changed(engines.store) };
};
async function oneMail() {
  const actor = await exchange.account('r@example.org');
  await exchange.drop(actor, ['r@example.org'], ['a.txt']);
  const [id] = (await mailIds(actor)) as [string];
  return { actor, id };
}

test('a mail that the database could not show for a moment is sent seconds later, and not after its lease', async () => {
  const { actor, id } = await oneMail();
  let failures = 1;
  const failing = (store: Store): Store => ({
    ...store,
    outbox: {
      ...store.outbox,
      acquire: async (...call) => {
        const message = await store.outbox.acquire(...call);
        failures -= 1;
        if (failures >= 0) throw new ExchangeError('unavailable');
        return message;
      },
    },
    transaction: (work) => store.transaction((tx) => work(failing(tx))),
  });
  const { sent, mailer } = recording();
  const send = () => sendMessage({ ...engines, mailer, store: failing(engines.store) }, actor.accountId, id);
  await expect(send()).rejects.toMatchObject({ code: 'unavailable' });
  expect(await mailRow(id)).toMatchObject({ state: 'waiting', attempts: 0 });
  const jobs = await query(
    'select attempts < max_attempts - 1 as "isRepeated" from graphile_worker.jobs where key = $1',
    [`message:${id}`],
  );
  expect(jobs).toEqual([{ isRepeated: true }]);
  await send();
  expect(sent).toHaveLength(1);
  expect(await mailRow(id)).toMatchObject({ state: 'sent', attempts: 1 });
});

describe('a mail that was sent is not sent again', () => {
  test('because the database was away for a moment when that was to be noted', async () => {
    const { actor, id } = await oneMail();
    let failures = 0;
    const away = withOutbox({
      settle: async (...settled) => {
        failures += 1;
        if (failures <= 3) throw new ExchangeError('unavailable');
        return engines.store.outbox.settle(...settled);
      },
      retry: () => Promise.reject(new Error('a sent mail is not to be tried again')),
    });
    const { sent, mailer } = recording();
    await sendMessage({ ...away, mailer }, actor.accountId, id);
    expect([sent.length, failures]).toEqual([1, 4]);
    expect(await mailRow(id)).toEqual({ state: 'sent', attempts: 1, outcome: '250 ok', settled: true });
  });

  test('because sending took longer than its lease', async () => {
    const { actor, id } = await oneMail();
    const { promise: slow, resolve: finish } = Promise.withResolvers<void>();
    const { sent, mailer } = recording(async () => {
      await slow;
      return { outcome: 'sent', response: '250 at last' };
    });
    const sending = sendMessage({ ...engines, mailer }, actor.accountId, id, 1);
    const leasedUntil = async () =>
      (await query<{ due_at: Date }>('select due_at from messages where id = $1', [id]))[0]?.due_at.getTime() as number;
    await expect.poll(() => sent.length).toBe(1);
    const first = await leasedUntil();
    // It was renewed before the first lease would have ended, so another worker that comes then gets nothing.
    await expect.poll(() => leasedUntil(), { timeout: 10_000 }).toBeGreaterThan(first + 1_000);
    await sendMessage({ ...engines, mailer }, actor.accountId, id, 1);
    finish();
    await sending;
    expect(sent).toHaveLength(1);
    expect(await mailRow(id)).toMatchObject({ state: 'sent', outcome: '250 at last' });
  });

  test('because an earlier attempt, whose lease ran out, ends with a failure', async () => {
    const { actor, id } = await oneMail();
    await engines.store.outbox.acquire(actor.accountId, id, 90);
    await makeDue(id);
    await engines.store.outbox.acquire(actor.accountId, id, 90);
    await engines.store.outbox.retry(actor.accountId, { id, attempts: 1 }, '451', 0);
    await engines.store.outbox.renewLease(actor.accountId, { id, attempts: 1 }, 0);
    const { sent, mailer } = recording();
    await sendMessage({ ...engines, mailer }, actor.accountId, id);
    expect(sent).toEqual([]);
  });
});

test('a response is kept as the database can store it', async () => {
  const { actor, id } = await oneMail();
  const response = `250 o\0k\r\n${'x'.repeat(1000)}`;
  const { mailer } = recording(async () => ({ outcome: 'sent', response }));
  await sendMessage({ ...engines, mailer }, actor.accountId, id);
  expect(await mailRow(id)).toMatchObject({ state: 'sent', outcome: `250 o k ${'x'.repeat(492)}` });
});

/** The fields of a mail's first attempt in the log, without its outcome. */
const readLog = async (id: string) => {
  const [row] = await query<{ drop_id: string }>('select drop_id from messages where id = $1', [id]);
  const reference = toReference(row?.drop_id ?? '');
  return { engine: 'smtp', message: id, kind: 'invitation', attempt: 1, reference };
};

test('what was sent is in the log with the reference of its drop, and so is what was no longer needed', async () => {
  const logged: unknown[] = [];
  const logger: Logger = { ...engines.logger, info: (...line) => void logged.push(line) };
  const [sent, late] = [await oneMail(), await oneMail()];
  await query('update drops set ended_at = now() where account_id = $1', [late.actor.accountId]);
  for (const { actor, id } of [sent, late]) {
    await sendMessage({ ...engines, ...recording(), logger }, actor.accountId, id);
  }
  expect(logged).toEqual([
    ['a message was sent', await readLog(sent.id)],
    [
      'a message was not sent, because it is no longer needed',
      { ...(await readLog(late.id)), reason: 'its drop ended before it could be sent' },
    ],
  ]);
});

describe('a failure is reported to the operator', () => {
  const collectReports = async (outcome: () => ReturnType<Mailer['send']>) => {
    const { actor, id } = await oneMail();
    const reports: unknown[] = [];
    const logger: Logger = { ...engines.logger, warn: (...line) => void reports.push(line) };
    await sendMessage({ ...engines, ...recording(outcome), logger }, actor.accountId, id);
    return { reports, details: await readLog(id) };
  };

  test('that will be tried again, without what the server said', async () => {
    const failure = new SendFailure('535 no, https://files.example.org/d/token', 'AUTH: 535');
    const { reports, details } = await collectReports(() => Promise.reject(failure));
    expect(reports).toEqual([['a message was not sent and will be tried again', { ...details, reason: 'AUTH: 535' }]]);
  });

  test('that is final, without what the server said', async () => {
    const response = '550 5.1.1 <r@example.org>: no such user';
    const { reports, details } = await collectReports(async () => ({ outcome: 'refused', response }));
    expect(reports).toEqual([['a message was abandoned', { ...details, reason: '550 5.1.1' }]]);
  });

  test('that is ours, by its kind only', async () => {
    const { reports, details } = await collectReports(() => Promise.reject(new TypeError('about r@example.org')));
    expect(reports).toEqual([['a message was not sent and will be tried again', { ...details, reason: 'TypeError' }]]);
  });

  test('and success is not', async () => {
    expect((await collectReports(async () => ({ outcome: 'sent', response: '250 ok' }))).reports).toEqual([]);
  });
});

describe('a receiver who was sent many messages', () => {
  const full = { receiverPace: { acquire: async () => 1000 } };

  test('gets the next one later, and it is not an attempt', async () => {
    const { actor, id } = await oneMail();
    const { sent, mailer } = recording();
    const before = Date.now();
    await sendMessage({ ...engines, ...full, mailer }, actor.accountId, id);
    expect(sent).toEqual([]);
    expect(await mailRow(id)).toMatchObject({
      state: 'waiting',
      attempts: 0,
      outcome: expect.stringMatching(/^waiting/),
    });
    const [job] = await readJobs(id);
    expect(job?.run_at.getTime()).toBeGreaterThan(before + 990_000);
    expect(job?.run_at.getTime()).toBeLessThan(Date.now() + 1_260_000);
    await makeDue(id);
    await sendMessage({ ...engines, mailer }, actor.accountId, id);
    expect(await mailRow(id)).toMatchObject({ state: 'sent', attempts: 1 });
  });

  test('gets a code at once', async () => {
    const { sender, link } = await sentLink(exchange, ['a.txt']);
    await openLink({ ...engines, policy: { ...engines.policy, secondFactor: 'mail' } }, link);
    const [code] = await query<{ id: string }>("select id from messages where account_id = $1 and kind = 'code'", [
      sender.accountId,
    ]);
    const { sent, mailer } = recording();
    await sendMessage({ ...engines, ...full, mailer }, sender.accountId, code?.id as string);
    expect(sent).toHaveLength(1);
  });
});
