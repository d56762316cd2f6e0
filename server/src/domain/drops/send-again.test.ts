// Drops that have the same files share their objects, and nothing else.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readyUpload } from '../../../test/account-uploads.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { deriveToken } from '../../../test/links.ts';
import { sendDrop } from '../../../test/send-drop.ts';
import type { SealedFile } from '../files/file-store.ts';
import { readSealed } from '../files/read-sealed.ts';
import { chunkKey } from '../files/sealing.ts';
import { placeHold, releaseHold } from '../holds/change-holds.ts';
import { findLink } from '../links/find-link.ts';
import type { Store } from '../store.ts';
import { sweep } from '../sweep.ts';
import { prepareExtension } from './extend-drop.ts';
import { restoreDrop, revokeSentDrop, undoSeconds } from './revoke-drop.ts';
import { findOwnFiles } from './sent-files.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;
const sequences = Number(process.env['WAYBILL_SEND_AGAIN_SEQUENCES'] ?? 25);
const signal = new AbortController().signal;
const daySeconds = 86_400;

type Account = Awaited<ReturnType<typeof exchange.account>>;
const sentId = (dropId: string) => ({ type: 'downloadfiles', dropId }) as const;

const send = (account: Account, files: Parameters<typeof sendDrop>[2], within?: { readonly store: Store }) =>
  sendDrop(exchange, account, files, within);

async function read(file: SealedFile): Promise<string> {
  const pieces: Buffer[] = [];
  const all = { start: 0, end: file.sizeBytes };
  for await (const piece of readSealed(engines, file, all, signal)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

/** Reads everything through the receiver's link, as they would. */
async function readThroughLink(account: Account, dropId: string): Promise<Record<string, string>> {
  const link = await findLink(engines, await deriveToken(exchange, account, dropId, 0), 'downloadfiles');
  const contents: Record<string, string> = {};
  for (const file of await engines.store.links.files(link)) contents[file.path] = await read(file);
  return contents;
}

const listFiles = (dropId: string) =>
  query<{ id: string; path: string; content: string; state: string; hasKey: boolean }>(
    `select id, coalesce(path, name) as path, coalesce(content_id, id) as content, state, wrapped_key is not null as "hasKey"
     from files where drop_id = $1 order by created_at, id`,
    [dropId],
  );
const extend = async (account: Account, dropId: string, days: number) => {
  const until = new Date(Date.now() + days * daySeconds * 1000);
  await (await prepareExtension(engines, { id: account.accountId, email: account.email }, dropId, until))(
    engines,
    account.author,
  );
};
const hold = (account: Account, dropId: string) =>
  placeHold(
    engines,
    { id: account.accountId, email: account.email },
    { dropId, name: 'case', reason: 'evidence', by: 'Ada' },
  );
const storedBytes = async (account: Account) => (await engines.store.quotas.usage(account.accountId)).storedBytes;

describe('a file that is sent again', () => {
  test('has a name, a key and an end of its own', async () => {
    const account = await exchange.account();
    const first = await send(account, {
      uploads: [
        await readyUpload(exchange, account, 'plans/a.txt', 'first'),
        await readyUpload(exchange, account, 'b.txt'),
      ],
      days: 1,
    });
    const [a, b] = await listFiles(first);
    const second = await send(account, {
      uploads: [await readyUpload(exchange, account, 'other/a.txt', 'another')],
      sentFiles: [String(a?.id), String(b?.id)],
      days: 20,
    });
    expect(await readThroughLink(account, second)).toEqual({
      'other/a.txt': 'another',
      'plans/a.txt': 'first',
      'b.txt': 'content of b.txt',
    });
    const names = await query<{ name: string }>('select name from files where drop_id = $1', [second]);
    expect(new Set(names.map(({ name }) => name)).size).toBe(3);
    const days = await query<{ day: number }>(
      'select distinct key_day - (extract(epoch from now()) / 86400)::integer as day from files where drop_id = any($1)',
      [[first, second]],
    );
    expect(days).toHaveLength(2);
    // A third from the second, which has the objects of the first.
    const copies = await listFiles(second);
    const third = await send(account, { sentFiles: copies.map(({ id }) => id) });
    await revokeSentDrop(engines, account, sentId(first), {});
    await revokeSentDrop(engines, account, sentId(second), {});
    await sweep(engines);
    expect(Object.keys(await readThroughLink(account, third))).toHaveLength(3);
    expect(engines.objects.keys(`${a?.id}/`)).toHaveLength(1);
    await revokeSentDrop(engines, account, sentId(third), {});
    await sweep(engines);
    for (const { id } of [...copies, { id: String(a?.id) }, { id: String(b?.id) }])
      expect(engines.objects.keys(`${id}/`)).toEqual([]);
  });

  test('counts in each of its drops, and not beyond the quota', async () => {
    const account = await exchange.account();
    const first = await send(account, { uploads: [await readyUpload(exchange, account, 'a.txt', 'x'.repeat(60))] });
    const [file] = await listFiles(first);
    const again = () => send(account, { sentFiles: [String(file?.id)] });
    await engines.store.quotas.setForAccount(account.accountId, { maxStoredBytes: 150 });
    const second = await again();
    expect(await storedBytes(account)).toBe(120);
    await expect(again()).rejects.toMatchObject({ code: 'storage_full' });
    expect(await storedBytes(account)).toBe(120);
    await revokeSentDrop(engines, account, sentId(second), {});
    expect(await storedBytes(account)).toBe(60);
    // Of several at once, only one finds room.
    await engines.store.quotas.setForAccount(account.accountId, { maxStoredBytes: 130 });
    const results = await Promise.allSettled([again(), again(), again()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await storedBytes(account)).toBe(120);
  });

  test('is found only in live drops of the account', async () => {
    const [account, other] = [await exchange.account(), await exchange.account()];
    const first = await send(account, { uploads: [await readyUpload(exchange, account, 'a.txt')] });
    const sentFiles = (await listFiles(first)).map(({ id }) => id);
    const refusal = { code: 'not_found' };
    await expect(send(other, { sentFiles })).rejects.toMatchObject(refusal);
    await revokeSentDrop(engines, account, sentId(first), { undoSeconds });
    await expect(send(account, { sentFiles })).rejects.toMatchObject(refusal);
    await restoreDrop(engines, account, sentId(first));
    await hold(account, first);
    await exchange.expire(first);
    await sweep(engines);
    expect(await listFiles(first)).toMatchObject([{ state: 'held' }]);
    await expect(send(account, { sentFiles })).rejects.toMatchObject(refusal);
    await expect(send(account, { sentFiles: [...sentFiles, ...sentFiles] })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  test('is kept if its last drop is being revoked and swept at the same moment', async () => {
    const account = await exchange.account();
    const first = await send(account, { uploads: [await readyUpload(exchange, account, 'a.txt')] });
    const sentFiles = (await listFiles(first)).map(({ id }) => id);
    let commit = () => {};
    const gate = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const slow: Store = {
      ...engines.store,
      transaction: (work) =>
        engines.store.transaction((tx) => {
          // After the files were found, and before they are copied.
          const insert: Store['drops']['insert'] = async (...drop) => {
            arrive();
            await gate;
            return tx.drops.insert(...drop);
          };
          return work({ ...tx, drops: { ...tx.drops, insert } });
        }),
    };
    const sending = send(account, { sentFiles }, { store: slow });
    await arrived;
    let isRevoked = false;
    const revoke = async () => {
      await revokeSentDrop(engines, account, sentId(first), {});
      isRevoked = true;
    };
    const ending = revoke();
    await sweep(engines);
    expect(isRevoked).toBe(false);
    commit();
    const second = await sending;
    await ending;
    await sweep(engines);
    expect(await readThroughLink(account, second)).toEqual({ 'a.txt': 'content of a.txt' });
    await revokeSentDrop(engines, account, sentId(second), {});
    await sweep(engines);
    expect(engines.objects.keys(`${sentFiles[0]}/`)).toEqual([]);
  });

  test('is sent or refused, and never lost or left behind, whatever ends it at once', { timeout: 60_000 }, async () => {
    const account = await exchange.account();
    for (let round = 0; round < 20; round += 1) {
      const first = await send(account, { uploads: [await readyUpload(exchange, account, 'a.txt')] });
      const [file] = await listFiles(first);
      const id = String(file?.id);
      const [one, two] = await Promise.all([
        send(account, { sentFiles: [id] }).catch(() => undefined),
        send(account, { sentFiles: [id] }).catch(() => undefined),
        round % 2 === 0 ? revokeSentDrop(engines, account, sentId(first), {}) : exchange.expire(first),
        sweep(engines),
      ]);
      await sweep(engines);
      for (const dropId of [one, two]) {
        if (dropId === undefined) continue;
        expect(await readThroughLink(account, dropId)).toEqual({ 'a.txt': 'content of a.txt' });
        await Promise.all([revokeSentDrop(engines, account, sentId(dropId), {}), sweep(engines)]);
      }
      await sweep(engines);
      expect(engines.objects.keys(`${id}/`)).toEqual([]);
    }
    expect(await storedBytes(account)).toBe(0);
  });
});

/** A drop as the model knows it. */
interface Modelled {
  readonly id: string;
  readonly contents: Readonly<Record<string, string>>;
  state: 'live' | 'revoked' | 'ended';
  /** Whether its files have their keys and objects. */
  isStored: boolean;
  /** Ended, and not emptied by a sweep yet. */
  isDue: boolean;
  holdId: string | undefined;
}

const which = fc.nat({ max: 9 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('send' as const), files: fc.integer({ min: 1, max: 2 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('again' as const),
      from: fc.array(which, { minLength: 1, maxLength: 2 }),
      days: fc.integer({ min: 1, max: 30 }),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'revoke' as const,
        'expire',
        'revokeForNow',
        'restore',
        'extend',
        'expire',
        'hold',
        'release',
      ),
      drop: which,
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('sweep' as const, 'letUndoPass', 'purge') }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Does the same to the drops of an account and to a model of them. */
class Sequence {
  readonly #account: Account;
  #drops: Modelled[] = [];
  #count = 0;
  /** The objects that were ever stored, by path. */
  readonly #objects = new Map<string, string>();

  constructor(account: Account) {
    this.#account = account;
  }

  async do(next: Step): Promise<void> {
    if (next.do === 'send') return this.#send(next.files);
    if (next.do === 'again') return this.#again(next.from, next.days);
    if ('drop' in next) {
      const drop = this.#drops[next.drop % Math.max(1, this.#drops.length)];
      return drop && this.#change(next.do, drop);
    }
    if (next.do === 'letUndoPass') {
      await query('update drops set restorable_until = now() where account_id = $1 and restorable_until is not null', [
        this.#account.accountId,
      ]);
      for (const drop of this.#drops) if (drop.state === 'revoked') drop.state = 'ended';
      return;
    }
    await this.#sweep(next.do === 'purge');
  }

  async #send(files: number): Promise<void> {
    const contents: Record<string, string> = {};
    const uploads: string[] = [];
    for (let index = 0; index < files; index += 1) {
      this.#count += 1;
      const [path, content] = [`${this.#count}.txt`, `content ${this.#count}`];
      const id = await readyUpload(exchange, this.#account, path, content);
      contents[path] = content;
      uploads.push(id);
      this.#objects.set(path, id);
    }
    this.#add(await send(this.#account, { uploads, days: 3 }), contents);
  }

  /** Sends the files of these drops again, or is refused if one has ended. */
  async #again(from: readonly number[], days: number): Promise<void> {
    if (this.#drops.length === 0) return;
    const sources = [...new Set(from.map((index) => this.#drops[index % this.#drops.length] as Modelled))];
    const contents: Record<string, string> = {};
    const sentFiles: string[] = [];
    for (const source of sources) {
      for (const { id, path } of await listFiles(source.id)) {
        if (Object.hasOwn(contents, path)) continue;
        contents[path] = String(source.contents[path]);
        sentFiles.push(id);
      }
    }
    const used = sources.filter(({ contents: own }) => Object.keys(own).some((path) => path in contents));
    const sending = send(this.#account, { sentFiles, days });
    if (used.every(({ state }) => state === 'live')) this.#add(await sending, contents);
    else
      await sending.then(
        (id) => this.#requireOnlyLive(id, sources, contents),
        (error: { code: string }) => expect(error.code).toBe('not_found'),
      );
  }

  /** A drop that has ended may have had no file that was still to be taken. */
  #requireOnlyLive(id: string, sources: readonly Modelled[], contents: Record<string, string>): void {
    const live = new Set(sources.filter(({ state }) => state === 'live').flatMap((drop) => Object.keys(drop.contents)));
    expect(Object.keys(contents).every((path) => live.has(path))).toBe(true);
    this.#add(id, contents);
  }

  #add(id: string, contents: Modelled['contents']): void {
    this.#drops.push({ id, contents, state: 'live', isStored: true, isDue: false, holdId: undefined });
  }

  async #change(change: Extract<Step, { drop: number }>['do'], drop: Modelled): Promise<void> {
    const { id, state } = drop;
    const isLive = state === 'live';
    const attempt = async (work: Promise<unknown>, isAllowed: boolean) => {
      const result = await work.then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
      expect([change, result === 'done']).toEqual([change, isAllowed]);
    };
    switch (change) {
      case 'revoke':
        await attempt(revokeSentDrop(engines, this.#account, sentId(id), {}), isLive);
        if (!isLive) return;
        drop.state = 'ended';
        drop.isStored = drop.holdId !== undefined;
        return;
      case 'revokeForNow':
        await attempt(revokeSentDrop(engines, this.#account, sentId(id), { undoSeconds }), isLive);
        if (isLive) Object.assign(drop, { state: 'revoked', isDue: true });
        return;
      case 'restore':
        await attempt(restoreDrop(engines, this.#account, sentId(id)), state === 'revoked');
        if (state === 'revoked') Object.assign(drop, { state: 'live', isDue: false });
        return;
      case 'extend':
        // The longest lifetime leaves room for one extension.
        await extend(this.#account, id, 29.9).catch((error: { code: string }) => {
          if (isLive) expect(error.code).toBe('invalid_input');
        });
        return;
      case 'expire':
        if (!isLive) return;
        await exchange.expire(id);
        Object.assign(drop, { state: 'ended', isDue: true });
        return;
      case 'hold':
        if (drop.holdId === undefined) drop.holdId = await hold(this.#account, id);
        return;
      case 'release':
        if (drop.holdId === undefined) return;
        await releaseHold(engines, drop.holdId, 'Ada');
        drop.holdId = undefined;
        // A file that a hold has kept is deleted by the next sweep.
        if (drop.state === 'ended') drop.isDue = true;
    }
  }

  async #sweep(isPurging: boolean): Promise<void> {
    const keepSeconds = { ...engines.policy.keepSeconds, history: isPurging ? 0 : undefined };
    await sweep({ ...engines, policy: { ...engines.policy, keepSeconds } });
    for (const drop of this.#drops) {
      if (!drop.isDue || drop.state !== 'ended') continue;
      drop.isDue = false;
      drop.isStored = drop.holdId !== undefined;
    }
    if (isPurging) {
      // The second one purges those that the first has emptied.
      await sweep({ ...engines, policy: { ...engines.policy, keepSeconds } });
      const left = new Set(
        (await query<{ id: string }>('select id from drops where account_id = $1', [this.#account.accountId])).map(
          ({ id }) => id,
        ),
      );
      for (const { id, state, isStored } of this.#drops)
        if (state !== 'ended' || isStored) expect(left.has(id)).toBe(true);
      this.#drops = this.#drops.filter(({ id }) => left.has(id));
    }
    await this.check(true);
  }

  /** Compares everything with the model; objects only if a sweep has just run. */
  async check(isSwept: boolean): Promise<void> {
    const needed = new Set<string>();
    let bytes = 0;
    for (const { id, state, contents, isStored, isDue } of this.#drops) {
      const link = await query<{ live: boolean }>('select link_key is not null as live from drops where id = $1', [id]);
      if (state === 'live') {
        expect(await readThroughLink(this.#account, id)).toEqual(contents);
        expect(await findOwnFiles(engines, this.#account, id)).toHaveLength(Object.keys(contents).length);
      } else {
        if (link[0]?.live) await expect(readThroughLink(this.#account, id)).rejects.toBeDefined();
        await expect(findOwnFiles(engines, this.#account, id)).rejects.toMatchObject({ code: 'not_found' });
      }
      const files = await listFiles(id);
      // A purged drop has no files; one that is due has them until the sweep.
      if (!isDue || isSwept) for (const { hasKey } of files) expect([id, hasKey]).toEqual([id, isStored]);
      if (!files.some(({ hasKey }) => hasKey)) continue;
      for (const [path, content] of Object.entries(contents)) {
        needed.add(chunkKey(String(this.#objects.get(path)), 0));
        bytes += content.length;
      }
    }
    expect(await storedBytes(this.#account)).toBe(bytes);
    const own = [...this.#objects.values()].map((id) => chunkKey(id, 0));
    const stored = new Set(engines.objects.objects.keys());
    for (const key of needed) expect(stored.has(key)).toBe(true);
    if (isSwept) for (const key of own) expect([key, stored.has(key)]).toEqual([key, needed.has(key)]);
  }

  /** Ends one drop after another: the others keep what is theirs, and nothing is left of the last one. */
  async end(): Promise<void> {
    await this.check(false);
    for (const drop of this.#drops) {
      await this.#change('release', drop);
      await this.#change('expire', drop);
      await this.#sweep(false);
    }
    await this.do({ do: 'letUndoPass' });
    await this.#sweep(false);
    expect(await storedBytes(this.#account)).toBe(0);
    expect(this.#drops.every(({ isStored }) => !isStored)).toBe(true);
  }
}

test(`in ${sequences} random sequences, nobody reads what has ended, nobody loses what has not, and nothing is left at the end`, {
  timeout: sequences * 3_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 16 }), async (steps) => {
      const sequence = new Sequence(await exchange.account());
      await sequence.do({ do: 'send', files: 2 });
      for (const next of steps) await sequence.do(next);
      await sequence.end();
    }),
    { numRuns: sequences },
  );
});
