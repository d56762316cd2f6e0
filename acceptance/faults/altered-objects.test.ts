// Someone changes stored objects. A download gets the right bytes, or a transfer that visibly fails.
import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { assertErrorResponse } from '../lib/http/expect.ts';
import type { HttpResponse } from '../lib/http/response.ts';
import type { InboxEntry } from '../lib/http/shapes.ts';
import { openResponse } from '../lib/http/stream.ts';
import { deliver } from '../lib/scenario.ts';
import {
  chunkKey,
  copyObject,
  deleteObject,
  query,
  readObject,
  writeObject,
} from '../lib/servers/exchange-internals.ts';

const chunkBytes = 8 * 1024 * 1024;
/** Three chunks, the last one shorter. */
const content = randomBytes(20 * 1024 * 1024);
const otherContent = randomBytes(content.length);

let sender: Client;
let receiver: Client;
let entry: InboxEntry;
/** The keys of the two files' chunks, in order. */
let chunks: string[];
let otherChunks: string[];
let originals: Buffer[];
/** Those that the test has changed. */
const damaged = new Set<number>();

beforeAll(async () => {
  [sender, receiver] = await Promise.all([freshClient('sender'), freshClient('receiver')]);
  entry = await deliver(sender, receiver, [
    { name: 'damaged.bin', content },
    { name: 'other.bin', content: otherContent },
  ]);
  [chunks, otherChunks] = [await findObjectKeys('damaged.bin'), await findObjectKeys('other.bin')];
  originals = await Promise.all(chunks.map(readObject));
});
afterEach(async () => {
  await Promise.all([...damaged].map((chunk) => writeObject(key(chunk), originals[chunk] ?? Buffer.alloc(0))));
  damaged.clear();
  expectSame((await download()).body, content);
});

describe('damage beyond the first chunk', () => {
  const damages: { name: string; harm: () => Promise<void>; chunk: number }[] = [
    { name: 'one byte of the middle chunk altered', harm: () => flipByte(1, 5_000_000), chunk: 1 },
    { name: 'the first byte of the last chunk altered', harm: () => flipByte(2, 0), chunk: 2 },
    { name: 'the last byte of the last chunk altered', harm: () => flipByte(2, -1), chunk: 2 },
    { name: 'the middle chunk cut short inside a segment', harm: () => truncate(1, 1_000_000), chunk: 1 },
    { name: 'the middle chunk cut short between two segments', harm: () => truncate(1, 16 * (65_536 + 16)), chunk: 1 },
    { name: 'the last chunk emptied', harm: () => truncate(2, 0), chunk: 2 },
    { name: 'the middle chunk replaced by the last', harm: () => copyObject(key(2), damagedKey(1)), chunk: 1 },
    {
      name: 'the middle chunk replaced by that of another file',
      harm: () => copyObject(otherKey(1), damagedKey(1)),
      chunk: 1,
    },
    {
      name: 'the last chunk replaced by that of another file',
      harm: () => copyObject(otherKey(2), damagedKey(2)),
      chunk: 2,
    },
    { name: 'the middle chunk deleted', harm: () => deleteObject(damagedKey(1)), chunk: 1 },
    { name: 'the last chunk deleted', harm: () => deleteObject(damagedKey(2)), chunk: 2 },
  ];

  for (const { name, harm, chunk } of damages) {
    test(`${name}: the transfer breaks off`, async () => {
      await harm();
      await expect(download(), 'the whole').rejects.toThrow(/^(?:aborted|socket hang up)$/);
      await expectBroken(0);
      await expectBroken(chunk * chunkBytes - 10);
      // Ranges that do not touch the damage are served as before.
      const before = await download(`bytes=0-${chunk * chunkBytes - 1}`);
      expect(before.status).toBe(206);
      expectSame(before.body, content.subarray(0, chunk * chunkBytes));
      if (chunk < 2) {
        const after = await download(`bytes=${(chunk + 1) * chunkBytes}-`);
        expectSame(after.body, content.subarray((chunk + 1) * chunkBytes));
      }
      expectSame((await receiver.download(entry.url, 'other.bin')).body, otherContent);
    });
  }
});

describe('damage in the first chunk', () => {
  const damages: { name: string; harm: () => Promise<void> }[] = [
    { name: 'the first byte altered', harm: () => flipByte(0, 0) },
    { name: 'the first chunk emptied', harm: () => truncate(0, 0) },
    { name: 'the first two chunks swapped', harm: () => swap(0, 1) },
    { name: 'the first chunk replaced by that of another file', harm: () => copyObject(otherKey(0), damagedKey(0)) },
    { name: 'the first chunk deleted', harm: () => deleteObject(damagedKey(0)) },
  ];

  for (const { name, harm } of damages) {
    test(`${name}: an error instead of the file`, async () => {
      await harm();
      assertErrorResponse(await download(), 500, 'damaged');
      assertErrorResponse(await download('bytes=0-0'), 500, 'damaged');
      expectSame((await download('bytes=-1000')).body, content.subarray(-1000));
    });
  }
});

test('two chunks swapped: a range from inside either of them is an error too', async () => {
  await swap(1, 2);
  await expectBroken(0);
  assertErrorResponse(await download(`bytes=${chunkBytes}-${chunkBytes}`), 500, 'damaged');
  assertErrorResponse(await download('bytes=-1'), 500, 'damaged');
  expectSame((await download(`bytes=0-${chunkBytes - 1}`)).body, content.subarray(0, chunkBytes));
});

test('bytes added after the end of a chunk are never sent', async () => {
  await writeObject(damagedKey(2), Buffer.concat([await readObject(key(2)), randomBytes(70_000)]));
  const response = await download().catch(() => undefined);
  if (response !== undefined) expectSame(response.body, content);
});

function download(range?: string): Promise<HttpResponse> {
  return receiver.download(entry.url, 'damaged.bin', range === undefined ? {} : { Range: range });
}

/**
 * Expects a download that is announced in full, right as far as it goes, and cut off before its end, so that no client
 * can mistake it for the file. If the damage is early, the connection may be closed before the first byte.
 */
async function expectBroken(start: number): Promise<void> {
  const received: Buffer[] = [];
  const failure = await (async () => {
    const response = await openResponse(receiver, `${entry.url}/files/damaged.bin`, { Range: `bytes=${start}-` });
    const announced = { status: response.statusCode, length: response.headers['content-length'] };
    expect(announced).toEqual({ status: 206, length: String(content.length - start) });
    for await (const bytes of response) received.push(bytes as Buffer);
    return response.complete ? 'a complete response' : 'cut off';
  })().catch((error: Error) => error.message);
  expect(['aborted', 'socket hang up', 'cut off']).toContain(failure);
  const bytes = Buffer.concat(received);
  expect(bytes.length).toBeLessThan(content.length - start);
  expectSame(bytes, content.subarray(start, start + bytes.length));
}

/** Names digests, because a failure message with megabytes helps no one. */
function expectSame(actual: Buffer, expected: Buffer): void {
  if (actual.equals(expected)) return;
  const digest = (bytes: Buffer) => `${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`;
  expect(digest(actual)).toBe(digest(expected));
}

async function flipByte(chunk: number, at: number): Promise<void> {
  const bytes = await readObject(key(chunk));
  const index = at < 0 ? bytes.length + at : at;
  bytes.writeUInt8(bytes.readUInt8(index) ^ 0x01, index);
  await writeObject(damagedKey(chunk), bytes);
}

async function truncate(chunk: number, length: number): Promise<void> {
  await writeObject(damagedKey(chunk), (await readObject(key(chunk))).subarray(0, length));
}

async function swap(left: number, right: number): Promise<void> {
  const [first, second] = [await readObject(key(left)), await readObject(key(right))];
  await writeObject(damagedKey(left), second);
  await writeObject(damagedKey(right), first);
}

async function findObjectKeys(name: string): Promise<string[]> {
  const [row] = await query<{ id: string; chunk_count: number }>(
    `select files.id, chunk_count from files join accounts on accounts.id = account_id where email = $1 and name = $2`,
    [sender.user, name],
  );
  expect(row?.chunk_count).toBe(3);
  return [0, 1, 2].map((chunk) => chunkKey(row?.id ?? '', chunk));
}

function key(chunk: number): string {
  return chunks[chunk] ?? '';
}

/** The key of a chunk that is restored after the test. */
function damagedKey(chunk: number): string {
  damaged.add(chunk);
  return key(chunk);
}

function otherKey(chunk: number): string {
  return otherChunks[chunk] ?? '';
}
