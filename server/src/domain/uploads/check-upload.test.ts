import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import {
  announceUpload,
  listDraftFiles,
  openRequestLink,
  readContent,
  readyFile,
  receivedFile,
  splitIntoPieces,
  takeOverUpload,
} from '../../../test/file-requests.ts';
import { runJob } from '../../../test/run-job.ts';
import { clamdScanner } from '../../engines/clamd/scanner.ts';
import type { SealedFile } from '../files/file-store.ts';
import { chunkKey } from '../files/sealing.ts';
import { sweepFiles } from '../files/sweep-files.ts';
import type { Link } from '../links/link-store.ts';
import type { Policy } from '../policy.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Scanner } from '../ports/scanner.ts';
import { sweep } from '../sweep.ts';
import { checkUploadJob, maxChecks } from './check-upload.ts';
import { contactDraftName, contactDraftOwner } from './contact-draft.ts';
import { receiveBytes } from './receive-bytes.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

const live = new AbortController().signal;
const checkUpload = (given: object, accountId: string, fileId: string, signal: AbortSignal) =>
  runJob(given, checkUploadJob, { accountId, fileId }, signal);
/** In two halves, so that no scanner mistakes this file for the test virus. */
const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD', '-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
const withScan = (scan: Policy['scan'], scanner: Scanner = engines.scanner) => ({
  ...engines,
  scanner,
  policy: { ...engines.policy, scan },
});
const awayScanner = async () => clamdScanner({ address: `127.0.0.1:${await closedPort()}` });
const fullScanner: Scanner = {
  maxBytes: Number.POSITIVE_INFINITY,
  begin: () => ({
    write: async () => undefined,
    early: undefined,
    verdict: async () => ({ result: 'unscanned', why: 'too_large' }),
    abandon: () => undefined,
  }),
};

/** Reads an upload, or the file that it has become, from the database. */
const readRow = async (id: string) => {
  const [row] = await query<SealedFile & { state: string; refusal: string | null }>(
    `select account_id as "accountId", id, name, state::text, refusal, size_bytes as "sizeBytes", null as sha256, null as scan,
       wrapped_key as "wrappedKey", key_day as "keyDay", runs from uploads where id = $1
     union all
     select account_id, id, name, state::text, null, size_bytes, sha256, scan, wrapped_key, key_day, runs
     from files where id = $1`,
    [id],
  );
  return row;
};
const listObjects = (id: string) => [...engines.objects.objects.keys()].filter((key) => key.startsWith(id));
const statesOn = async (link: Link) =>
  (await listDraftFiles(engines, link)).map(({ name, state }) => ({ name, state }));
const readAudit = (link: Link) =>
  query<{ action: string; details: Record<string, unknown> }>(
    "select action, details from audit_entries where account_id = $1 and action = 'file.uploaded'",
    [link.accountId],
  );
const leaseOver = (id: string) => query('update uploads set due_at = now() where id = $1', [id]);

/** In how many seconds an upload is due and its job is scheduled. */
const readPause = (id: string) =>
  query<{ seconds: number; job_seconds: number }>(
    `select round(extract(epoch from due_at - now()) / 10)::int * 10 as seconds,
       round(extract(epoch from run_at - now()) / 10)::int * 10 as job_seconds
     from uploads left join graphile_worker.jobs on key = 'check:' || uploads.id::text where uploads.id = $1`,
    [id],
  );

/** A store that runs a test's action during its first read. */
function whileReading(act: () => Promise<unknown>): ObjectStore {
  let acted = false;
  return {
    ...engines.objects,
    async read(...asked) {
      if (!acted) {
        acted = true;
        await act();
      }
      return engines.objects.read(...asked);
    },
  };
}

describe('a received upload', () => {
  test('is nobody’s to see as ready before its check, and ready with its digest after', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'checking' }]);
    await checkUpload(withScan('required'), link.accountId, id, live);
    expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'ready' }]);
    const sha256 = createHash('sha256').update('some content').digest();
    expect(await readRow(id)).toMatchObject({ sha256, scan: 'clean', state: 'ready' });
    expect(await readAudit(link)).toMatchObject([
      { details: { fileId: id, sizeBytes: 12, sha256: sha256.toString('hex') } },
    ]);
  });

  test('that is still arriving is not checked', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    await query("update uploads set state = 'receiving' where id = $1", [id]);
    await checkUpload(engines, link.accountId, id, live);
    expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'uploading' }]);
  });

  test('is not checked in another account’s name', async () => {
    const [{ link }, other] = [await openRequestLink(exchange), await exchange.account()];
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    await checkUpload(engines, other.accountId, id, live);
    expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'checking' }]);
  });

  test('takes the place of a ready file of the same name, whose objects are swept', async () => {
    const { link } = await openRequestLink(exchange);
    const first = await readyFile(engines, link, 'a.txt', 'first');
    const second = await readyFile(engines, link, 'a.txt', 'second');
    expect(await listDraftFiles(engines, link)).toMatchObject([{ id: second, sizeBytes: 6, state: 'ready' }]);
    await sweepFiles(engines);
    expect([listObjects(first), await readRow(first)]).toEqual([[], undefined]);
  });
});

describe('what is refused', () => {
  test.each(['required', 'best-effort'] as const)('under "%s" includes what is infected', async (scan) => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'eicar.com', eicar);
    await checkUpload(withScan(scan), link.accountId, id, live);
    expect(await statesOn(link)).toEqual([{ name: 'eicar.com', state: 'refused' }]);
    expect(await readRow(id)).toMatchObject({ refusal: 'infected', wrappedKey: null });
    // A chunk of an earlier writer may be on the way until then.
    await leaseOver(id);
    await sweepFiles(engines);
    expect(listObjects(id)).toEqual([]);
    // Still in the contact draft, where the contact can see it, until they remove it.
    expect(await statesOn(link)).toEqual([{ name: 'eicar.com', state: 'refused' }]);
    expect(await engines.store.uploads.remove(link.accountId, contactDraftName(link), id)).toBe(true);
    await leaseOver(id);
    await sweepFiles(engines);
    expect([await statesOn(link), await readRow(id)]).toEqual([[], undefined]);
    expect(await readAudit(link)).toEqual([]);
  });

  test('includes what is too large for a scanner that is required, and only then', async () => {
    const { link } = await openRequestLink(exchange);
    const strict = await receivedFile(engines, link, 'a.bin', 'a');
    await checkUpload(withScan('required', fullScanner), link.accountId, strict, live);
    expect(await readRow(strict)).toMatchObject({ refusal: 'too_large_to_scan' });
    const lenient = await receivedFile(engines, link, 'b.bin', 'b');
    await checkUpload(withScan('best-effort', fullScanner), link.accountId, lenient, live);
    expect(await readRow(lenient)).toMatchObject({ state: 'ready', scan: 'unscanned' });
  });

  test.each<[string, (key: string) => void]>([
    ['altered', (key) => engines.objects.objects.get(key)?.writeUInt8(7, 3)],
    ['shortened', (key) => engines.objects.objects.set(key, engines.objects.objects.get(key)?.subarray(1) as Buffer)],
    ['missing', (key) => engines.objects.objects.delete(key)],
  ])('includes a file with an object that is %s', async (_how, damage) => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    damage(chunkKey(id, 0));
    await checkUpload(engines, link.accountId, id, live);
    expect(await readRow(id)).toMatchObject({ state: 'refused', refusal: 'damaged', wrappedKey: null });
    expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'refused' }]);
  });

  test('does not take the place of a good file of the same name', async () => {
    const { link } = await openRequestLink(exchange);
    const good = await readyFile(engines, link, 'a.txt', 'good');
    const bad = await receivedFile(engines, link, 'a.txt', eicar);
    await checkUpload(withScan('required'), link.accountId, bad, live);
    expect((await listDraftFiles(engines, link)).map(({ id, state }) => [id, state])).toEqual([
      [good, 'ready'],
      [bad, 'refused'],
    ]);
  });
});

describe('while the scanner is away', () => {
  test('a scan that is required is waited for, and made when it is back', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    const away = withScan('required', await awayScanner());
    await expect(checkUpload(away, link.accountId, id, live)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'checking' }]);
    expect(await readPause(id)).toMatchObject([{ seconds: 60, job_seconds: 60 }]);
    // Its job is gone; the sweep finds it when its lease has ended.
    await query('delete from graphile_worker._private_jobs where key = $1', [`check:${id}`]);
    const jobs = () => query('select 1 from graphile_worker.jobs where key = $1', [`check:${id}`]);
    await sweep(engines);
    expect(await jobs()).toHaveLength(0);
    await query("update uploads set due_at = now() - interval '31 seconds' where id = $1", [id]);
    expect((await sweep(engines)).checks).toBeGreaterThanOrEqual(1);
    expect(await jobs()).toHaveLength(1);
    await checkUpload(withScan('required'), link.accountId, id, live);
    expect(await readRow(id)).toMatchObject({ state: 'ready', scan: 'clean' });
  });

  test('it is tried again after growing pauses, and parked as refused when it stays away', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    const away = withScan('required', await awayScanner());
    const pauses: number[] = [];
    for (let check = 1; check < maxChecks; check += 1) {
      await expect(checkUpload(away, link.accountId, id, live)).rejects.toMatchObject({ code: 'unavailable' });
      expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'checking' }]);
      const [pause] = await readPause(id);
      expect(pause?.job_seconds).toBe(pause?.seconds);
      pauses.push(pause?.seconds as number);
      // Not before it is due, whichever worker asks.
      await checkUpload(engines, link.accountId, id, live);
      expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'checking' }]);
      await leaseOver(id);
    }
    expect(pauses).toEqual(pauses.map((_, nth) => 60 * 2 ** nth));
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(3_600);
    await checkUpload(away, link.accountId, id, live);
    expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'refused' }]);
    expect(await readRow(id)).toMatchObject({ refusal: 'unchecked', wrappedKey: null });
    await leaseOver(id);
    await sweepFiles(engines);
    expect(listObjects(id)).toEqual([]);
  });

  test('a check that another process stopped in the middle of is not one of those', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    for (let stop = 0; stop < maxChecks + 1; stop += 1) {
      const stopping = new AbortController();
      const objects = whileReading(async () => stopping.abort());
      await checkUpload({ ...engines, objects }, link.accountId, id, stopping.signal);
      expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'checking' }]);
    }
    const away = withScan('required', await awayScanner());
    await expect(checkUpload(away, link.accountId, id, live)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await readPause(id)).toMatchObject([{ seconds: 60 }]);
    await leaseOver(id);
    await checkUpload(engines, link.accountId, id, live);
    expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'ready' }]);
  });

  test.each(['best-effort', 'off'] as const)('a file is ready, as unscanned, under "%s"', async (scan) => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    await checkUpload(withScan(scan, await awayScanner()), link.accountId, id, live);
    expect(await readRow(id)).toMatchObject({ state: 'ready', scan: 'unscanned' });
  });
});

describe('two checks of one upload', () => {
  test('at once have one effect', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    await Promise.all(Array.from({ length: 4 }, () => checkUpload(engines, link.accountId, id, live)));
    expect([await statesOn(link), (await readAudit(link)).length]).toEqual([[{ name: 'a.txt', state: 'ready' }], 1]);
  });

  test('of which the first lost its lease have one effect, and the file stays', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    const objects = whileReading(async () => {
      await leaseOver(id);
      await checkUpload(engines, link.accountId, id, live);
    });
    await checkUpload({ ...engines, objects }, link.accountId, id, live);
    expect([await statesOn(link), (await readAudit(link)).length]).toEqual([[{ name: 'a.txt', state: 'ready' }], 1]);
    await sweepFiles(engines);
    expect((await readContent(engines, (await readRow(id)) as SealedFile)).toString()).toBe('some content');
  });

  test('of which the first is late with a refusal leave the file as it was found good', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    const objects = whileReading(async () => {
      await leaseOver(id);
      await checkUpload(engines, link.accountId, id, live);
    });
    await checkUpload({ ...withScan('required', fullScanner), objects }, link.accountId, id, live);
    expect(await readRow(id)).toMatchObject({ state: 'ready', refusal: null });
  });
});

describe('an upload that is removed while it is checked', () => {
  test('stays removed', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    const objects = whileReading(() => engines.store.uploads.remove(link.accountId, contactDraftName(link), id));
    await checkUpload({ ...engines, objects }, link.accountId, id, live);
    expect([await statesOn(link), await readAudit(link)]).toEqual([[], []]);
    await leaseOver(id);
    await sweepFiles(engines);
    expect([listObjects(id), await readRow(id)]).toEqual([[], undefined]);
  });

  test('does not take a ready file of the same name with it', async () => {
    const { link } = await openRequestLink(exchange);
    const first = await readyFile(engines, link, 'a.txt', 'first');
    const second = await receivedFile(engines, link, 'a.txt', 'second');
    const objects = whileReading(() => engines.store.uploads.remove(link.accountId, contactDraftName(link), second));
    await checkUpload({ ...engines, objects }, link.accountId, second, live);
    expect(await listDraftFiles(engines, link)).toMatchObject([{ id: first, state: 'ready' }]);
    await sweepFiles(engines);
    expect((await readContent(engines, (await readRow(first)) as SealedFile)).toString()).toBe('first');
  });

  test('and swept is not a damaged one', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    const objects = whileReading(async () => {
      await engines.store.uploads.remove(link.accountId, contactDraftName(link), id);
      await leaseOver(id);
      await sweepFiles(engines);
    });
    await checkUpload({ ...engines, objects }, link.accountId, id, live);
    expect([await statesOn(link), await readRow(id)]).toEqual([[], undefined]);
  });
});

describe('a check that takes long', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  /** The engines, with a check that waits until its lease has been renewed once. */
  const slow = (link: Link, id: string, meanwhile: () => Promise<unknown>) => {
    const asked = Promise.withResolvers<boolean>();
    const holdForCheck: typeof engines.store.uploads.holdForCheck = async (...question) => {
      const held = await engines.store.uploads.holdForCheck(...question);
      asked.resolve(held);
      return held;
    };
    const store = { ...engines.store, uploads: { ...engines.store.uploads, holdForCheck } };
    const objects = whileReading(async () => {
      await meanwhile();
      vi.advanceTimersByTime(15_000);
      await asked.promise;
    });
    return { check: () => checkUpload({ ...engines, store, objects }, link.accountId, id, live), asked: asked.promise };
  };

  test('keeps its lease', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    const { check, asked } = slow(link, id, () => leaseOver(id));
    const checking = check();
    expect(await asked).toBe(true);
    await checkUpload(withScan('required', fullScanner), link.accountId, id, live);
    await checking;
    expect(await readRow(id)).toMatchObject({ state: 'ready', refusal: null });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('ends, and well, when the upload is removed', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await receivedFile(engines, link, 'a.txt', 'some content');
    const objects: ObjectStore = {
      ...engines.objects,
      async read(key, part, signal) {
        await engines.store.uploads.remove(link.accountId, contactDraftName(link), id);
        const told = new Promise((resolve) => signal.addEventListener('abort', resolve));
        vi.advanceTimersByTime(15_000);
        await told;
        return engines.objects.read(key, part, signal);
      },
    };
    await checkUpload({ ...engines, objects }, link.accountId, id, live);
    expect([await statesOn(link), vi.getTimerCount()]).toEqual([[], 0]);
  });
});

test('a check that is told to stop leaves the upload to a later one', async () => {
  const { link } = await openRequestLink(exchange);
  const id = await receivedFile(engines, link, 'a.txt', 'some content');
  const stopping = new AbortController();
  const objects = whileReading(async () => stopping.abort());
  await checkUpload({ ...engines, objects }, link.accountId, id, stopping.signal);
  expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'checking' }]);
  // At once, because another process already has its job.
  expect(await readPause(id)).toMatchObject([{ seconds: 0, job_seconds: 0 }]);
  await checkUpload(engines, link.accountId, id, live);
  expect(await statesOn(link)).toEqual([{ name: 'a.txt', state: 'ready' }]);
});

test('what writers left that were cut off is deleted with the check', async () => {
  const { link } = await openRequestLink(exchange);
  const id = await announceUpload(engines, link, 'a.txt', 5);
  const stored = new Set<string>();
  const objects: ObjectStore = {
    ...engines.objects,
    async put(key, body, signal) {
      await engines.objects.put(key, body, signal);
      stored.add(key);
      if (stored.size < 3) throw new Error('no response');
    },
  };
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const { writer, upload } = await takeOverUpload(engines, link, id);
    await receiveBytes(
      { ...engines, objects },
      contactDraftOwner(link),
      writer,
      upload,
      splitIntoPieces(Buffer.from('12345')),
    ).catch(() => 0);
  }
  expect(stored.size).toBe(3);
  await checkUpload(engines, link.accountId, id, live);
  expect([...stored].filter((key) => engines.objects.objects.has(key))).toEqual([[...stored].at(-1)]);
  expect((await readContent(engines, (await readRow(id)) as SealedFile)).toString()).toBe('12345');
});
