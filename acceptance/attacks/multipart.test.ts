// Uploads that are malformed, or designed to cost more than they carry.
import { describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { type AttackRow, attackTable, belongings } from '../lib/attack-table.ts';
import { assertStatus } from '../lib/http/expect.ts';
import { field, filePart, type MultipartBody, multipart, type Part, uploadParts } from '../lib/http/multipart.ts';
import { sendAndVanish } from '../lib/http/raw.ts';
import { demo } from '../lib/servers/running-demo.ts';

const planted = filePart({ name: 'planted.txt', content: 'planted' });
const doUpload = field('do', 'upload');
const many = (count: number, part: (i: number) => Part): Part[] => Array.from({ length: count }, (_, i) => part(i));
const badRequest = ['malformed_request', 'invalid_input'];
const badOrLarge = [...badRequest, 'too_large'];

function refused(name: string, body: () => MultipartBody): AttackRow {
  return { name, status: 400, code: badRequest, send: ({ client }) => client.uploadBody(body()) };
}

function tooMuch(name: string, body: () => MultipartBody): AttackRow {
  return { name, status: [400, 413], code: badOrLarge, send: ({ client }) => client.uploadBody(body()) };
}

/** A complete body with a change to its text. */
function altered(parts: Part[], alter: (text: string, boundary: string) => string): MultipartBody {
  const boundary = 'a-boundary-to-be-broken';
  const { contentType, body } = multipart(parts, boundary);
  return { contentType, body: Buffer.from(alter(body.toString('latin1'), boundary), 'latin1') };
}

attackTable('parts', [
  refused('no part at all', () => multipart([])),
  refused('an empty body', () => ({ ...multipart([]), body: Buffer.alloc(0) })),
  refused('no file', () => multipart([doUpload])),
  refused('no field do', () => multipart([planted])),
  refused('a field do of another value', () => multipart([field('do', 'delete'), planted])),
  refused('a field do of the value in another case', () => multipart([field('do', 'UPLOAD'), planted])),
  refused('an empty field do', () => multipart([field('do', ''), planted])),
  refused('a field do that contradicts itself', () => multipart([doUpload, planted, field('do', 'delete')])),
  refused('a field do that is a file', () => multipart([filePart({ name: 'do', content: 'upload' }, 'do'), planted])),
  refused('a file that is a plain field', () => multipart([doUpload, field('file', 'planted')])),
  refused('a file in a field of another name', () =>
    multipart([doUpload, filePart({ name: 'a', content: 'a' }, 'files')]),
  ),
  refused('a file beside the right one, in a field of another name', () =>
    multipart([doUpload, planted, filePart({ name: 'other.txt', content: 'a' }, 'attachment')]),
  ),
  refused('a field called __proto__', () => multipart([doUpload, filePart({ name: 'a', content: 'a' }, '__proto__')])),
  refused('a part without Content-Disposition', () =>
    multipart([doUpload, { headers: ['Content-Type: text/plain'], content: 'planted' }]),
  ),
  refused('a part without headers', () => multipart([doUpload, { headers: [], content: 'planted' }])),
  refused('a part without a name', () =>
    multipart([doUpload, { headers: ['Content-Disposition: form-data; filename="planted.txt"'], content: 'planted' }]),
  ),
  refused('a part inside a part', () => {
    const inner = multipart([planted], 'inner');
    const nested = {
      headers: ['Content-Disposition: form-data; name="file"', 'Content-Type: multipart/mixed; boundary=inner'],
      content: inner.body,
    };
    return multipart([doUpload, nested]);
  }),
]);

attackTable('boundaries', [
  refused('no final boundary', () => altered([doUpload, planted], (text, b) => text.replace(`--${b}--\r\n`, ''))),
  refused('an end in the middle of a file', () =>
    altered([doUpload, planted], (text) => text.slice(0, text.indexOf('planted\r\n') + 3)),
  ),
  refused('an end in the middle of a part header', () =>
    altered([doUpload, planted], (text) => text.slice(0, text.lastIndexOf('form-data'))),
  ),
  refused('another boundary than the one announced', () =>
    altered([doUpload, planted], (text, b) => text.replaceAll(b, 'another')),
  ),
  refused('a boundary of more than 70 characters', () =>
    multipart(uploadParts([{ name: 'planted.txt', content: 'a' }]), 'b'.repeat(71)),
  ),
  {
    name: 'no boundary announced',
    status: [400, 415],
    code: [...badRequest, 'unsupported_media_type'],
    send: ({ client }) => client.uploadBody({ ...multipart([doUpload, planted]), contentType: 'multipart/form-data' }),
  },
  {
    name: 'an empty boundary',
    status: [400, 415],
    code: [...badRequest, 'unsupported_media_type'],
    send: ({ client }) =>
      client.uploadBody({ ...multipart([doUpload, planted]), contentType: 'multipart/form-data; boundary=""' }),
  },
]);

attackTable('too much of something', [
  tooMuch('10,000 files', () =>
    multipart([doUpload, ...many(10_000, (i) => filePart({ name: `f${i}`, content: '' }))]),
  ),
  tooMuch('10,000 parts that are no files', () =>
    multipart([doUpload, ...many(10_000, (i) => field(`f${i}`, 'x')), planted]),
  ),
  tooMuch('1,000 fields', () => multipart([doUpload, ...many(1_000, (i) => field(`f${i}`, 'x')), planted])),
  tooMuch('a part header of a mebibyte', () =>
    multipart([doUpload, { ...planted, headers: [...planted.headers, `X-Long: ${'x'.repeat(1024 * 1024)}`] }]),
  ),
  tooMuch('a field name of a mebibyte', () => multipart([doUpload, planted, field('n'.repeat(1024 * 1024), 'x')])),
  tooMuch('a field do of a mebibyte', () => multipart([field('do', 'u'.repeat(1024 * 1024)), planted])),
]);

describe('a client that disconnects', () => {
  test('in the middle of an upload leaves nothing visible', async () => {
    const client = await freshClient('vanishing');
    const { contentType, body } = multipart(uploadParts([{ name: 'half.bin', content: Buffer.alloc(2_000_000, 1) }]));
    const head = [
      `POST /${client.user}/cgi/upload.cgi HTTP/1.1`,
      `Host: ${new URL(demo().base_url).host}`,
      `Authorization: ${client.authorization}`,
      `CSRF-Token: ${await client.token()}`,
      `Content-Type: ${contentType}`,
      `Content-Length: ${body.length}`,
      '',
      '',
    ].join('\r\n');
    for (let i = 0; i < 4; i++) {
      await sendAndVanish(demo().base_url, Buffer.concat([Buffer.from(head), body.subarray(0, 1_500_000)]));
    }
    // A complete upload of the same size that began later has finished, so the halves would have finished by now too.
    assertStatus(await client.upload({ name: 'whole.bin', content: Buffer.alloc(2_000_000, 2) }), 'done');
    expect((await belongings(client)).files.map(({ name }) => name)).toEqual(['whole.bin']);
  });
});
