import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { percentile } from '../../../../tools/shared/percentile.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { deriveToken, sentLink } from '../../../test/links.ts';
import { buildTestServer } from '../../../test/server.ts';
import { findLink } from '../../domain/links/find-link.ts';
import type { Link } from '../../domain/links/link-store.ts';
import { openLink } from '../../domain/links/open-link.ts';
import { toReference } from '../../domain/reference.ts';
import { downloads } from '../../web/links/link-pages.ts';
import { sessionCookie, sessionPath } from '../../web/links/session.ts';

const exchange = await useTestExchange();
const app = buildTestServer(exchange, {}, { allowedHosts: ['127.0.0.1'] });
const origin = await app.listen({ port: 0, host: '127.0.0.1' });
afterAll(() => app.close());

/** Sends a drop of these files to two receivers, who both open their links. */
async function sendFiles(...paths: string[]) {
  const { link, sender, dropId } = await sentLink(exchange, paths, ['r@example.org', 's@example.org']);
  const other = await findLink(exchange.engines, await deriveToken(exchange, sender, dropId, 1), 'downloadfiles');
  return [await reader(link), await reader(other)] as const;
}

async function reader(link: Link) {
  const secret = await openLink(exchange.engines, link);
  const cookie = sessionCookie(downloads, secret, undefined, false).split(';', 1)[0] as string;
  const zip = async (headers: Record<string, string> = {}, method = 'GET') => {
    const url = `${origin}${sessionPath(downloads, secret)}all.zip`;
    const response = await fetch(url, { method, headers: { cookie, ...headers } });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  /** Lists the files that count as delivered. */
  const complete = async () =>
    (await exchange.engines.store.links.files(link)).filter((file) => file.complete).map(({ path }) => path);
  return { link, zip, complete };
}

async function listed(zip: Buffer): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-zip-'));
  try {
    const path = join(folder, 'all.zip');
    writeFileSync(path, zip);
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    await promisify(execFile)('unzip', ['-t', path], { env });
    return (await promisify(execFile)('unzip', ['-Z1', path], { env })).stdout.trimEnd().split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('it is named after its sender, the day of the drop and its reference', async () => {
  const [{ link, zip }] = await sendFiles('a.txt');
  await exchange.database.query("update drops set created_at = '2026-11-15T23:59:59Z' where id = $1", [link.dropId]);
  const name = `${link.sender.replace('@', '-')} 2026-11-15 ${toReference(link.dropId)}.zip`;
  expect((await zip({}, 'HEAD')).headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
});

test('it has the folders, under names that are safe everywhere', async () => {
  const [{ zip }] = await sendFiles('reports/2026/q1.txt', 'Reports/Q1.txt', 'CON/q1.txt', 'q1.txt', 'empty');
  expect(await listed((await zip()).bytes)).toEqual([
    'reports/2026/q1.txt',
    'reports/Q1.txt',
    '_CON/q1.txt',
    'q1.txt',
    'empty',
  ]);
});

describe('any part of it can be requested', () => {
  test('and has the same bytes for everyone', async () => {
    const [{ zip }, other] = await sendFiles('a/x.txt', 'b/x.txt');
    const whole = await zip();
    const etag = whole.headers.get('etag') as string;
    expect(whole.status).toBe(200);
    expect((await other.zip()).bytes.equals(whole.bytes)).toBe(true);
    for (let start = 0; start < whole.bytes.length; start += 7) {
      const part = await zip({ range: `bytes=${start}-${start + 99}`, 'if-range': etag });
      const expected = whole.bytes.subarray(start, start + 100);
      const range = `bytes ${start}-${start + expected.length - 1}/${whole.bytes.length}`;
      expect([part.status, part.headers.get('etag'), part.headers.get('content-range')]).toEqual([206, etag, range]);
      expect(part.bytes.equals(expected), range).toBe(true);
    }
  });

  test('unless it has changed, or the range lies behind its end', async () => {
    const [{ zip }] = await sendFiles('a.txt');
    const { bytes } = await zip();
    expect((await zip({ range: 'bytes=1-', 'if-range': '"another"' })).status).toBe(200);
    const outside = await zip({ range: `bytes=${bytes.length}-` });
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
  });
});

test('a file counts as delivered when its last byte has been sent, in whichever part of the ZIP', async () => {
  const [{ zip, complete }, other] = await sendFiles('a.txt', 'c.txt');
  const whole = (await other.zip()).bytes;
  const findEnd = (path: string) => whole.indexOf(`content of ${path}`) + `content of ${path}`.length;
  const receive = async (start: number, end: number) => (await zip({ range: `bytes=${start}-${end - 1}` })).bytes;

  await receive(0, findEnd('a.txt') - 1);
  expect(await complete()).toEqual([]);
  await receive(findEnd('a.txt') - 1, findEnd('c.txt') - 1);
  await expect.poll(complete).toEqual(['a.txt']);
  await receive(findEnd('c.txt'), whole.length);
  expect(await complete()).toEqual(['a.txt']);
  await receive(findEnd('c.txt') - 1, findEnd('c.txt'));
  await expect.poll(complete).toEqual(['a.txt', 'c.txt']);
});

test('an empty file counts as delivered when the bytes after it are sent', async () => {
  const actor = await exchange.account('r@example.org');
  await exchange.upload(actor, 'empty', '');
  const { link } = await sentLink(exchange, ['full'], ['r@example.org'], actor);
  const { zip, complete } = await reader(link);
  const header = 30 + 'empty'.length;
  await zip({ range: `bytes=0-${header - 2}` });
  expect(await complete()).toEqual([]);
  await zip({ range: `bytes=${header}-${header + 1}` });
  await expect.poll(complete).toEqual(['empty']);
});

test('a revoked receiver gets none of it, although it was sent a moment ago', async () => {
  const [{ link, zip }, other] = await sendFiles('a.txt');
  for (const { zip: before } of [{ zip }, other]) expect((await before({ range: 'bytes=0-0' })).status).toBe(206);
  await exchange.expire(link.dropId);
  for (const { zip: after } of [{ zip }, other]) expect((await after({ range: 'bytes=0-0' })).status).toBe(410);
});

test('a byte of a ZIP of 960 files costs much less when the drop has not changed', { timeout: 180_000 }, async () => {
  const [{ link, zip }] = await sendFiles(
    ...Array.from({ length: 960 }, (_, index) => `folder ${index % 7}/${index}.txt`),
  );
  const costs: { changed: number; again: number }[] = [];
  /** The processor time of a request for the first byte, in milliseconds. */
  const cost = async () => {
    const before = process.cpuUsage();
    const { status, bytes } = await zip({ range: 'bytes=0-0' });
    const { user, system } = process.cpuUsage(before);
    expect([status, bytes.toString()]).toEqual([206, 'P']);
    return (user + system) / 1000;
  };
  for (let round = 0; round < 12; round += 1) {
    // The time of the drop is in every header.
    await exchange.database.query('update drops set created_at = created_at + $2 where id = $1', [link.dropId, '2 s']);
    costs.push({ changed: await cost(), again: await cost() });
  }
  // The first rounds also compile.
  const median = (which: 'changed' | 'again') =>
    percentile(
      costs.slice(4).map((round) => round[which]),
      0.5,
    );
  expect(median('again') / median('changed')).toBeLessThan(0.6);
});
