import { createHash } from 'node:crypto';
import { limits } from '@waybill/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clamdScanner } from '../../engines/clamd/scanner.ts';
import { incomingFile, openTestExchange, type TestExchange, testPolicy } from '../../testing/exchange.ts';
import type { MemoryObjectStore } from '../../testing/memory-object-store.ts';
import { CountingPool, openFile } from '../../testing/sealed-file.ts';
import { closedPort } from '../../testing/tcp.ts';
import type { Actor, FileStore, ObjectStore, Policy, SealedFile } from '../ports.ts';
import { sweep } from '../sweep.ts';
import { chunkKey } from './sealing.ts';
import { abandonUploads, commitUploads, stageUpload } from './stage-upload.ts';

let exchange: TestExchange<MemoryObjectStore>;
let engines: TestExchange<MemoryObjectStore>['engines'];
beforeAll(async () => {
  exchange = await openTestExchange();
  engines = exchange.engines;
});
afterAll(() => exchange[Symbol.asyncDispose]());

/** In halves, so that no scanner takes this file for the test virus. */
const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD', '-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
const staged = (actor: Actor, draft = '') => engines.store.files.staged(actor.accountId, draft);
const rowsOf = (actor: Actor) =>
  exchange.database.query<{ id: string; state: string; name: string; chunk_count: number }>(
    'select id, state, name, chunk_count from files where account_id = $1 order by created_at',
    [actor.accountId],
  );
const objectsOf = (id: string) => [...engines.objects.objects.keys()].filter((key) => key.startsWith(id));

/** The row of a ready file, with its key unwrapped, as `openFile` wants it. */
async function sealedFile(actor: Actor, name: string): Promise<SealedFile> {
  const [row] = await exchange.database.query<SealedFile>(
    `select account_id as "accountId", id, name, size_bytes as "sizeBytes", sha256, scan, wrapped_key as "wrappedKey",
       key_version as "keyVersion", runs from files where account_id = $1 and name = $2 and state = 'ready'`,
    [actor.accountId, name],
  );
  const file = row as SealedFile;
  return { ...file, wrappedKey: await engines.keys.unwrap(file.wrappedKey, file.keyVersion, file.id) };
}

describe('an upload', () => {
  test('is invisible until it is committed, and then byte for byte what was sent', async () => {
    const actor = await exchange.account();
    const content = Buffer.alloc(9 * 1024 * 1024, 'some line\n');
    const upload = await stageUpload(engines, actor, '', incomingFile('a.txt', content));
    expect(await staged(actor)).toEqual([]);
    await commitUploads(engines, actor, '', [upload]);
    expect(await staged(actor)).toEqual([{ name: 'a.txt', mediaType: 'text/plain', sizeBytes: content.length }]);
    const file = await sealedFile(actor, 'a.txt');
    expect(file.sha256).toEqual(createHash('sha256').update(content).digest());
    expect((await openFile(engines.objects, file)).equals(content)).toBe(true);
    expect(objectsOf(file.id)).toEqual([chunkKey(file.id, 0), chunkKey(file.id, 1)]);
    expect(await rowsOf(actor)).toEqual([{ id: file.id, state: 'ready', name: 'a.txt', chunk_count: 2 }]);
  });

  test('may be empty', async () => {
    const actor = await exchange.account();
    await exchange.upload(actor, 'empty', '');
    expect(await openFile(engines.objects, await sealedFile(actor, 'empty'))).toHaveLength(0);
  });

  test('of several files is all or nothing', async () => {
    const actor = await exchange.account();
    const uploads = [
      await stageUpload(engines, actor, '', incomingFile('a.txt')),
      await stageUpload(engines, actor, '', incomingFile('b.txt')),
    ];
    await exchange.database.query("update files set state = 'deleting', wrapped_key = null where id = $1", [
      uploads[1]?.id,
    ]);
    await expect(commitUploads(engines, actor, '', uploads)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await staged(actor)).toEqual([]);
    await abandonUploads(engines, actor, uploads);
    expect((await rowsOf(actor)).map(({ state }) => state)).toEqual(['deleting', 'deleting']);
  });

  test('needs a name that is one, and leaves nothing behind without', async () => {
    const actor = await exchange.account();
    await expect(stageUpload(engines, actor, '', incomingFile('../a'))).rejects.toMatchObject({ code: 'invalid_name' });
    expect(await rowsOf(actor)).toEqual([]);
  });

  test('is refused when it is larger than the policy allows, and swept', async () => {
    const actor = await exchange.account();
    const small = { ...engines, policy: { ...testPolicy, maxFileBytes: 10 } };
    await expect(stageUpload(small, actor, '', incomingFile('a', '12345678901'))).rejects.toMatchObject({
      code: 'too_large',
    });
    await commitUploads(small, actor, '', [await stageUpload(small, actor, '', incomingFile('b', '1234567890'))]);
    await sweep(engines);
    expect((await rowsOf(actor)).map(({ name }) => name)).toEqual(['b']);
  });

  test('beyond what a draft holds is refused and leaves the draft as it was', async () => {
    const actor = await exchange.account();
    await exchange.database.query(
      `insert into files (account_id, id, state, draft, name, media_type, size_bytes, sha256, scan, wrapped_key, key_version)
       select $1, gen_random_uuid(), 'ready', '', 'file ' || n, 'text/plain', 0, '', 'clean', '', 1 from generate_series(1, $2::int) n`,
      [actor.accountId, limits.filesPerDraft],
    );
    await expect(exchange.upload(actor, 'one more')).rejects.toMatchObject({ code: 'too_many_files' });
    await exchange.upload(actor, 'file 7');
    expect(await staged(actor)).toHaveLength(limits.filesPerDraft);
  });
});

describe('the same name again', () => {
  test('replaces the staged file, whose objects are swept', async () => {
    const actor = await exchange.account();
    await exchange.upload(actor, 'a.txt', 'first');
    const first = await sealedFile(actor, 'a.txt');
    await exchange.upload(actor, 'a.txt', 'second');
    expect((await staged(actor)).map(({ sizeBytes }) => sizeBytes)).toEqual([6]);
    await sweep(engines);
    expect(objectsOf(first.id)).toEqual([]);
    expect((await openFile(engines.objects, await sealedFile(actor, 'a.txt'))).toString()).toBe('second');
  });

  test('by many at once leaves exactly one, whole; the losers’ objects are swept', async () => {
    const actor = await exchange.account();
    const contents = Array.from({ length: 6 }, (_, index) => `content number ${index}`);
    await Promise.all(contents.map((content) => exchange.upload(actor, 'a.txt', content)));
    expect(await staged(actor)).toHaveLength(1);
    const winner = await sealedFile(actor, 'a.txt');
    expect(contents).toContain((await openFile(engines.objects, winner)).toString());
    const all = await rowsOf(actor);
    await sweep(engines);
    expect(all.flatMap(({ id }) => objectsOf(id))).toEqual([chunkKey(winner.id, 0)]);
    expect(await rowsOf(actor)).toHaveLength(1);
  });

  test('in another draft or account replaces nothing', async () => {
    const [actor, other] = [await exchange.account(), await exchange.account()];
    await exchange.upload(actor, 'a.txt');
    await exchange.upload(actor, 'a.txt', 'x', 'named');
    await exchange.upload(other, 'a.txt');
    for (const list of [staged(actor), staged(actor, 'named'), staged(other)]) expect(await list).toHaveLength(1);
  });
});

describe('an upload that fails', () => {
  const failing: [string, (at: TestExchange['engines']) => Partial<TestExchange['engines']>, AsyncIterable<Buffer>][] =
    [
      ['because the sender is gone', () => ({}), brokenBytes()],
      ['because the store refuses', ({ objects }) => ({ objects: refusing(objects) }), bytesOf(20)],
    ];
  test.each(failing)('%s gives back its memory and leaves nothing after a sweep', async (_why, change, bytes) => {
    const actor = await exchange.account();
    const pool = new CountingPool();
    const broken = { ...engines, ...change(engines), chunkBuffers: pool };
    const upload = stageUpload(broken, actor, '', { name: 'a', mediaType: 'text/plain', bytes });
    await expect(upload).rejects.toThrow();
    expect(pool.out).toBe(0);
    const [row] = await rowsOf(actor);
    expect(row?.state).toBe('deleting');
    await sweep(engines);
    expect(await rowsOf(actor)).toEqual([]);
    expect(objectsOf(row?.id as string)).toEqual([]);
  });

  test('because its lease was lost stores nothing more', async () => {
    const actor = await exchange.account();
    const objectsBefore = engines.objects.objects.size;
    const noticed = Promise.withResolvers<void>();
    const reserve: FileStore['reserve'] = async (...asked) => {
      const live = await engines.store.files.reserve(...asked);
      if (!live) noticed.resolve();
      return live;
    };
    const store = { ...engines.store, files: { ...engines.store.files, reserve } };
    const policy: Policy = { ...testPolicy, uploadLeaseSeconds: 4 };
    const bytes = (async function* () {
      yield Buffer.alloc(9 * 1024 * 1024);
      await exchange.database.query('update files set lease_until = now() where account_id = $1', [actor.accountId]);
      await sweep(engines);
      await noticed.promise;
      yield Buffer.alloc(9 * 1024 * 1024);
    })();
    const upload = stageUpload({ ...engines, store, policy }, actor, '', { name: 'a', mediaType: 'text/plain', bytes });
    await expect(upload).rejects.toMatchObject({ code: 'unavailable' });
    expect(await rowsOf(actor)).toEqual([]);
    expect(engines.objects.objects.size).toBe(objectsBefore);
  });
});

describe('the virus scan', () => {
  const withScan = (scan: Policy['scan']) => ({ ...engines, policy: { ...testPolicy, scan } });

  test.each(['required', 'best-effort'] as const)('under "%s" refuses what is infected', async (scan) => {
    const actor = await exchange.account();
    const upload = stageUpload(withScan(scan), actor, '', incomingFile('eicar.com', eicar));
    await expect(upload).rejects.toMatchObject({ code: 'infected' });
    await sweep(engines);
    expect(await rowsOf(actor)).toEqual([]);
  });

  test('marks what it saw as clean, and what it did not see as unscanned', async () => {
    const actor = await exchange.account();
    const away = clamdScanner({ address: `127.0.0.1:${await closedPort()}`, timeoutMs: 1_000 });
    const results = await Promise.all([
      stageUpload(withScan('required'), actor, '', incomingFile('a')),
      stageUpload({ ...withScan('best-effort'), scanner: away }, actor, '', incomingFile('b')),
      stageUpload(withScan('off'), actor, '', incomingFile('c', eicar)),
    ]);
    expect(results.map(({ scan }) => scan)).toEqual(['clean', 'unscanned', 'unscanned']);
    await abandonUploads(engines, actor, results);
  });

  test('that is required and cannot be had refuses the upload', async () => {
    const actor = await exchange.account();
    const away = clamdScanner({ address: `127.0.0.1:${await closedPort()}`, timeoutMs: 1_000 });
    const upload = stageUpload({ ...withScan('required'), scanner: away }, actor, '', incomingFile('a'));
    await expect(upload).rejects.toMatchObject({ code: 'unavailable' });
  });
});

function refusing(objects: ObjectStore): ObjectStore {
  let puts = 0;
  return {
    ...objects,
    put: (key, body, signal) => (++puts === 2 ? Promise.reject(new Error('refused')) : objects.put(key, body, signal)),
  };
}

async function* bytesOf(megabytes: number): AsyncGenerator<Buffer> {
  for (let count = 0; count < megabytes; count += 1) yield Buffer.alloc(1024 * 1024);
}

async function* brokenBytes(): AsyncGenerator<Buffer> {
  yield* bytesOf(10);
  throw new Error('ECONNRESET');
}
