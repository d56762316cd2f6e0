import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { EventType } from '@waybill/protocol/v1';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { memoryMailer } from '../../../test/memory/memory-mailer.ts';
import { runJob } from '../../../test/run-job.ts';
import { type ReceivedRequest, startReceiver } from '../../../test/servers/webhook-receiver.ts';
import { silentLog } from '../../../test/silent-log.ts';
import { webhookSender } from '../../engines/outgoing/webhook-sender.ts';
import { startJobRunner } from '../../engines/postgres/jobs/job-runner.ts';
import { webhookTasks } from '../../jobs/jobs.ts';
import type { Account } from '../accounts/account-store.ts';
import { setAccountDisabled } from '../accounts/change-account.ts';
import type { KeyActor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { toEvent } from '../events/read-events.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Mail } from '../ports/mailer.ts';
import type { Store } from '../store.ts';
import { sweep } from '../sweep.ts';
import { createWebhook, enableWebhook, removeWebhook, replaceWebhookSecret, replayEvents } from './change-webhook.ts';
import { deliverEventsJob, disableAfterSeconds } from './deliver-events.ts';
import { tellOwner, tellOwnerJob } from './tell-owner.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;
const { store, webhookSecrets } = engines;
/** As short as a test can wait for. */
const impatient = {
  ...engines,
  webhookSender: webhookSender({ allowed: ['127.0.0.1'], allowHttp: true, timeoutMs: 200 }),
};

const happen = (actor: KeyActor, count = 1, type: EventType = 'contact.changed') =>
  store.events.append(
    Array.from({ length: count }, (_, index) => ({ accountId: actor.accountId, type, data: { contacts: index } })),
  );
const webhookTo = (actor: KeyActor, url: string, types: EventType[] | null = null) =>
  createWebhook(engines, actor, { url, types, description: '' });
const findSecret = (actor: KeyActor, { id, salt }: { id: string; salt: Buffer }) =>
  webhookSecrets.deriveSecret({ accountId: actor.accountId, webhookId: id, salt });
const send = (actor: KeyActor, { id }: { id: string }, changes: Partial<Engines> = {}) =>
  runJob({ ...engines, ...changes }, deliverEventsJob, { accountId: actor.accountId, webhookId: id });
const deliveriesTo = ({ id }: { id: string }) =>
  query<{ state: string; attempts: number; due: number; event_id: string }>(
    `select state, attempts, event_id, extract(epoch from due_at - now())::float8 as due from webhook_deliveries
     where webhook_id = $1 order by occurred_at, event_id`,
    [id],
  );
const attemptsTo = ({ id }: { id: string }) =>
  query<{ attempt: number; status: number | null; failure: string | null }>(
    'select attempt, status, failure from webhook_attempts where webhook_id = $1 order by id',
    [id],
  );
const jobsFor = ({ id }: { id: string }, name = 'deliver-events') =>
  query<{ payload: { messageId: string }; run_in: number; key: string | null }>(
    `select payload, key, extract(epoch from run_at - now())::float8 as run_in
     from graphile_worker._private_jobs as jobs join graphile_worker._private_tasks as tasks on tasks.id = task_id
     where payload ->> 'webhookId' = $1 and identifier = $2`,
    [id, name],
  );
const makeDue = ({ id }: { id: string }) =>
  query("update webhook_deliveries set due_at = now() where webhook_id = $1 and state = 'waiting'", [id]);
const endLease = ({ id }: { id: string }) =>
  query("update webhooks set lease_until = now() - interval '1 second' where id = $1", [id]);
const ids = (requests: readonly ReceivedRequest[]) => requests.map(({ headers }) => headers['webhook-id']);

function outbox() {
  const sent: Mail[] = [];
  return {
    sent,
    mailer: { send: async (mail: Mail) => ({ outcome: 'sent' as const, response: `250 ${sent.push(mail)}` }) },
  };
}

describe('an event', () => {
  test('is sent to the webhooks that want it, signed, and says what happened and when', async () => {
    const actor = await exchange.account();
    await using peer = await startReceiver();
    await using other = await startReceiver();
    const [all, some, none] = [
      await webhookTo(actor, peer.url),
      await webhookTo(actor, other.url, ['contact.changed', 'drop.created']),
      await webhookTo(actor, other.url, ['drop.created']),
    ];
    const stranger = await webhookTo(await exchange.account(), other.url);
    await happen(actor);
    for (const webhook of [all, some, none]) await send(actor, webhook);
    expect([await deliveriesTo(none), await deliveriesTo(stranger)]).toEqual([[], []]);
    expect([peer.requests.length, other.requests.length]).toEqual([1, 1]);
    const [request] = peer.requests as [ReceivedRequest];
    const headers = request.headers as Record<string, string>;
    const body = new Verifier(findSecret(actor, all)).verify(request.body, headers);
    // Events are listed when every older transaction of the database server has ended, also one of other tests.
    const listed = async () => (await store.events.page(actor.accountId, undefined, 10)).events.map(toEvent);
    await expect.poll(listed, { timeout: 20_000 }).toEqual([body]);
    expect(body).toEqual({
      id: headers['webhook-id'],
      type: 'contact.changed',
      timestamp: expect.any(String),
      data: { contacts: 0 },
    });
    expect(headers['content-type']).toBe('application/json');
    expect(await deliveriesTo(all)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    expect(await attemptsTo(all)).toEqual([{ attempt: 1, status: 204, failure: null }]);
    expect(() => new Verifier(findSecret(actor, some)).verify(request.body, headers)).toThrow();
  });

  test('is not sent when what it tells did not happen', async () => {
    const actor = await exchange.account();
    const webhook = await webhookTo(actor, 'https://example.org/');
    const work = store.transaction(async (tx) => {
      await tx.events.append([{ accountId: actor.accountId, type: 'contact.changed', data: { contacts: 0 } }]);
      throw new Error('rolled back');
    });
    await expect(work).rejects.toThrow('rolled back');
    expect([await deliveriesTo(webhook), await jobsFor(webhook)]).toEqual([[], []]);
  });

  test('is signed with both secrets while one is being replaced, and then with the new one', async () => {
    const actor = await exchange.account();
    await using peer = await startReceiver();
    const before = await webhookTo(actor, peer.url);
    const after = await replaceWebhookSecret(engines, actor, { id: before.id, ifVersion: undefined }, 3600);
    await happen(actor);
    await send(actor, before);
    await query('update webhooks set previous_until = now() where id = $1', [before.id]);
    await happen(actor);
    await send(actor, before);
    const accepts = (webhook: typeof before, request: ReceivedRequest | undefined) => {
      try {
        new Verifier(findSecret(actor, webhook)).verify(
          request?.body ?? '',
          request?.headers as Record<string, string>,
        );
        return true;
      } catch {
        return false;
      }
    };
    const [both, one] = peer.requests;
    expect([accepts(before, both), accepts(after, both)]).toEqual([true, true]);
    expect([accepts(before, one), accepts(after, one)]).toEqual([false, true]);
  });

  test('reaches its receiver through a worker’s jobs without being asked for', async () => {
    const actor = await exchange.account();
    await using peer = await startReceiver();
    await webhookTo(actor, peer.url);
    const runner = await startJobRunner({
      pool: exchange.database.pool,
      log: silentLog,
      concurrency: 4,
      stopMs: 1000,
      tasks: webhookTasks(engines as unknown as Engines),
    });
    await happen(actor, 30);
    await happen(actor, 1);
    await expect.poll(() => peer.requests.length, { timeout: 20_000 }).toBe(31);
    await runner.stop();
    expect(new Set(ids(peer.requests)).size).toBe(31);
  });
});

test('what happens to a drop is sent as it happens, also what one statement does to many drops', async () => {
  const actor = await exchange.account('a@example.org');
  await using peer = await startReceiver();
  const webhook = await webhookTo(actor, peer.url, ['drop.created', 'drop.expired']);
  const drops = [
    await exchange.drop(actor, ['a@example.org'], ['a.txt']),
    await exchange.drop(actor, ['a@example.org'], ['b.txt']),
  ];
  await send(actor, webhook);
  await exchange.expireAll(actor);
  await sweep(engines);
  await send(actor, webhook);
  const seen = peer.requests.map(({ body }) => JSON.parse(body) as { type: string; data: { drop_id: string } });
  for (const type of ['drop.created', 'drop.expired']) {
    const told = seen.filter((event) => event.type === type).map(({ data }) => data.drop_id);
    expect([type, told.toSorted()]).toEqual([type, drops.toSorted()]);
  }
});

describe('a request that fails', () => {
  const hang = () => undefined;
  const respondWith =
    (status: number, headers = {}) =>
    (response: ServerResponse) =>
      void response.writeHead(status, headers).end();
  const large = (response: ServerResponse) => void response.writeHead(500).end(Buffer.alloc(30 * 1024 ** 2));
  test.each([
    ['500', respondWith(500), { status: 500, failure: null }],
    ['404', respondWith(404), { status: 404, failure: null }],
    ['302', respondWith(302, { location: 'http://127.0.0.1:1/' }), { status: 302, failure: null }],
    ['304', respondWith(304), { status: 304, failure: null }],
    ['500 and 30 MB', large, { status: 500, failure: null }],
    ['nothing', hang, { status: null, failure: 'timeout' }],
  ])('because the response is %s is tried again after five seconds', async (_what, reply, expected) => {
    const actor = await exchange.account();
    await using peer = await startReceiver(reply);
    const webhook = await webhookTo(actor, peer.url);
    await happen(actor);
    await send(actor, webhook, impatient);
    expect(await attemptsTo(webhook)).toEqual([{ attempt: 1, ...expected }]);
    const [delivery] = await deliveriesTo(webhook);
    expect(delivery).toMatchObject({ state: 'waiting', attempts: 1 });
    expect(delivery?.due).toBeGreaterThan(3);
    expect(delivery?.due).toBeLessThanOrEqual(6);
    const alarm = (await jobsFor(webhook)).find(({ key }) => key !== null);
    expect(alarm?.run_in).toBeCloseTo(delivery?.due as number, 0);
    // Not before it is due.
    await send(actor, webhook, impatient);
    expect(peer.requests).toHaveLength(1);
  });

  test('because nobody listens, or because the address is inside, is tried again too', async () => {
    const actor = await exchange.account();
    const down = await webhookTo(actor, `http://127.0.0.1:${await closedPort()}/`);
    const inside = await webhookTo(actor, 'https://inside.example/');
    await happen(actor);
    await send(actor, down);
    expect(await attemptsTo(down)).toEqual([{ attempt: 1, status: null, failure: 'no_connection' }]);
    const guarded = webhookSender({ allowed: [], allowHttp: false, resolveAddresses: async () => ['169.254.169.254'] });
    await send(actor, inside, { webhookSender: guarded });
    expect(await attemptsTo(inside)).toEqual([{ attempt: 1, status: null, failure: 'no_public_address' }]);
    for (const webhook of [down, inside]) expect(await deliveriesTo(webhook)).toMatchObject([{ state: 'waiting' }]);
  });

  test('is abandoned after twelve attempts, with the same id each time', async () => {
    const actor = await exchange.account();
    await using peer = await startReceiver(respondWith(500));
    const webhook = await webhookTo(actor, peer.url);
    await happen(actor);
    for (let attempt = 1; attempt <= 14; attempt += 1) {
      await makeDue(webhook);
      await send(actor, webhook);
    }
    expect(await deliveriesTo(webhook)).toMatchObject([{ state: 'abandoned', attempts: 12 }]);
    expect((await attemptsTo(webhook)).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(new Set(ids(peer.requests)).size).toBe(1);
  });

  test('with Retry-After pauses the webhook for as long, but for an hour at most', async () => {
    const actor = await exchange.account();
    let retryAfter = '120';
    await using peer = await startReceiver((response) => response.writeHead(429, { 'retry-after': retryAfter }).end());
    const webhook = await webhookTo(actor, peer.url);
    await happen(actor);
    await send(actor, webhook);
    expect((await deliveriesTo(webhook))[0]?.due).toBeCloseTo(120, -1);
    await happen(actor);
    await makeDue(webhook);
    await send(actor, webhook);
    expect(peer.requests).toHaveLength(1);
    await query('update webhooks set paused_until = now() where id = $1', [webhook.id]);
    retryAfter = '1000000';
    await send(actor, webhook);
    expect(peer.requests).toHaveLength(3);
    for (const { due } of await deliveriesTo(webhook)) expect(due).toBeCloseTo(3600, -2);
  });
});

describe('a webhook is disabled', () => {
  test('at once when its receiver responds with 410, and its owner is told in their language', async () => {
    const actor = await exchange.account();
    await query("update accounts set language = 'de' where id = $1", [actor.accountId]);
    await using peer = await startReceiver((response) => response.writeHead(410).end());
    const webhook = await webhookTo(actor, peer.url);
    await happen(actor, 20);
    await send(actor, webhook);
    const sent = peer.requests.length;
    expect(sent).toBeLessThanOrEqual(4);
    expect(await store.webhooks.byId(actor.accountId, webhook.id)).toMatchObject({ disabled: { reason: 'gone' } });
    // Waiting deliveries are abandoned, and new events are not sent.
    await send(actor, webhook);
    await happen(actor);
    await send(actor, webhook);
    expect(peer.requests).toHaveLength(sent);
    expect(new Set((await deliveriesTo(webhook)).map(({ state }) => state))).toEqual(new Set(['abandoned']));
    const [job] = await jobsFor(webhook, tellOwnerJob);
    const messageId = job?.payload.messageId as string;
    const mailer = memoryMailer();
    await tellOwner({ ...engines, mailer }, actor.accountId, webhook.id, messageId);
    const [mail] = mailer.sent;
    expect(mail?.to).toBe(actor.email);
    expect(mail?.subject).toBe('An einen Ihrer Webhooks werden keine Ereignisse mehr gesendet');
    expect(mail?.text).toContain(peer.url);
    const audit = await query('select author_name as actor from audit_entries where account_id = $1 and action = $2', [
      actor.accountId,
      'webhook.disabled',
    ]);
    expect(audit).toEqual([{ actor: 'server' }]);
  });

  test('after days on which every request failed, not after fewer, nor when one succeeded', async () => {
    const actor = await exchange.account();
    let status = 500;
    await using peer = await startReceiver((response) => response.writeHead(status).end());
    const webhook = await webhookTo(actor, peer.url);
    const failSince = (seconds: number) =>
      query('update webhooks set failing_since = now() - make_interval(secs => $2) where id = $1', [
        webhook.id,
        seconds,
      ]);
    const attempt = async () => {
      await happen(actor);
      await send(actor, webhook);
      return store.webhooks.byId(actor.accountId, webhook.id);
    };
    expect(await attempt()).toMatchObject({ failingSince: expect.any(Date), disabled: null });
    await failSince(disableAfterSeconds - 60);
    expect(await attempt()).toMatchObject({ disabled: null });
    status = 200;
    await makeDue(webhook);
    expect(await attempt()).toMatchObject({ failingSince: null, disabled: null });
    status = 500;
    expect(await attempt()).toMatchObject({ disabled: null });
    await failSince(disableAfterSeconds + 60);
    expect(await attempt()).toMatchObject({ disabled: { reason: 'failing' } });
    expect(await jobsFor(webhook, tellOwnerJob)).toHaveLength(1);
  });

  test('and its owner is not told if it was enabled in the meantime', async () => {
    const actor = await exchange.account();
    const webhook = await webhookTo(actor, 'https://example.org/');
    await store.webhooks.disable(actor.accountId, webhook.id, 'gone', webhook.id);
    expect(await store.webhooks.disable(actor.accountId, webhook.id, 'failing', webhook.id)).toBe(false);
    await enableWebhook(engines, actor, { id: webhook.id, ifVersion: undefined });
    const { sent, mailer } = outbox();
    await tellOwner({ ...engines, mailer }, actor.accountId, webhook.id, webhook.id);
    expect(sent).toEqual([]);
  });
});

describe('workers', () => {
  test('send to one webhook in turn, and to others meanwhile', async () => {
    const actor = await exchange.account();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await using slow = await startReceiver((response) => void held.then(() => response.writeHead(204).end()));
    await using fast = await startReceiver();
    const [first, second] = [await webhookTo(actor, slow.url), await webhookTo(actor, fast.url)];
    await happen(actor, 12);
    const sending = send(actor, first);
    await expect.poll(() => slow.requests.length).toBe(4);
    await Promise.all([send(actor, first), send(actor, first), send(actor, second), send(actor, second)]);
    expect([slow.requests.length, fast.requests.length]).toEqual([4, 12]);
    release();
    await sending;
    expect(new Set(ids(slow.requests)).size).toBe(12);
    expect(slow.requests).toHaveLength(12);
  });

  test('leave a receiver that fails after a few requests, and come back to it', async () => {
    const actor = await exchange.account();
    await using peer = await startReceiver((response) => response.writeHead(503).end());
    const webhook = await webhookTo(actor, peer.url);
    await happen(actor, 12);
    await send(actor, webhook);
    expect(peer.requests).toHaveLength(4);
    const alarms = (await jobsFor(webhook)).filter(({ key }) => key !== null);
    expect(alarms.map(({ run_in }) => run_in <= 0)).toEqual([true]);
  });

  test('that die leave nothing behind that is not sent later', async () => {
    const actor = await exchange.account();
    await using peer = await startReceiver();
    const webhook = await webhookTo(actor, peer.url);
    await happen(actor, 6);
    // One took the webhook, claimed some and sent one of them.
    const checkpoint = () => {
      throw new Error('killed');
    };
    const release = async () => undefined;
    const dying = { ...store, webhookDeliveries: { ...store.webhookDeliveries, release } };
    await expect(send(actor, webhook, { store: dying, checkpoint })).rejects.toThrow('killed');
    const sent = peer.requests.length;
    await send(actor, webhook);
    expect(peer.requests).toHaveLength(sent);
    await endLease(webhook);
    await query("delete from graphile_worker._private_jobs where payload ->> 'webhookId' = $1", [webhook.id]);
    await query("update webhook_deliveries set due_at = now() - interval '1 minute' where webhook_id = $1", [
      webhook.id,
    ]);
    await sweep(engines);
    expect(await jobsFor(webhook)).toHaveLength(1);
    await send(actor, webhook);
    expect((await deliveriesTo(webhook)).map(({ state }) => state)).toEqual(
      Array.from({ length: 6 }, () => 'delivered'),
    );
    // At least once, and recognisable by the id.
    expect(new Set(ids(peer.requests)).size).toBe(6);
    expect(peer.requests).toHaveLength(6 + sent);
  });

  test('are woken for a webhook although another has more overdue events than a sweep looks at', async () => {
    const actor = await exchange.account();
    const [busy, other] = [
      await webhookTo(actor, 'https://busy.example/'),
      await webhookTo(actor, 'https://other.example/'),
    ];
    await happen(actor, 3);
    await query("delete from graphile_worker._private_jobs where payload ->> 'accountId' = $1", [actor.accountId]);
    for (const [{ id }, age] of [
      [busy, 2],
      [other, 1],
    ] as const) {
      await query('update webhook_deliveries set due_at = now() - make_interval(hours => $2) where webhook_id = $1', [
        id,
        age,
      ]);
    }
    await store.webhookDeliveries.wakeOverdue(30, 2);
    expect([(await jobsFor(busy)).length, (await jobsFor(other)).length]).toEqual([1, 1]);
    // Other tests count what is overdue.
    await query('delete from webhook_deliveries where account_id = $1', [actor.accountId]);
  });

  test('are sent seconds after the database could not show their webhook, and not after its lease', async () => {
    const actor = await exchange.account();
    await using peer = await startReceiver();
    const webhook = await webhookTo(actor, peer.url);
    await happen(actor);
    const jobs = await query(
      `select attempts < max_attempts - 1 as "isRepeated" from graphile_worker.jobs
       where id in (select id from graphile_worker._private_jobs where payload ->> 'webhookId' = $1)`,
      [webhook.id],
    );
    expect(jobs).toEqual([{ isRepeated: true }]);
    let failures = 1;
    const failing = (of: Store): Store => ({
      ...of,
      webhookDeliveries: {
        ...of.webhookDeliveries,
        async take(...call) {
          const taken = await of.webhookDeliveries.take(...call);
          failures -= 1;
          if (failures >= 0) throw new ExchangeError('unavailable');
          return taken;
        },
      },
      transaction: (work) => of.transaction((tx) => work(failing(tx))),
    });
    const changes = { ...impatient, store: failing(store) };
    await expect(send(actor, webhook, changes)).rejects.toMatchObject({ code: 'unavailable' });
    await send(actor, webhook, changes);
    expect(await deliveriesTo(webhook)).toMatchObject([{ state: 'delivered' }]);
  });

  test('do not record for one another: what ends after its lease changes nothing', async () => {
    const actor = await exchange.account();
    const webhook = await webhookTo(actor, 'https://example.org/');
    await happen(actor);
    const late = await store.webhookDeliveries.take(actor.accountId, webhook.id, 60);
    const [old] = await store.webhookDeliveries.claim(actor.accountId, webhook.id, 4, 60);
    await endLease(webhook);
    await makeDue(webhook);
    const next = await store.webhookDeliveries.take(actor.accountId, webhook.id, 60);
    await store.webhookDeliveries.claim(actor.accountId, webhook.id, 4, 60);
    const attempt = { ...makeAttempt(old?.eventId as string), attempt: 1 };
    await store.webhookDeliveries.record(actor.accountId, webhook.id, attempt, 'abandoned');
    expect(await deliveriesTo(webhook)).toMatchObject([{ state: 'waiting', attempts: 2 }]);
    await store.webhookDeliveries.release(actor.accountId, webhook.id, late?.lease as string);
    expect(await store.webhookDeliveries.take(actor.accountId, webhook.id, 60)).toBeUndefined();
    await store.webhookDeliveries.release(actor.accountId, webhook.id, next?.lease as string);
    expect(await store.webhookDeliveries.take(actor.accountId, webhook.id, 60)).toBeDefined();
  });

  test('abandon what waits for a webhook that was removed', async () => {
    const actor = await exchange.account();
    await using peer = await startReceiver();
    const webhook = await webhookTo(actor, peer.url);
    await happen(actor, 3);
    await removeWebhook(engines, actor, { id: webhook.id, ifVersion: undefined });
    await send(actor, webhook);
    expect(peer.requests).toEqual([]);
    expect((await deliveriesTo(webhook)).map(({ state }) => state)).toEqual(['abandoned', 'abandoned', 'abandoned']);
  });
});

describe('while its account is disabled', () => {
  const setDisabled = async (actor: KeyActor, disabled: boolean) =>
    setAccountDisabled(engines, (await store.accounts.byId(actor.accountId)) as Account, disabled);

  test('a webhook is sent nothing; what waits is sent when the account is enabled again', async () => {
    const actor = await exchange.account();
    await using peer = await startReceiver();
    const webhook = await webhookTo(actor, peer.url);
    await happen(actor);
    await setDisabled(actor, true);
    await happen(actor);
    await send(actor, webhook);
    expect(peer.requests).toEqual([]);
    const untried = { state: 'waiting', attempts: 0 };
    expect(await deliveriesTo(webhook)).toMatchObject([untried, untried]);
    await query("delete from graphile_worker._private_jobs where payload ->> 'webhookId' = $1", [webhook.id]);
    await setDisabled(actor, false);
    expect(await jobsFor(webhook)).toHaveLength(1);
    await send(actor, webhook);
    expect(peer.requests).toHaveLength(2);
  });

  test('a turn that has begun ends', async () => {
    const actor = await exchange.account();
    await using peer = await startReceiver((response) => {
      void setDisabled(actor, true).then(() => response.writeHead(204).end());
    });
    const webhook = await webhookTo(actor, peer.url);
    await happen(actor, 10);
    await send(actor, webhook);
    expect(peer.requests).toHaveLength(4);
    await send(actor, webhook);
    expect(peer.requests).toHaveLength(4);
  });

  test('the sweeper does not wake its webhooks, and finds those of others behind them', async () => {
    const [disabled, other] = [await exchange.account(), await exchange.account()];
    const [late, lost] = [
      await webhookTo(disabled, 'https://example.org/'),
      await webhookTo(other, 'https://example.org/'),
    ];
    for (const actor of [disabled, other]) await happen(actor);
    await replayEvents(engines, disabled, late.id, { since: new Date(0) });
    await setDisabled(disabled, true);
    await query('delete from graphile_worker._private_jobs');
    await query("update webhook_deliveries set due_at = now() - interval '2 hours' where webhook_id = $1", [late.id]);
    await query("update webhook_deliveries set due_at = now() - interval '1 hour' where webhook_id = $1", [lost.id]);
    await query("update webhooks set lease_until = now() - interval '1 hour' where id = $1", [late.id]);
    expect(await store.webhookDeliveries.wakeOverdue(60, 1)).toBe(1);
    expect([await jobsFor(late), await jobsFor(lost)]).toMatchObject([[], [{}]]);
  });

  test('its webhooks are not failing: the time does not count', async () => {
    const actor = await exchange.account();
    const webhook = await webhookTo(actor, `http://127.0.0.1:${await closedPort()}/`);
    await happen(actor);
    await send(actor, webhook);
    await setDisabled(actor, true);
    await query("update webhooks set failing_since = now() - interval '6 days' where id = $1", [webhook.id]);
    await setDisabled(actor, false);
    await makeDue(webhook);
    await send(actor, webhook);
    expect(await attemptsTo(webhook)).toHaveLength(2);
    expect((await store.webhooks.byId(actor.accountId, webhook.id))?.disabled).toBeNull();
  });
});

describe('replay', () => {
  test('sends one event again, whatever became of it', async () => {
    const actor = await exchange.account();
    await using peer = await startReceiver();
    const webhook = await webhookTo(actor, peer.url);
    await happen(actor, 2);
    await send(actor, webhook);
    const [eventId] = ids(peer.requests) as [string];
    await replayEvents(engines, actor, webhook.id, { eventId });
    await send(actor, webhook);
    expect(peer.requests).toHaveLength(3);
    expect(ids(peer.requests)[2]).toBe(eventId);
    const unknown = replayEvents(engines, actor, webhook.id, { eventId: webhook.id });
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
  });

  test('sends what has happened since a time, also while the webhook was disabled', async () => {
    const actor = await exchange.account();
    await using peer = await startReceiver();
    const webhook = await webhookTo(actor, peer.url);
    const state = { id: webhook.id, ifVersion: undefined };
    await happen(actor, 1, 'drop.created');
    await send(actor, webhook);
    await query("update webhook_deliveries set occurred_at = now() - interval '2 hours' where webhook_id = $1", [
      webhook.id,
    ]);
    await store.webhooks.disable(actor.accountId, webhook.id, 'gone', webhook.id);
    // More than are revived at once.
    await happen(actor, 1200);
    await enableWebhook(engines, actor, state);
    await send(actor, webhook);
    expect(peer.requests).toHaveLength(1);
    await replayEvents(engines, actor, webhook.id, { since: new Date(Date.now() - 3_600_000) });
    await expect
      .poll(
        async () => {
          await send(actor, webhook);
          return peer.requests.length;
        },
        { timeout: 60_000, interval: 0 },
      )
      .toBe(1201);
    await send(actor, webhook);
    expect(peer.requests).toHaveLength(1201);
    expect(new Set(ids(peer.requests)).size).toBe(1201);
  }, 90_000);

  test('goes on when the worker that did it died', async () => {
    const actor = await exchange.account();
    const webhook = await webhookTo(actor, 'https://example.org/');
    await replayEvents(engines, actor, webhook.id, { since: new Date(0) });
    await store.webhookDeliveries.take(actor.accountId, webhook.id, 60);
    await query("delete from graphile_worker._private_jobs where payload ->> 'webhookId' = $1", [webhook.id]);
    await query("update webhooks set lease_until = now() - interval '1 minute' where id = $1", [webhook.id]);
    await sweep(engines);
    expect(await jobsFor(webhook)).toHaveLength(1);
  });
});

test('deliveries are purged after a while', async () => {
  const actor = await exchange.account();
  await using peer = await startReceiver();
  const webhook = await webhookTo(actor, peer.url);
  await happen(actor, 2);
  await send(actor, webhook);
  const [{ event_id: old } = { event_id: '' }] = await deliveriesTo(webhook);
  await query("update webhook_deliveries set created_at = now() - interval '31 days' where event_id = $1", [old]);
  await query("update webhook_attempts set at = now() - interval '31 days' where event_id = $1", [old]);
  await sweep(engines);
  expect([await deliveriesTo(webhook), await attemptsTo(webhook)]).toMatchObject([{ length: 1 }, { length: 1 }]);
});

const makeAttempt = (eventId: string) => ({
  id: randomUUID(),
  eventId,
  type: 'contact.changed',
  attempt: 1,
  status: 500,
  failure: null,
  durationMs: 1,
});
