import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../testing/exchange.ts';
import type { Actor } from '../actor.ts';
import { openFileList } from '../drafts/open-file-list.ts';
import { setReceivers } from '../drafts/set-receivers.ts';
import { ExchangeError } from '../exchange-error.ts';
import { respondOnce } from '../idempotency/respond-once.ts';
import { linkToken, tokenDigest } from '../links/link-token.ts';
import { createDrop, createFileRequest, type Dispatch } from './dispatch-draft.ts';

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
    await createDrop(engines, actor, dispatch({ desttime: 3, ddmessage: 'hello' }));
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
    await createDrop(engines, actor, dispatch());
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
    await createDrop(engines, actor, dispatch());
    const [{ count } = { count: 0 }] = await query<{ count: number }>(
      `select count(*) from messages join graphile_worker._private_jobs job on job.payload ->> 'messageId' = messages.id::text
       where messages.account_id = $1`,
      [actor.accountId],
    );
    expect(count).toBe(2);
  });

  test('lasts as long as the policy says when nothing is asked for', async () => {
    const actor = await ready();
    await createDrop(engines, actor, dispatch());
    expect(await readDrops(actor)).toMatchObject([{ lifetime: 7, days: 7, message: '' }]);
  });

  test.each([['desttime beyond the most', { desttime: 31 }]])('is refused for %s', async (_what, parameters) => {
    const actor = await ready();
    await expect(createDrop(engines, actor, dispatch(parameters))).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await countRows('drops', actor)).toBe(0);
  });

  test('needs receivers, an open list and files, in this order', async () => {
    const actor = await exchange.account('r@example.org');
    const code = () =>
      createDrop(engines, actor, dispatch()).then(
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
    await createDrop(engines, actor, dispatch({ ddmessage: '1' }));
    await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
    await exchange.upload(actor, 'c.txt');
    const second = createDrop(engines, actor, dispatch({ ddmessage: '2' }));
    await expect(second).rejects.toMatchObject({ code: 'file_list_not_initialized' });
  });

  test('takes only the draft it names', async () => {
    const actor = await ready(['mine.txt']);
    await exchange.prepare(actor, ['s@example.org'], ['theirs.txt'], 'other');
    await createDrop(engines, actor, dispatch());
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
    await expect(createDrop({ ...engines, checkpoint }, actor, dispatch())).rejects.toThrow('lost');
    expect([
      await countRows('drops', actor),
      await countRows('links', actor),
      await countRows('messages', actor),
      await countRows('evidence_entries', actor),
    ]).toEqual([0, 0, 0, 0]);
    expect(await engines.store.files.staged(actor.accountId, '')).toHaveLength(2);
    await createDrop(engines, actor, dispatch());
    expect(await countRows('drops', actor)).toBe(1);
  });
});

describe('a repeated dispatch', () => {
  test('ten times at once is one drop, and nobody is refused', async () => {
    const actor = await ready();
    await Promise.all(Array.from({ length: 10 }, () => createDrop(engines, actor, dispatch({ ddmessage: 'once' }))));
    expect(await readDrops(actor)).toMatchObject([{ receiver_count: 2, file_count: 2 }]);
    expect([await countRows('links', actor), await countRows('messages', actor)]).toEqual([2, 2]);
  });

  test('with another body is not one', async () => {
    const actor = await ready();
    await createDrop(engines, actor, dispatch({ ddmessage: 'one' }));
    await expect(createDrop(engines, actor, dispatch({ ddmessage: 'other' }))).rejects.toMatchObject({
      code: 'no_receivers',
    });
    await expect(createDrop(engines, actor, dispatch({ ddmessage: 'one', desttime: 7 }))).rejects.toMatchObject({
      code: 'no_receivers',
    });
  });

  test('is not one once the draft holds something new', async () => {
    const actor = await ready();
    await createDrop(engines, actor, dispatch());
    await exchange.prepare(actor, ['r@example.org'], ['c.txt']);
    await createDrop(engines, actor, dispatch());
    expect(await countRows('drops', actor)).toBe(2);
  });

  test('is not one after ten minutes', async () => {
    const actor = await ready();
    await createDrop(engines, actor, dispatch());
    await query(
      `update drafts set dispatches =
         jsonb_set(dispatches, '{0,at}', to_jsonb(now() - interval '601 seconds')) where account_id = $1`,
      [actor.accountId],
    );
    await expect(createDrop(engines, actor, dispatch())).rejects.toMatchObject({ code: 'no_receivers' });
  });

  test('is one although others were dispatched in between', async () => {
    const actor = await ready();
    await createDrop(engines, actor, dispatch());
    await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
    await createFileRequest(engines, actor, dispatch());
    await exchange.prepare(actor, ['r@example.org'], ['c.txt']);
    await createDrop(engines, actor, dispatch({ ddmessage: 'another' }));
    await createDrop(engines, actor, dispatch());
    await createFileRequest(engines, actor, dispatch());
    expect(await countRows('drops', actor)).toBe(3);
  });

  test('is remembered for the last ten dispatches', async () => {
    const actor = await ready();
    await createDrop(engines, actor, dispatch());
    for (let request = 0; request < 10; request += 1) {
      await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
      await createFileRequest(engines, actor, dispatch({ ddmessage: `request ${request}` }));
    }
    await createFileRequest(engines, actor, dispatch({ ddmessage: 'request 0' }));
    expect(await countRows('drops', actor)).toBe(11);
    await expect(createDrop(engines, actor, dispatch())).rejects.toMatchObject({ code: 'no_receivers' });
  });

  test('as a request is not one', async () => {
    const actor = await ready();
    await createDrop(engines, actor, dispatch());
    await expect(createFileRequest(engines, actor, dispatch())).rejects.toMatchObject({ code: 'no_receivers' });
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string, parameters: Dispatch['parameters'] = {}) => dispatch(parameters, { idempotencyKey: key });

  test('decides alone: the same one makes nothing new, although the draft is full again', async () => {
    const actor = await ready();
    await createDrop(engines, actor, keyed('k'));
    await exchange.prepare(actor, ['r@example.org'], ['c.txt']);
    await createDrop(engines, actor, keyed('k'));
    expect(await countRows('drops', actor)).toBe(1);
    expect(await engines.store.files.staged(actor.accountId, '')).toHaveLength(1);
    await createDrop(engines, actor, keyed('another'));
    expect(await countRows('drops', actor)).toBe(2);
  });

  test('ten times at once is one drop', async () => {
    const actor = await ready();
    await Promise.all(Array.from({ length: 10 }, () => createDrop(engines, actor, keyed('k'))));
    expect(await countRows('drops', actor)).toBe(1);
  });

  test('is refused for another request', async () => {
    const actor = await ready();
    await createDrop(engines, actor, keyed('k', { ddmessage: 'one' }));
    const reused = { code: 'idempotency_key_reused' };
    await expect(createDrop(engines, actor, keyed('k', { ddmessage: 'two' }))).rejects.toMatchObject(reused);
    await expect(createFileRequest(engines, actor, keyed('k', { ddmessage: 'one' }))).rejects.toMatchObject(reused);
  });

  test('is refused for another API key', async () => {
    const actor = await ready();
    const withKey = (id: string) => ({ ...actor, author: { ...actor.author, id } });
    const [one, other] = [withKey(randomUUID()), withKey(randomUUID())];
    await createDrop(engines, one, keyed('k'));
    await expect(createDrop(engines, other, keyed('k'))).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    await createDrop(engines, one, keyed('k'));
    expect(await countRows('drops', actor)).toBe(1);
  });

  test('of a failed request may be used again', async () => {
    const actor = await exchange.account('r@example.org');
    await expect(createDrop(engines, actor, keyed('k'))).rejects.toMatchObject({ code: 'no_receivers' });
    await exchange.prepare(actor, ['r@example.org'], ['a.txt']);
    await createDrop(engines, actor, keyed('k'));
    expect(await countRows('drops', actor)).toBe(1);
  });

  test('of /api/v1 is not one of the machine API', async () => {
    const actor = await ready();
    const request = { api: 'v1', idempotencyKey: 'k', digest: randomBytes(32) } as const;
    await respondOnce(engines, actor, request, async () => ({ status: 200, headers: {}, body: '' }));
    await createDrop(engines, actor, keyed('k'));
    expect(await countRows('drops', actor)).toBe(1);
  });

  test('of one account is not another’s', async () => {
    const [one, other] = [await ready(), await ready()];
    await createDrop(engines, one, keyed('k'));
    await createDrop(engines, other, keyed('k'));
    expect(await countRows('drops', other)).toBe(1);
  });
});

describe('a request', () => {
  test('needs receivers and nothing else, and leaves files and list as they are', async () => {
    const actor = await ready(['staged.txt']);
    await createFileRequest(engines, actor, dispatch({ desttime: 2 }));
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
    await expect(createFileRequest(engines, actor, dispatch())).rejects.toMatchObject({ code: 'no_receivers' });
    await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
    await Promise.all(Array.from({ length: 5 }, () => createFileRequest(engines, actor, dispatch())));
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
    ['a drop', createDrop],
    ['a request', createFileRequest],
  ])('%s is refused, says how long to wait and leaves no trace', async (_what, send) => {
    const actor = await ready();
    const before = [await traces(actor), await jobs()];
    const { asked, engines: full } = limited(1234);
    await expect(send(full, actor, dispatch({}, { idempotencyKey: 'once' }))).rejects.toMatchObject({
      code: 'too_many_messages',
      retryAfterSeconds: 1234,
    });
    expect([await traces(actor), await jobs()]).toEqual(before);
    expect(asked).toEqual([[actor.accountId, ['r@example.org', 's@example.org']]]);
    await send(engines, actor, dispatch({}, { idempotencyKey: 'once' }));
    expect(await countRows('drops', actor)).toBe(1);
  });

  test('only what would be sent is counted: no repetition, and nothing that is refused anyway', async () => {
    const actor = await ready();
    const { asked, engines: counting } = limited(0);
    await createDrop(counting, actor, dispatch());
    await createDrop(counting, actor, dispatch());
    expect(asked).toHaveLength(1);
    await expect(createDrop(counting, actor, dispatch({ ddmessage: 'x' }))).rejects.toMatchObject({
      code: 'no_receivers',
    });
    await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
    await openFileList(engines, actor, '');
    await expect(createDrop(counting, actor, dispatch({ ddmessage: 'x' }))).rejects.toMatchObject({ code: 'no_files' });
    expect(asked).toHaveLength(1);
  });

  test('a dispatch that cannot be counted is not made', async () => {
    const actor = await ready();
    const before = await traces(actor);
    const acquire = () => Promise.reject(new ExchangeError('unavailable'));
    await expect(createDrop({ ...engines, messageLimit: { acquire } }, actor, dispatch())).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(await traces(actor)).toEqual(before);
  });
});
