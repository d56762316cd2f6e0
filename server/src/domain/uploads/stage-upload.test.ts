import { createHash } from 'node:crypto';
import { limits } from '@waybill/protocol';
import { describe, expect, test } from 'vitest';
import { eicar } from '../../../../tools/shared/eicar.ts';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import {
  incomingFile,
  type TestExchange,
  testPolicy,
  testUploadResources,
  useTestExchange,
} from '../../../test/exchange.ts';
import { openFile } from '../../../test/sealed-file.ts';
import { clamdScanner } from '../../engines/clamd/scanner.ts';
import type { Actor } from '../actor.ts';
import type { SealedFile } from '../files/file-store.ts';
import { chunkKey } from '../files/sealing.ts';
import type { Policy } from '../policy.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Scanner, ScanSource, Verdict } from '../ports/scanner.ts';
import { sweep } from '../sweep.ts';
import { LiveUploads } from './live-uploads.ts';
import { accountOwner } from './owner.ts';
import { abandonUploads, completeUploads, stageUpload } from './stage-upload.ts';
import type { UploadStore } from './upload-store.ts';

const exchange = await useTestExchange();
const { engines } = exchange;

const staged = (actor: Actor, draft = '') => engines.store.files.staged(actor.accountId, draft);
/** Reads an account's uploads and files from the database. */
const readRows = (actor: Actor) =>
  exchange.database.query<{ id: string; state: string; name: string; chunk_count: number }>(
    `select id, state::text, name, chunk_count, created_at from uploads where account_id = $1
     union all
     select id, state::text, name, chunk_count, created_at from files where account_id = $1
     order by created_at`,
    [actor.accountId],
  );
/** A sweep at a time when no object can still be on the way to the store. */
const sweepLater = async (actor: Actor) => {
  await exchange.database.query("update uploads set due_at = now() where account_id = $1 and state = 'abandoned'", [
    actor.accountId,
  ]);
  await sweep(engines);
};
const listObjects = (id: string) => [...engines.objects.objects.keys()].filter((key) => key.startsWith(id));

/** The row of a ready file, with its key unwrapped, as `openFile` expects it. */
async function sealedFile(actor: Actor, name: string): Promise<SealedFile> {
  const [row] = await exchange.database.query<SealedFile>(
    `select account_id as "accountId", id, name, size_bytes as "sizeBytes", sha256, scan, wrapped_key as "wrappedKey",
       key_day as "keyDay", runs from files where account_id = $1 and name = $2 and state = 'ready'`,
    [actor.accountId, name],
  );
  const file = row as SealedFile;
  return { ...file, wrappedKey: await engines.dayKeys.unwrap(file.wrappedKey, file.keyDay, file.id) };
}

describe('an upload', () => {
  test('is invisible until it is committed, and then byte for byte what was sent', async () => {
    const actor = await exchange.account();
    const content = Buffer.alloc(9 * 1024 * 1024, 'some line\n');
    const upload = await stageUpload(engines, accountOwner(actor, ''), incomingFile('a.txt', content));
    expect(await staged(actor)).toEqual([]);
    await completeUploads(engines, accountOwner(actor, ''), [upload]);
    const sha256 = createHash('sha256').update(content).digest();
    expect(await staged(actor)).toEqual([
      { name: 'a.txt', mediaType: 'text/plain', sizeBytes: content.length, sha256 },
    ]);
    const file = await sealedFile(actor, 'a.txt');
    expect(file.sha256).toEqual(sha256);
    expect((await openFile(engines.objects, file)).equals(content)).toBe(true);
    expect(listObjects(file.id)).toEqual([chunkKey(file.id, 0), chunkKey(file.id, 1)]);
    expect(await readRows(actor)).toMatchObject([{ id: file.id, state: 'ready', name: 'a.txt', chunk_count: 2 }]);
  });

  test('may be empty', async () => {
    const actor = await exchange.account();
    await exchange.upload(actor, 'empty', '');
    expect(await openFile(engines.objects, await sealedFile(actor, 'empty'))).toHaveLength(0);
  });

  test('of several files is all or nothing', async () => {
    const actor = await exchange.account();
    const uploads = [
      await stageUpload(engines, accountOwner(actor, ''), incomingFile('a.txt')),
      await stageUpload(engines, accountOwner(actor, ''), incomingFile('b.txt')),
    ];
    await exchange.database.query("update uploads set state = 'abandoned', wrapped_key = null where id = $1", [
      uploads[1]?.writer.id,
    ]);
    await expect(completeUploads(engines, accountOwner(actor, ''), uploads)).rejects.toMatchObject({
      code: 'upload_superseded',
    });
    expect(await staged(actor)).toEqual([]);
    await abandonUploads(engines, uploads);
    expect((await readRows(actor)).map(({ state }) => state)).toEqual(['abandoned', 'abandoned']);
  });

  test('needs a name that is one, and leaves nothing behind without', async () => {
    const actor = await exchange.account();
    await expect(stageUpload(engines, accountOwner(actor, ''), incomingFile('../a'))).rejects.toMatchObject({
      code: 'invalid_name',
    });
    expect(await readRows(actor)).toEqual([]);
  });

  test('is refused when it is larger than the policy allows, and swept', async () => {
    const actor = await exchange.account();
    const small = { ...engines, policy: { ...testPolicy, maxFileBytes: 10 } };
    await expect(stageUpload(small, accountOwner(actor, ''), incomingFile('a', '12345678901'))).rejects.toMatchObject({
      code: 'too_large',
    });
    const owner = accountOwner(actor, '');
    await completeUploads(small, owner, [await stageUpload(small, owner, incomingFile('b', '1234567890'))]);
    await sweepLater(actor);
    expect((await readRows(actor)).map(({ name }) => name)).toEqual(['b']);
  });

  test('beyond what a draft holds is refused and leaves the draft as it was', async () => {
    const actor = await exchange.account();
    await exchange.database.query(
      `insert into files (account_id, id, state, draft, name, media_type, size_bytes, sha256, crc32, scan, chunk_count, wrapped_key,
         key_day)
       select $1, gen_random_uuid(), 'ready', '', 'file ' || n, 'text/plain', 0, '', 0, 'clean', 1, '', 99999
       from generate_series(1, $2::int) n`,
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
    expect(listObjects(first.id)).toEqual([]);
    expect((await openFile(engines.objects, await sealedFile(actor, 'a.txt'))).toString()).toBe('second');
  });

  test('by many at once leaves exactly one, whole; the losers’ objects are swept', async () => {
    const actor = await exchange.account();
    const contents = Array.from({ length: 6 }, (_, index) => `content number ${index}`);
    await Promise.all(contents.map((content) => exchange.upload(actor, 'a.txt', content)));
    expect(await staged(actor)).toHaveLength(1);
    const winner = await sealedFile(actor, 'a.txt');
    expect(contents).toContain((await openFile(engines.objects, winner)).toString());
    const all = await readRows(actor);
    await sweep(engines);
    expect(all.flatMap(({ id }) => listObjects(id))).toEqual([chunkKey(winner.id, 0)]);
    expect(await readRows(actor)).toHaveLength(1);
  });

  test('while the first is on its way does not disturb it; the one completed last stays', async () => {
    const actor = await exchange.account();
    const owner = accountOwner(actor, '');
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const bytes = (async function* () {
      yield Buffer.from('the first, ');
      begun.resolve();
      await goOn.promise;
      yield Buffer.from('to its end');
    })();
    const first = stageUpload(engines, owner, { name: 'a.txt', mediaType: 'text/plain', bytes });
    await begun.promise;
    const second = await stageUpload(engines, owner, incomingFile('a.txt', 'the second'));
    await completeUploads(engines, owner, [second]);
    goOn.resolve();
    const { writer, ...late } = await first;
    expect(writer.id).not.toBe(second.writer.id);
    expect((await openFile(engines.objects, await sealedFile(actor, 'a.txt'))).toString()).toBe('the second');
    await completeUploads(engines, owner, [{ writer, ...late }]);
    expect(await staged(actor)).toHaveLength(1);
    const file = await sealedFile(actor, 'a.txt');
    expect([file.id, (await openFile(engines.objects, file)).toString()]).toEqual([writer.id, 'the first, to its end']);
    await sweep(engines);
    expect(listObjects(second.writer.id)).toEqual([]);
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
      ['because the store refuses', ({ objects }) => ({ objects: refusing(objects) }), makeBytes(20)],
    ];
  test.each(failing)('%s gives back its memory and leaves nothing after a sweep', async (_why, change, bytes) => {
    const actor = await exchange.account();
    const uploadResources = testUploadResources(engines.store);
    const broken = { ...engines, ...change(engines), uploadResources };
    const upload = stageUpload(broken, accountOwner(actor, ''), { name: 'a', mediaType: 'text/plain', bytes });
    await expect(upload).rejects.toThrow();
    expect(uploadResources.memory.heldBytes).toBe(0);
    const [row] = await readRows(actor);
    expect(row?.state).toBe('abandoned');
    await sweepLater(actor);
    expect(await readRows(actor)).toEqual([]);
    expect(listObjects(row?.id as string)).toEqual([]);
  });

  test('because its lease was lost stores nothing more', async () => {
    const actor = await exchange.account();
    const noticed = Promise.withResolvers<void>();
    const renew: UploadStore['renew'] = async (...asked) => {
      const renewed = await engines.store.uploads.renew(...asked);
      if (renewed.size === 0) noticed.resolve();
      return renewed;
    };
    const live = new LiveUploads({ renew }, { leaseSeconds: 4 });
    const bytes = (async function* () {
      yield Buffer.alloc(9 * 1024 * 1024);
      // As the sweep does when the lease has ended; a renewal may be in progress at that time.
      await exchange.database.query(
        "update uploads set state = 'abandoned', wrapped_key = null, due_at = now() + interval '1 hour' where account_id = $1",
        [actor.accountId],
      );
      await noticed.promise;
      yield Buffer.alloc(9 * 1024 * 1024);
    })();
    const uploadResources = { ...testUploadResources(engines.store), live };
    const incoming = { name: 'a', mediaType: 'text/plain', bytes };
    const upload = stageUpload({ ...engines, uploadResources }, accountOwner(actor, ''), incoming);
    await expect(upload).rejects.toMatchObject({ code: 'upload_superseded' });
    const [row] = await readRows(actor);
    expect(row?.state).toBe('abandoned');
    expect(listObjects(row?.id as string).length).toBeLessThanOrEqual(1);
    await sweepLater(actor);
    expect(await readRows(actor)).toEqual([]);
    expect(listObjects(row?.id as string)).toEqual([]);
  });
});

describe('the virus scan', () => {
  const withScan = (scan: Policy['scan']) => ({ ...engines, policy: { ...testPolicy, scan } });

  test.each(['required', 'best-effort'] as const)('under "%s" refuses what is infected', async (scan) => {
    const actor = await exchange.account();
    const upload = stageUpload(withScan(scan), accountOwner(actor, ''), incomingFile('eicar.com', eicar));
    await expect(upload).rejects.toMatchObject({ code: 'infected', message: expect.stringContaining('"eicar.com"') });
    await sweepLater(actor);
    expect(await readRows(actor)).toEqual([]);
  });

  test('marks what it saw as clean, and what it did not see as unscanned', async () => {
    const actor = await exchange.account();
    const away = clamdScanner({ address: `127.0.0.1:${await closedPort()}` });
    const results = await Promise.all([
      stageUpload(withScan('required'), accountOwner(actor, ''), incomingFile('a')),
      stageUpload({ ...withScan('best-effort'), scanner: away }, accountOwner(actor, ''), incomingFile('b')),
      stageUpload(withScan('off'), accountOwner(actor, ''), incomingFile('c', eicar)),
    ]);
    expect(results.map(({ scan, unscannedReason }) => [scan, unscannedReason])).toEqual([
      ['clean', null],
      ['unscanned', 'unavailable'],
      ['unscanned', 'off'],
    ]);
    await abandonUploads(engines, results);
  });

  test('that is required and cannot be had refuses the upload', async () => {
    const actor = await exchange.account();
    const away = clamdScanner({ address: `127.0.0.1:${await closedPort()}` });
    const upload = stageUpload({ ...withScan('required'), scanner: away }, accountOwner(actor, ''), incomingFile('a'));
    await expect(upload).rejects.toMatchObject({ code: 'unavailable' });
  });

  /** A scanner that returns these verdicts, by where the bytes come from, and records what it was given. */
  function fakeScanner(verdicts: Record<ScanSource, Verdict>, interruptedAfter = Number.POSITIVE_INFINITY) {
    const seen: { source: ScanSource; bytes: Buffer; abandoned: boolean }[] = [];
    const scanner: Scanner = {
      maxBytes: Number.POSITIVE_INFINITY,
      begin(source) {
        const scan = { source, bytes: Buffer.alloc(0), abandoned: false };
        seen.push(scan);
        return {
          write: async (bytes) => void (scan.bytes = Buffer.concat([scan.bytes, bytes])),
          get early() {
            return source === 'arriving' && scan.bytes.length >= interruptedAfter ? verdicts.arriving : undefined;
          },
          verdict: async () => verdicts[source],
          abandon: () => void (scan.abandoned = true),
        };
      },
    };
    return { scanner, seen };
  }
  const interrupted: Verdict = { result: 'unscanned', why: 'interrupted' };
  const content = Buffer.alloc(9 * 1024 * 1024, 'some line\n');
  const inPieces = (): AsyncIterable<Buffer> =>
    (async function* () {
      for (let start = 0; start < content.length; start += 1_000_000) yield content.subarray(start, start + 1_000_000);
    })();

  test.each([
    ['at the end', Number.POSITIVE_INFINITY],
    ['on the way', 2_500_000],
  ])('that was interrupted %s is made again of the stored bytes, and counts', async (_when, interruptedAfter) => {
    const actor = await exchange.account();
    const owner = accountOwner(actor, '');
    const { scanner, seen } = fakeScanner({ arriving: interrupted, stored: { result: 'clean' } }, interruptedAfter);
    const incoming = { name: 'a.txt', mediaType: 'text/plain', bytes: inPieces() };
    const upload = await stageUpload({ ...withScan('required'), scanner }, owner, incoming);
    expect(upload).toMatchObject({ scan: 'clean', sha256: createHash('sha256').update(content).digest() });
    expect(seen.map(({ source, abandoned }) => [source, abandoned])).toEqual([
      ['arriving', true],
      ['stored', true],
    ]);
    expect(seen[1]?.bytes.equals(content)).toBe(true);
    await abandonUploads(engines, [upload]);
  });

  test.each(['required', 'best-effort'] as const)(
    'under "%s" refuses what the second look finds infected, by the file’s name',
    async (scan) => {
      const actor = await exchange.account();
      const stored: Verdict = { result: 'infected', signature: 'Eicar' };
      const { scanner } = fakeScanner({ arriving: interrupted, stored });
      const incoming = { name: 'a "b".txt', mediaType: 'text/plain', bytes: inPieces() };
      const upload = stageUpload({ ...withScan(scan), scanner }, accountOwner(actor, ''), incoming);
      await expect(upload).rejects.toMatchObject({
        code: 'infected',
        message: expect.stringContaining(JSON.stringify('a "b".txt')),
      });
      expect(await readRows(actor)).toMatchObject([{ state: 'abandoned' }]);
    },
  );

  test('of a file too large for it refuses the file, by its name, where it is required', async () => {
    const actor = await exchange.account();
    const tooLarge: Verdict = { result: 'unscanned', why: 'too_large' };
    const { scanner } = fakeScanner({ arriving: tooLarge, stored: tooLarge });
    const upload = stageUpload(
      { ...withScan('required'), scanner },
      accountOwner(actor, ''),
      incomingFile('large.iso'),
    );
    await expect(upload).rejects.toMatchObject({
      code: 'too_large_to_scan',
      message: expect.stringContaining('"large.iso"'),
    });
    const owner = accountOwner(actor, '');
    const lenient = await stageUpload({ ...withScan('best-effort'), scanner }, owner, incomingFile('large.iso'));
    expect(lenient).toMatchObject({ scan: 'unscanned', unscannedReason: 'too_large' });
    await abandonUploads(engines, [lenient]);
  });
});

function refusing(objects: ObjectStore): ObjectStore {
  let puts = 0;
  return {
    ...objects,
    put: (key, body, signal) => (++puts === 2 ? Promise.reject(new Error('refused')) : objects.put(key, body, signal)),
  };
}

async function* makeBytes(megabytes: number): AsyncGenerator<Buffer> {
  for (let count = 0; count < megabytes; count += 1) yield Buffer.alloc(1024 * 1024);
}

async function* brokenBytes(): AsyncGenerator<Buffer> {
  yield* makeBytes(10);
  throw new Error('ECONNRESET');
}

test('the scanner begins its verdict while the last of a file is stored', async () => {
  const actor = await exchange.account();
  const asked = Promise.withResolvers<void>();
  const scanner: Scanner = {
    maxBytes: 1000,
    begin: () => ({
      early: undefined,
      write: async () => undefined,
      verdict: async () => {
        asked.resolve();
        return { result: 'clean' };
      },
      abandon: () => undefined,
    }),
  };
  const objects: ObjectStore = {
    ...engines.objects,
    async put(...what) {
      await asked.promise;
      return engines.objects.put(...what);
    },
  };
  const policy = { ...testPolicy, scan: 'required' } as const;
  const owner = accountOwner(actor, '');
  const upload = await stageUpload({ ...engines, scanner, objects, policy }, owner, incomingFile('a.txt'));
  expect(upload.scan).toBe('clean');
  await abandonUploads(engines, [upload]);
});
