import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import type { Actor } from '../actor.ts';
import { openFileList, setReceivers } from '../drafts/change-draft.ts';
import { ExchangeError } from '../exchange-error.ts';
import { respondOnce } from '../idempotency/respond-once.ts';
import { linkToken, tokenDigest } from '../links/link-token.ts';
import { type Dispatch, dispatchDraft } from './dispatch-draft.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

const dispatch = (parameters: Dispatch['parameters'] = {}, more: Partial<Dispatch> = {}): Dispatch => ({
  draft: '',
  parameters,
  ...more,
});
const readDrops = (actor: Actor) =>
  query<{
    id: string;
    type: string;
    receiver_count: number;
    file_count: number;
    lifetime: number;
    message: string;
    days: number;
  }>(
    `select id, type, receiver_count, file_count, lifetime, message, extract(epoch from expires_at - created_at)::int / 86400 as days
     from drops where account_id = $1 order by created_at`,
    [actor.accountId],
  );
const countRows = async (table: 'links' | 'messages' | 'drops' | 'evidence_entries', actor: Actor) => {
  const [row] = await query<{ count: number }>(`select count(*) from ${table} where account_id = $1`, [
    actor.accountId,
  ]);
  return row?.count;
};
const ready = async (files = ['a.txt', 'b.txt']) => {
  const actor = await exchange.account('r@example.org', 's@example.org');
  await exchange.prepare(actor, ['r@example.org', 's@example.org'], files);
  return actor;
};

describe('a dispatch', () => {
  test('makes one drop, a link and a mail for each receiver, and consumes the draft', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, dispatch({ desttime: 3, ddmessage: 'hello' }), 'downloadfiles');
    expect(await readDrops(actor)).toEqual([
      {
        id: expect.any(String),
        type: 'downloadfiles',
        receiver_count: 2,
        file_count: 2,
        lifetime: 3,
        message: 'hello',
        days: 3,
      },
    ]);
    expect([await countRows('links', actor), await countRows('messages', actor)]).toEqual([2, 2]);
    expect(await engines.store.files.staged(actor.accountId, '')).toEqual([]);
    const draft = await engines.store.transaction((tx) => tx.drafts.lock(actor.accountId, ''));
    expect(draft).toMatchObject({ receivers: [], listOpened: false });
  });

  test('keeps no link’s token: only its digest, and the wrapped key it is made from', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, dispatch(), 'downloadfiles');
    const [drop] = await query<{ id: string; link_key: Buffer; key_day: number }>(
      'select id, link_key, key_day from drops where account_id = $1',
      [actor.accountId],
    );
    if (!drop) throw new Error('no drop');
    const linkKey = await engines.dayKeys.unwrap(drop.link_key, drop.key_day, drop.id);
    const links = await query<{ token_digest: Buffer }>(
      'select token_digest from links where account_id = $1 order by position',
      [actor.accountId],
    );
    expect(links.map((link) => link.token_digest)).toEqual([0, 1].map((at) => tokenDigest(linkToken(linkKey, at))));
  });

  test('enqueues the job of each mail with it', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, dispatch(), 'downloadfiles');
    const [{ count } = { count: 0 }] = await query<{ count: number }>(
      `select count(*) from messages join graphile_worker._private_jobs job on job.payload ->> 'messageId' = messages.id::text
       where messages.account_id = $1`,
      [actor.accountId],
    );
    expect(count).toBe(2);
  });

  test('lasts as long as the policy says when nothing is asked for', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, dispatch(), 'downloadfiles');
    expect(await readDrops(actor)).toMatchObject([{ lifetime: 7, days: 7, message: '' }]);
  });

  test.each([['desttime beyond the most', { desttime: 31 }]])('is refused for %s', async (_what, parameters) => {
    const actor = await ready();
    await expect(dispatchDraft(engines, actor, dispatch(parameters), 'downloadfiles')).rejects.toMatchObject({
      code: 'invalid_input',
    });
    expect(await countRows('drops', actor)).toBe(0);
  });

  test('needs receivers, an open list and files, in this order', async () => {
    const actor = await exchange.account('r@example.org');
    const code = () =>
      dispatchDraft(engines, actor, dispatch(), 'downloadfiles').then(
        () => 'sent',
        (error: { code: string }) => error.code,
      );
    expect(await code()).toBe('no_receivers');
    await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
    expect(await code()).toBe('file_list_not_initialized');
    await openFileList(engines, actor, '');
    expect(await code()).toBe('no_files');
    await exchange.upload(actor, 'a.txt');
    expect(await code()).toBe('sent');
  });

  test('needs the list opened again after the last one', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, dispatch({ ddmessage: '1' }), 'downloadfiles');
    await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
    await exchange.upload(actor, 'c.txt');
    const second = dispatchDraft(engines, actor, dispatch({ ddmessage: '2' }), 'downloadfiles');
    await expect(second).rejects.toMatchObject({ code: 'file_list_not_initialized' });
  });

  test('takes only the draft it names', async () => {
    const actor = await ready(['mine.txt']);
    await exchange.prepare(actor, ['s@example.org'], ['theirs.txt'], 'other');
    await dispatchDraft(engines, actor, dispatch(), 'downloadfiles');
    expect(await readDrops(actor)).toMatchObject([{ receiver_count: 2, file_count: 1 }]);
    expect(await engines.store.files.staged(actor.accountId, 'other')).toHaveLength(1);
  });

  test.each([
    'drop:inserted',
    'drop:files-moved',
    'drop:messages-enqueued',
    'drop:evidence-written',
    'drop:before-commit',
  ])('that fails at %s leaves no trace', async (point) => {
    const actor = await ready();
    const checkpoint = (name: string) => {
      if (name === point) throw new Error('lost');
    };
    await expect(dispatchDraft({ ...engines, checkpoint }, actor, dispatch(), 'downloadfiles')).rejects.toThrow('lost');
    expect([
      await countRows('drops', actor),
      await countRows('links', actor),
      await countRows('messages', actor),
      await countRows('evidence_entries', actor),
    ]).toEqual([0, 0, 0, 0]);
    expect(await engines.store.files.staged(actor.accountId, '')).toHaveLength(2);
    await dispatchDraft(engines, actor, dispatch(), 'downloadfiles');
    expect(await countRows('drops', actor)).toBe(1);
  });
});

describe('a repeated dispatch', () => {
  test('ten times at once is one drop, and nobody is refused', async () => {
    const actor = await ready();
    await Promise.all(
      Array.from({ length: 10 }, () => dispatchDraft(engines, actor, dispatch({ ddmessage: 'once' }), 'downloadfiles')),
    );
    expect(await readDrops(actor)).toMatchObject([{ receiver_count: 2, file_count: 2 }]);
    expect([await countRows('links', actor), await countRows('messages', actor)]).toEqual([2, 2]);
  });

  test('with another body is not one', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, dispatch({ ddmessage: 'one' }), 'downloadfiles');
    await expect(
      dispatchDraft(engines, actor, dispatch({ ddmessage: 'other' }), 'downloadfiles'),
    ).rejects.toMatchObject({
      code: 'no_receivers',
    });
    await expect(
      dispatchDraft(engines, actor, dispatch({ ddmessage: 'one', desttime: 7 }), 'downloadfiles'),
    ).rejects.toMatchObject({
      code: 'no_receivers',
    });
  });

  test('is not one once the draft holds something new', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, dispatch(), 'downloadfiles');
    await exchange.prepare(actor, ['r@example.org'], ['c.txt']);
    await dispatchDraft(engines, actor, dispatch(), 'downloadfiles');
    expect(await countRows('drops', actor)).toBe(2);
  });

  test('is not one after ten minutes', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, dispatch(), 'downloadfiles');
    await query(
      `update drafts set dispatches =
         jsonb_set(dispatches, '{0,at}', to_jsonb(now() - interval '601 seconds')) where account_id = $1`,
      [actor.accountId],
    );
    await expect(dispatchDraft(engines, actor, dispatch(), 'downloadfiles')).rejects.toMatchObject({
      code: 'no_receivers',
    });
  });

  test('is one although others were dispatched in between', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, dispatch(), 'downloadfiles');
    await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
    await dispatchDraft(engines, actor, dispatch(), 'uploadfiles');
    await exchange.prepare(actor, ['r@example.org'], ['c.txt']);
    await dispatchDraft(engines, actor, dispatch({ ddmessage: 'another' }), 'downloadfiles');
    await dispatchDraft(engines, actor, dispatch(), 'downloadfiles');
    await dispatchDraft(engines, actor, dispatch(), 'uploadfiles');
    expect(await countRows('drops', actor)).toBe(3);
  });

  test('is remembered for the last ten dispatches', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, dispatch(), 'downloadfiles');
    for (let request = 0; request < 10; request += 1) {
      await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
      await dispatchDraft(engines, actor, dispatch({ ddmessage: `request ${request}` }), 'uploadfiles');
    }
    await dispatchDraft(engines, actor, dispatch({ ddmessage: 'request 0' }), 'uploadfiles');
    expect(await countRows('drops', actor)).toBe(11);
    await expect(dispatchDraft(engines, actor, dispatch(), 'downloadfiles')).rejects.toMatchObject({
      code: 'no_receivers',
    });
  });

  test('as a request is not one', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, dispatch(), 'downloadfiles');
    await expect(dispatchDraft(engines, actor, dispatch(), 'uploadfiles')).rejects.toMatchObject({
      code: 'no_receivers',
    });
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string, parameters: Dispatch['parameters'] = {}) => dispatch(parameters, { idempotencyKey: key });

  test('decides alone: the same one makes nothing new, although the draft is full again', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, keyed('k'), 'downloadfiles');
    await exchange.prepare(actor, ['r@example.org'], ['c.txt']);
    await dispatchDraft(engines, actor, keyed('k'), 'downloadfiles');
    expect(await countRows('drops', actor)).toBe(1);
    expect(await engines.store.files.staged(actor.accountId, '')).toHaveLength(1);
    await dispatchDraft(engines, actor, keyed('another'), 'downloadfiles');
    expect(await countRows('drops', actor)).toBe(2);
  });

  test('ten times at once is one drop', async () => {
    const actor = await ready();
    await Promise.all(Array.from({ length: 10 }, () => dispatchDraft(engines, actor, keyed('k'), 'downloadfiles')));
    expect(await countRows('drops', actor)).toBe(1);
  });

  test('is refused for another request', async () => {
    const actor = await ready();
    await dispatchDraft(engines, actor, keyed('k', { ddmessage: 'one' }), 'downloadfiles');
    const reused = { code: 'idempotency_key_reused' };
    await expect(
      dispatchDraft(engines, actor, keyed('k', { ddmessage: 'two' }), 'downloadfiles'),
    ).rejects.toMatchObject(reused);
    await expect(dispatchDraft(engines, actor, keyed('k', { ddmessage: 'one' }), 'uploadfiles')).rejects.toMatchObject(
      reused,
    );
  });

  test('is refused for another API key', async () => {
    const actor = await ready();
    const withKey = (id: string) => ({ ...actor, author: { ...actor.author, id } });
    const [one, other] = [withKey(randomUUID()), withKey(randomUUID())];
    await dispatchDraft(engines, one, keyed('k'), 'downloadfiles');
    await expect(dispatchDraft(engines, other, keyed('k'), 'downloadfiles')).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    await dispatchDraft(engines, one, keyed('k'), 'downloadfiles');
    expect(await countRows('drops', actor)).toBe(1);
  });

  test('of a failed request may be used again', async () => {
    const actor = await exchange.account('r@example.org');
    await expect(dispatchDraft(engines, actor, keyed('k'), 'downloadfiles')).rejects.toMatchObject({
      code: 'no_receivers',
    });
    await exchange.prepare(actor, ['r@example.org'], ['a.txt']);
    await dispatchDraft(engines, actor, keyed('k'), 'downloadfiles');
    expect(await countRows('drops', actor)).toBe(1);
  });

  test('of /api/v1 is not one of the machine API', async () => {
    const actor = await ready();
    const request = { api: 'v1', idempotencyKey: 'k', digest: randomBytes(32) } as const;
    await respondOnce(engines, actor, request, async () => ({ status: 200, headers: {}, body: '' }));
    await dispatchDraft(engines, actor, keyed('k'), 'downloadfiles');
    expect(await countRows('drops', actor)).toBe(1);
  });

  test('of one account is not another’s', async () => {
    const [one, other] = [await ready(), await ready()];
    await dispatchDraft(engines, one, keyed('k'), 'downloadfiles');
    await dispatchDraft(engines, other, keyed('k'), 'downloadfiles');
    expect(await countRows('drops', other)).toBe(1);
  });
});

describe('a request', () => {
  test('needs receivers and nothing else, and leaves files and list as they are', async () => {
    const actor = await ready(['staged.txt']);
    await dispatchDraft(engines, actor, dispatch({ desttime: 2 }), 'uploadfiles');
    expect(await readDrops(actor)).toMatchObject([
      { type: 'uploadfiles', receiver_count: 2, file_count: 0, lifetime: 2 },
    ]);
    expect([await countRows('links', actor), await countRows('messages', actor)]).toEqual([2, 2]);
    expect(await engines.store.files.staged(actor.accountId, '')).toHaveLength(1);
    const draft = await engines.store.transaction((tx) => tx.drafts.lock(actor.accountId, ''));
    expect(draft).toMatchObject({ receivers: [], listOpened: true });
    expect(await engines.store.drops.countLive(actor.accountId)).toBe(0);
  });

  test('without receivers is refused, and repeated makes nothing new', async () => {
    const actor = await exchange.account('r@example.org');
    await expect(dispatchDraft(engines, actor, dispatch(), 'uploadfiles')).rejects.toMatchObject({
      code: 'no_receivers',
    });
    await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
    await Promise.all(Array.from({ length: 5 }, () => dispatchDraft(engines, actor, dispatch(), 'uploadfiles')));
    expect(await countRows('drops', actor)).toBe(1);
  });
});

describe('beyond the messages that an hour allows', () => {
  const limited = (response: number) => {
    const asked: [accountId: string, receivers: readonly string[]][] = [];
    const acquire = async (...question: (typeof asked)[0]) => {
      asked.push(question);
      return response;
    };
    return { asked, engines: { ...engines, messageLimit: { acquire } } };
  };
  const traces = (actor: Actor) =>
    Promise.all(
      ['drops', 'links', 'messages', 'audit_entries', 'responses', 'files', 'drafts', 'inbox_entries'].map((table) =>
        query(`select * from ${table} where account_id = $1`, [actor.accountId]),
      ),
    );
  const jobs = () => query('select key from graphile_worker.jobs order by key');

  test.each([
    ['a drop', 'downloadfiles'],
    ['a request', 'uploadfiles'],
  ] as const)('%s is refused, says how long to wait and leaves no trace', async (_what, type) => {
    const actor = await ready();
    const before = [await traces(actor), await jobs()];
    const { asked, engines: full } = limited(1234);
    await expect(dispatchDraft(full, actor, dispatch({}, { idempotencyKey: 'once' }), type)).rejects.toMatchObject({
      code: 'too_many_messages',
      retryAfterSeconds: 1234,
    });
    expect([await traces(actor), await jobs()]).toEqual(before);
    expect(asked).toEqual([[actor.accountId, ['r@example.org', 's@example.org']]]);
    await dispatchDraft(engines, actor, dispatch({}, { idempotencyKey: 'once' }), type);
    expect(await countRows('drops', actor)).toBe(1);
  });

  test('only what would be sent is counted: no repetition, and nothing that is refused anyway', async () => {
    const actor = await ready();
    const { asked, engines: counting } = limited(0);
    await dispatchDraft(counting, actor, dispatch(), 'downloadfiles');
    await dispatchDraft(counting, actor, dispatch(), 'downloadfiles');
    expect(asked).toHaveLength(1);
    await expect(dispatchDraft(counting, actor, dispatch({ ddmessage: 'x' }), 'downloadfiles')).rejects.toMatchObject({
      code: 'no_receivers',
    });
    await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
    await openFileList(engines, actor, '');
    await expect(dispatchDraft(counting, actor, dispatch({ ddmessage: 'x' }), 'downloadfiles')).rejects.toMatchObject({
      code: 'no_files',
    });
    expect(asked).toHaveLength(1);
  });

  test('a dispatch that cannot be counted is not made', async () => {
    const actor = await ready();
    const before = await traces(actor);
    const acquire = () => Promise.reject(new ExchangeError('unavailable'));
    await expect(
      dispatchDraft({ ...engines, messageLimit: { acquire } }, actor, dispatch(), 'downloadfiles'),
    ).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(await traces(actor)).toEqual(before);
  });
});
