import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../../test/exchange.ts';
import { deriveToken, sentLink } from '../../../../test/links.ts';
import { setReceivers } from '../../../domain/drafts/change-draft.ts';
import { dispatchDraft } from '../../../domain/drops/dispatch-draft.ts';
import { findDroppedFile, findLink, findSession } from '../../../domain/links/find-link.ts';
import type { DroppedFile, Link } from '../../../domain/links/link-store.ts';
import { tokenDigest } from '../../../domain/links/link-token.ts';
import { maxSessions, openLink } from '../../../domain/links/open-link.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

const readState = async ({ accountId, dropId, position }: Link) => {
  const [row] = await query(
    'select opened_at, completed_at from links where account_id = $1 and drop_id = $2 and position = $3',
    [accountId, dropId, position],
  );
  return row as { opened_at: Date | null; completed_at: Date | null };
};
const endNow = (dropId: string) => exchange.expire(dropId);

describe('a link', () => {
  test('is found by its token, with all that its page says', async () => {
    const { sender, token, dropId } = await sentLink(exchange, ['a.txt']);
    expect(await findLink(engines, token, 'downloadfiles')).toMatchObject({
      accountId: sender.accountId,
      dropId,
      position: 0,
      type: 'downloadfiles',
      sender: sender.email,
      receiver: 'r@example.org',
      ended: false,
    });
  });

  test('is each receiver’s own', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt'], ['r@example.org', 's@example.org']);
    const tokens = [await deriveToken(exchange, sender, dropId, 0), await deriveToken(exchange, sender, dropId, 1)];
    const links = await Promise.all(tokens.map((token) => findLink(engines, token, 'downloadfiles')));
    expect(links.map(({ receiver }) => receiver)).toEqual(['r@example.org', 's@example.org']);
  });

  test.each([
    '',
    'x',
    'a'.repeat(42),
    'a'.repeat(44),
    `${'a'.repeat(42)}/`,
    'å'.repeat(43),
    randomBytes(32).toString('base64url'),
  ])('is not found by %j', async (token) => {
    await expect(findLink(engines, token, 'downloadfiles')).rejects.toMatchObject({ code: 'not_found' });
    await expect(findSession(engines, token, 'downloadfiles')).rejects.toMatchObject({ code: 'link_not_opened' });
  });

  test('that asks for files opens no download page, nor the other way round', async () => {
    const actor = await exchange.account('r@example.org');
    await setReceivers(engines, actor, '', [{ email: 'r@example.org' }]);
    await dispatchDraft(engines, actor, { draft: '', parameters: {} }, 'uploadfiles');
    const [drop] = await query<{ id: string }>('select id from drops where account_id = $1', [actor.accountId]);
    const upload = await deriveToken(exchange, actor, drop?.id as string, 0);
    await findLink(engines, upload, 'uploadfiles');
    await expect(findLink(engines, upload, 'downloadfiles')).rejects.toMatchObject({ code: 'not_found' });
    const { token } = await sentLink(exchange, ['a.txt']);
    await expect(findLink(engines, token, 'uploadfiles')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('past its deadline says so, in every browser that had opened it', async () => {
    const { token, dropId, link } = await sentLink(exchange, ['a.txt']);
    const secret = await openLink(engines, link);
    await endNow(dropId);
    await expect(findLink(engines, token, 'downloadfiles')).rejects.toMatchObject({ code: 'link_ended' });
    await expect(findSession(engines, secret, 'downloadfiles')).rejects.toMatchObject({ code: 'link_ended' });
  });

  test('that was swept says so too, also when the clock goes back', async () => {
    const { token, dropId } = await sentLink(exchange, ['a.txt']);
    await query("update drops set ended_at = now(), expires_at = now() + interval '1 day' where id = $1", [dropId]);
    await expect(findLink(engines, token, 'downloadfiles')).rejects.toMatchObject({ code: 'link_ended' });
  });
});

describe('opening a link', () => {
  test('is noted once, however often and wherever it is opened', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    expect((await readState(link)).opened_at).toBeNull();
    const first = await openLink(engines, link);
    const { opened_at } = await readState(link);
    expect(opened_at).toBeInstanceOf(Date);
    const second = await openLink(engines, link);
    expect((await readState(link)).opened_at).toEqual(opened_at);
    expect(first).not.toBe(second);
    for (const secret of [first, second]) {
      expect((await findSession(engines, secret, 'downloadfiles')).link).toEqual(link);
    }
  });

  test('again and again keeps the last 50 sessions, however many are opened at once', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const other = await sentLink(exchange, ['a.txt']);
    const untouched = await openLink(engines, other.link);
    const first = await openLink(engines, link);
    const secrets = await Promise.all(Array.from({ length: 120 }, () => openLink(engines, link)));
    const last = await openLink(engines, link);
    const rows = await query<{ digest: Buffer }>(
      'select digest from link_sessions where drop_id = $1 order by created_at desc',
      [link.dropId],
    );
    expect(rows).toHaveLength(maxSessions);
    expect(rows[0]?.digest).toEqual(tokenDigest(last));
    const opened = new Set(secrets.map((secret) => tokenDigest(secret).toString('hex')));
    for (const { digest } of rows.slice(1)) expect(opened.has(digest.toString('hex'))).toBe(true);
    await expect(findSession(engines, first, 'downloadfiles')).rejects.toMatchObject({ code: 'link_not_opened' });
    await findSession(engines, untouched, 'downloadfiles');
  });

  test('does not end the session of a browser that passed a code', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const passed = await openLink(engines, link);
    await query('update link_sessions set passed_at = now() where digest = $1', [tokenDigest(passed)]);
    for (let session = 0; session < maxSessions + 5; session += 1) await openLink(engines, link);
    expect((await findSession(engines, passed, 'downloadfiles')).passed).toBe('mail');
    expect(await query('select from link_sessions where drop_id = $1', [link.dropId])).toHaveLength(maxSessions);
  });

  test('keeps no secret in the database', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const secret = await openLink(engines, link);
    const rows = await query<{ digest: Buffer }>('select digest from link_sessions where drop_id = $1', [link.dropId]);
    expect(rows).toEqual([{ digest: tokenDigest(secret) }]);
  });

  test('a token is no session, and a session no token', async () => {
    const { link, token } = await sentLink(exchange, ['a.txt']);
    const secret = await openLink(engines, link);
    await expect(findSession(engines, token, 'downloadfiles')).rejects.toMatchObject({ code: 'link_not_opened' });
    await expect(findLink(engines, secret, 'downloadfiles')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the files of a link', () => {
  test('are the drop’s, in the order they were sent', async () => {
    const { link } = await sentLink(exchange, ['b.txt', 'a.txt', 'c.txt']);
    expect((await engines.store.links.files(link)).map(({ name }) => name)).toEqual(['b.txt', 'a.txt', 'c.txt']);
  });

  test('are found by id, in this drop only', async () => {
    const [mine, other] = [await sentLink(exchange, ['a.txt']), await sentLink(exchange, ['b.txt'])];
    const [file] = await engines.store.links.files(other.link);
    await findDroppedFile(engines, other.link, file?.id as string);
    for (const id of [file?.id as string, '', 'x', "' or true --"]) {
      await expect(findDroppedFile(engines, mine.link, id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('that were never scanned do not leave where that is required', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const [file] = await engines.store.links.files(link);
    const strict = { ...engines, policy: { ...engines.policy, scan: 'required' as const } };
    await expect(findDroppedFile(strict, link, file?.id as string)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a delivery', () => {
  const complete = async (link: Link) => (await engines.store.links.files(link)).map((file) => file.complete);
  const parts = async (link: Link, ...ranges: [start: number, end: number][]) => {
    const [file] = await engines.store.links.files(link);
    if (!file) throw new Error('no file');
    const responses: boolean[] = [];
    for (const [start, end] of ranges)
      responses.push((await engines.store.links.deliver(link, [{ file, sent: { start, end } }])).link);
    return responses;
  };
  /** "content of a.txt" */
  const size = 16;

  test.each<[string, [number, number][], boolean[]]>([
    ['the whole file', [[0, size]], [true]],
    [
      'the whole file twice',
      [
        [0, size],
        [0, size],
      ],
      [true, false],
    ],
    [
      'a part and the rest',
      [
        [0, 5],
        [5, size],
      ],
      [false, true],
    ],
    [
      'parts that overlap',
      [
        [0, 10],
        [4, 12],
        [11, size],
      ],
      [false, false, true],
    ],
    [
      'a start again after a break',
      [
        [0, 5],
        [0, 3],
        [5, size],
      ],
      [false, false, true],
    ],
    [
      'nothing, then everything',
      [
        [0, 0],
        [0, size],
      ],
      [false, true],
    ],
    ['the end only', [[5, size]], [false]],
    ['the last byte only', [[size - 1, size]], [false]],
    [
      'both ends, with a gap',
      [
        [0, 5],
        [6, size],
      ],
      [false, false],
    ],
    [
      'the end before the start',
      [
        [5, size],
        [0, 5],
      ],
      [false, true],
    ],
    [
      'a gap that is filled later',
      [
        [0, 5],
        [6, size],
        [5, size],
      ],
      [false, false, true],
    ],
    ['all but the last byte', [[0, size - 1]], [false]],
  ])('of %s', async (_what, ranges, responses) => {
    const { link } = await sentLink(exchange, ['a.txt']);
    expect(await parts(link, ...ranges)).toEqual(responses);
    const whole = responses.includes(true);
    expect(await complete(link)).toEqual([whole]);
    expect((await readState(link)).completed_at !== null).toBe(whole);
  });

  test('of any ranges in any order is complete exactly when together they are the file', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const range = fc
      .tuple(fc.nat(size), fc.nat(size))
      .map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]);
    // Cut anywhere and shuffled, with a few more ranges: complete sets, which random ranges alone would rarely form.
    const cutUp = fc.uniqueArray(fc.nat(size), { maxLength: 6 }).map((cuts) => {
      const edges = [0, ...cuts, size].toSorted((a, b) => a - b);
      return edges.slice(1).map((end, index): [number, number] => [edges[index] as number, end]);
    });
    const ranges = fc
      .tuple(fc.oneof(fc.constant([]), cutUp), fc.array(range, { maxLength: 6 }))
      .chain(([pieces, more]) => fc.shuffledSubarray([...pieces, ...more]));
    await fc.assert(
      fc.asyncProperty(ranges, async (sent) => {
        await query('delete from deliveries where drop_id = $1', [link.dropId]);
        await query('update links set completed_at = null where drop_id = $1', [link.dropId]);
        const bytes = new Set<number>();
        const expected = sent.map(([start, end]) => {
          const before = bytes.size;
          for (let byte = start; byte < end; byte += 1) bytes.add(byte);
          return before < size && bytes.size === size;
        });
        expect(await parts(link, ...sent)).toEqual(expected);
        expect((await readState(link)).completed_at !== null).toBe(bytes.size === size);
      }),
      { numRuns: 150 },
    );
  });

  test('in more pieces than are kept discards the shortest, and is never complete by mistake', async () => {
    const { link } = await sentLink(exchange, ['a.txt']);
    const [{ id } = { id: '' }] = await engines.store.links.files(link);
    const file = { id, sizeBytes: 10_000 };
    await engines.store.links.deliver(link, [{ file, sent: { start: 5_000, end: 5_001 } }]);
    await query(
      `update deliveries set delivered = delivered + (select range_agg(int8range(n * 4, n * 4 + 2)) from generate_series(0, 999) as n)
       where drop_id = $1`,
      [link.dropId],
    );
    const kept = async () => {
      const [row] = await query<{ ranges: number; bytes: number }>(
        `select count(*)::int as ranges, sum(upper(part) - lower(part))::int as bytes
         from deliveries, unnest(delivered) as part where drop_id = $1`,
        [link.dropId],
      );
      return row;
    };
    // The range of one byte is the shortest of 1,002.
    expect((await engines.store.links.deliver(link, [{ file, sent: { start: 9_000, end: 10_000 } }])).link).toBe(false);
    expect(await kept()).toEqual({ ranges: 1_000, bytes: 999 * 2 + 1_000 });
    expect((await engines.store.links.deliver(link, [{ file, sent: { start: 0, end: 5_000 } }])).link).toBe(false);
    expect((await engines.store.links.deliver(link, [{ file, sent: { start: 5_001, end: 9_000 } }])).link).toBe(false);
    expect((await engines.store.links.deliver(link, [{ file, sent: { start: 4_900, end: 5_100 } }])).link).toBe(true);
    expect(await kept()).toEqual({ ranges: 1, bytes: 10_000 });
  });

  test('of an empty file is complete when it was fetched', async () => {
    const actor = await exchange.account('r@example.org');
    await exchange.upload(actor, 'empty.txt', '');
    const { link } = await sentLink(exchange, [], ['r@example.org'], actor);
    expect(await parts(link, [0, 0])).toEqual([true]);
  });

  test('completes the drop with its last file, for this receiver only', async () => {
    const { sender, link, dropId } = await sentLink(exchange, ['a.txt', 'b.txt'], ['r@example.org', 's@example.org']);
    const other = await findLink(engines, await deriveToken(exchange, sender, dropId, 1), 'downloadfiles');
    const [a, b] = await engines.store.links.files(link);
    if (!a || !b) throw new Error('no files');
    const whole = { start: 0, end: size };
    expect((await engines.store.links.deliver(link, [{ file: a, sent: whole }])).link).toBe(false);
    expect((await engines.store.links.deliver(other, [{ file: b, sent: whole }])).link).toBe(false);
    expect((await engines.store.links.deliver(link, [{ file: b, sent: whole }])).link).toBe(true);
    expect((await engines.store.links.deliver(link, [{ file: b, sent: whole }])).link).toBe(false);
    expect(await complete(link)).toEqual([true, true]);
    expect(await complete(other)).toEqual([false, true]);
    expect((await readState(other)).completed_at).toBeNull();
  });

  test('of several files at once counts the bytes of each', async () => {
    const { link } = await sentLink(exchange, ['a.txt', 'b.txt', 'c.txt']);
    const [a, b, c] = (await engines.store.links.files(link)) as [DroppedFile, DroppedFile, DroppedFile];
    const deliver = (...sent: [DroppedFile, number, number][]) =>
      engines.store.links.deliver(
        link,
        sent.map(([file, start, end]) => ({ file, sent: { start, end } })),
      );
    expect((await deliver([a, 0, size], [b, 0, 5])).link).toBe(false);
    expect(await complete(link)).toEqual([true, false, false]);
    const rest = [
      [b, 5, size],
      [c, 0, size],
    ] as [DroppedFile, number, number][];
    expect((await deliver(...rest)).link).toBe(true);
    expect(await complete(link)).toEqual([true, true, true]);
    expect((await deliver(...rest)).link).toBe(false);
  });

  test('of the last files at the same moment completes the drop exactly once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { link } = await sentLink(exchange, ['a.txt', 'b.txt', 'c.txt']);
      const files = await engines.store.links.files(link);
      const responses = await Promise.all(
        [...files, ...files].map((file) =>
          engines.store.links.deliver(link, [{ file, sent: { start: 0, end: size } }]),
        ),
      );
      expect(responses.filter(({ link: isComplete }) => isComplete)).toHaveLength(1);
      expect((await readState(link)).completed_at).toBeInstanceOf(Date);
    }
  });
});
