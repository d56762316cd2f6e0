// RFC 9110 applied to docs/api.md#11-download-a-file: a download can be resumed. The file spans several stored pieces.
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { assertErrorResponse } from '../lib/http/expect.ts';
import { type HttpResponse, header } from '../lib/http/response.ts';
import type { InboxEntry } from '../lib/http/shapes.ts';
import { deliver } from '../lib/scenario.ts';

const mebibyte = 1024 * 1024;
const content = randomBytes(20 * mebibyte + 12_345);
const size = content.length;
let receiver: Client;
let entry: InboxEntry;

beforeAll(async () => {
  const [sender, to] = await Promise.all([freshClient('sender'), freshClient('receiver')]);
  receiver = to;
  const files = [
    { name: 'large.bin', content },
    { name: 'empty.bin', content: '' },
  ];
  entry = await deliver(sender, receiver, files);
});

const download = (headers: Record<string, string> = {}): Promise<HttpResponse> =>
  receiver.download(entry.url, 'large.bin', headers);

function assertPart(response: HttpResponse, first: number, last: number): void {
  expect(response.status).toBe(206);
  expect(header(response, 'Content-Range')).toBe(`bytes ${first}-${last}/${size}`);
  expect(header(response, 'Content-Length')).toBe(String(last - first + 1));
  expect(response.body.equals(content.subarray(first, last + 1))).toBe(true);
}

test('the whole file arrives as it was sent', async () => {
  const response = await download();
  expect(response.status).toBe(200);
  expect(response.body.equals(content)).toBe(true);
});

const ranges: [asked: string, first: number, last: number][] = [
  ['0-0', 0, 0],
  ['0-99999', 0, 99_999],
  ['65535-65536', 65_535, 65_536],
  [`${8 * mebibyte - 1}-${8 * mebibyte}`, 8 * mebibyte - 1, 8 * mebibyte],
  [`${mebibyte}-${18 * mebibyte}`, mebibyte, 18 * mebibyte],
  [`${size - 10}-`, size - 10, size - 1],
  ['-10', size - 10, size - 1],
  [`-${size + 10}`, 0, size - 1],
  [`${size - 5}-${size + 5}`, size - 5, size - 1],
];
for (const [asked, first, last] of ranges) {
  test(`bytes=${asked} returns 206 with just these bytes`, async () => {
    assertPart(await download({ Range: `bytes=${asked}` }), first, last);
  });
}

for (const asked of [`${size}-`, `${size + 100}-${size + 200}`, '-0']) {
  test(`bytes=${asked} lies outside the file and returns 416 with its size`, async () => {
    const response = await download({ Range: `bytes=${asked}` });
    assertErrorResponse(response, 416, 'range_not_satisfiable');
    expect(header(response, 'Content-Range')).toBe(`bytes */${size}`);
  });
}

test('no range of an empty file can be satisfied', async () => {
  const response = await receiver.download(entry.url, 'empty.bin', { Range: 'bytes=0-' });
  assertErrorResponse(response, 416, 'range_not_satisfiable');
  expect(header(response, 'Content-Range')).toBe('bytes */0');
});

for (const asked of ['bytes=5-2', 'bytes=a-b', 'lines=1-2', 'bytes=0-0,5-5']) {
  test(`the range ${asked} is ignored: the whole file is sent`, async () => {
    const response = await download({ Range: asked });
    expect(response.status).toBe(200);
    expect(response.body.equals(content)).toBe(true);
  });
}

test('a part carries the ETag and the digest of the whole file', async () => {
  const [whole, part] = [await download(), await download({ Range: 'bytes=10-19' })];
  for (const name of ['ETag', 'Repr-Digest']) expect([name, header(part, name)]).toEqual([name, header(whole, name)]);
});

test('a part is sent with If-Range when the file is the same', async () => {
  const etag = header(await download({ Range: 'bytes=0-0' }), 'ETag') ?? '';
  assertPart(await download({ Range: 'bytes=10-19', 'If-Range': etag }), 10, 19);
});

for (const [why, mark] of [
  ['another', (etag: string) => `"x${etag.slice(1)}`],
  ['a weak', (etag: string) => `W/${etag}`],
] as const) {
  test(`the whole file is sent with If-Range and ${why} ETag`, async () => {
    const etag = header(await download({ Range: 'bytes=0-0' }), 'ETag') ?? '';
    const response = await download({ Range: 'bytes=10-19', 'If-Range': mark(etag) });
    expect(response.status).toBe(200);
    expect(response.body.equals(content)).toBe(true);
  });
}
