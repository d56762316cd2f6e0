// docs/api.md#5-get-uploaded-files and the two operations after it: uploading, listing and removing files before a
// dispatch.
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { assertErrorResponse, assertJson, assertStatus } from '../lib/http/expect.ts';
import { field, filePart, multipart, uploadParts } from '../lib/http/multipart.ts';
import { header } from '../lib/http/response.ts';
import { deliver } from '../lib/scenario.ts';

let account: Client;
let drafts = 0;

beforeAll(async () => {
  account = await freshClient('files');
});

/** The test's own draft: nothing is staged in it, and no other test uses it. */
function emptyDraft(): Client {
  drafts += 1;
  return account.inDraft(`draft-${drafts}`);
}

async function names(client: Client): Promise<string[]> {
  return (await client.readFiles()).map(({ name }) => name).sort();
}

describe('get_files.cgi', () => {
  test('returns an empty array when no file exists', async () => {
    assertJson(await emptyDraft().files(), []);
  });

  test('returns name, media type and a size to read, all of them strings', async () => {
    const client = emptyDraft();
    assertStatus(await client.upload({ name: 'note.txt', content: 'hello', type: 'text/plain' }), 'done');
    assertJson(await client.files(), [{ name: 'note.txt', type: 'text/plain', size: '5 B' }]);
  });

  const sizes: [bytes: number, shown: string][] = [
    [0, '0 B'],
    [999, '999 B'],
    [1_400, '1.4 kB'],
    [1_400_000, '1.4 MB'],
  ];
  for (const [bytes, shown] of sizes) {
    test(`shows ${bytes} bytes as ${shown}`, async () => {
      const client = emptyDraft();
      assertStatus(await client.upload({ name: 'sized.bin', content: Buffer.alloc(bytes, 7) }), 'done');
      expect((await client.readFiles()).map(({ size }) => size)).toEqual([shown]);
    });
  }
});

describe('upload.cgi', () => {
  test('returns done in chunked transfer encoding', async () => {
    const response = await emptyDraft().upload({ name: 'a.txt', content: 'a' });
    assertStatus(response, 'done');
    expect(header(response, 'Transfer-Encoding')).toBe('chunked');
    expect(header(response, 'Content-Length')).toBeUndefined();
  });

  test('takes file after file', async () => {
    const client = emptyDraft();
    assertStatus(await client.upload({ name: 'a.txt', content: 'a' }), 'done');
    assertStatus(await client.upload({ name: 'b.txt', content: 'b' }), 'done');
    expect(await names(client)).toEqual(['a.txt', 'b.txt']);
  });

  test('takes several files in one request', async () => {
    const client = emptyDraft();
    assertStatus(await client.upload({ name: 'a.txt', content: 'a' }, { name: 'b.txt', content: 'b' }), 'done');
    expect(await names(client)).toEqual(['a.txt', 'b.txt']);
  });

  test('keeps nothing of a request when one of its files is refused', async () => {
    const client = emptyDraft();
    const response = await client.upload({ name: 'good.txt', content: 'good' }, { name: '../bad.txt', content: 'bad' });
    assertErrorResponse(response, 400, 'invalid_name');
    expect(await names(client)).toEqual([]);
  });

  test('takes the field do after the file as well as before it', async () => {
    const client = emptyDraft();
    const body = multipart([filePart({ name: 'first.txt', content: 'first' }), field('do', 'upload')]);
    assertStatus(await client.uploadBody(body), 'done');
    expect(await names(client)).toEqual(['first.txt']);
  });

  const wrongActions: [why: string, parts: ReturnType<typeof field>[]][] = [
    ['is missing', []],
    ['has another value', [field('do', 'delete')]],
  ];
  for (const [why, parts] of wrongActions) {
    test(`keeps nothing when the field do ${why}`, async () => {
      const client = emptyDraft();
      const response = await client.uploadBody(multipart([...parts, filePart({ name: 'a.txt', content: 'a' })]));
      assertErrorResponse(response, 400, ['malformed_request', 'invalid_input']);
      expect(await names(client)).toEqual([]);
    });
  }

  for (const contentType of ['application/json', 'application/x-www-form-urlencoded', 'text/plain', '']) {
    test(`takes multipart/form-data only, not ${contentType === '' ? 'a body without a type' : contentType}`, async () => {
      const client = emptyDraft();
      const { body } = multipart(uploadParts([{ name: 'a.txt', content: 'a' }]));
      const headers: Record<string, string> = contentType === '' ? {} : { 'Content-Type': contentType };
      const response = await client.call('POST', 'cgi/upload.cgi', { headers, body });
      assertErrorResponse(response, 415, 'unsupported_media_type');
      expect(await names(client)).toEqual([]);
    });
  }

  test('takes a body of unknown length', async () => {
    const client = emptyDraft();
    const body = multipart(uploadParts([{ name: 'stream.bin', content: randomBytes(1_500_000) }]));
    assertStatus(await client.uploadBody(body, { chunked: true }), 'done');
    expect((await client.readFiles()).map(({ name, size }) => [name, size])).toEqual([['stream.bin', '1.5 MB']]);
  });

  test('replaces the staged file of the same name', async () => {
    const [sender, receiver] = await Promise.all([freshClient('retry'), freshClient('receiver')]);
    assertStatus(await sender.upload({ name: 'retry.txt', content: 'first try' }), 'done');
    const entry = await deliver(sender, receiver, [{ name: 'retry.txt', content: 'second' }]);
    expect(entry.files.map(({ name }) => name)).toEqual(['retry.txt']);
    expect((await receiver.download(entry.url, 'retry.txt')).body.toString()).toBe('second');
  });

  for (const name of ['två ord & mer+100%.txt', '__proto__', 'x'.repeat(255), '漢字.pdf', '.hidden', 'a=b;c,d']) {
    test(`keeps the name ${name.length > 60 ? 'of 255 bytes' : name}`, async () => {
      const client = emptyDraft();
      assertStatus(await client.upload({ name, content: 'a' }), 'done');
      expect(await names(client)).toEqual([name]);
      assertStatus(await client.removeFile(name), 'deldone');
      expect(await names(client)).toEqual([]);
    });
  }

  test('takes decomposed and composed letters as one name', async () => {
    const client = emptyDraft();
    assertStatus(await client.upload({ name: 're\u0301sume\u0301.txt', content: 'one' }), 'done');
    assertStatus(await client.upload({ name: 'r\u00e9sum\u00e9.txt', content: 'two' }), 'done');
    expect(await names(client)).toEqual(['r\u00e9sum\u00e9.txt']);
    assertStatus(await client.removeFile('re\u0301sume\u0301.txt'), 'deldone');
    expect(await names(client)).toEqual([]);
  });
});

describe('remove_file.cgi', () => {
  test('removes the file of that name and no other', async () => {
    const client = emptyDraft();
    assertStatus(await client.upload({ name: 'a.txt', content: 'a' }, { name: 'b.txt', content: 'b' }), 'done');
    assertStatus(await client.removeFile('a.txt'), 'deldone');
    expect(await names(client)).toEqual(['b.txt']);
  });

  test('returns 404 for a name that is not staged, and for one removed a moment ago', async () => {
    const client = emptyDraft();
    assertErrorResponse(await client.removeFile('never.txt'), 404, 'not_found');
    assertStatus(await client.upload({ name: 'once.txt', content: 'a' }), 'done');
    assertStatus(await client.removeFile('once.txt'), 'deldone');
    assertErrorResponse(await client.removeFile('once.txt'), 404, 'not_found');
  });

  test('demands the parameter filename', async () => {
    assertErrorResponse(await emptyDraft().get('cgi/remove_file.cgi'), 400, ['invalid_input', 'malformed_request']);
  });

  test('reaches the files of its own account only', async () => {
    const other = await freshClient('other');
    assertStatus(await other.upload({ name: 'theirs.txt', content: 'a' }), 'done');
    assertErrorResponse(await account.removeFile('theirs.txt'), 404, 'not_found');
    expect(await names(other)).toEqual(['theirs.txt']);
  });
});
