// Random requests get a documented response, and never an internal error. fast-check prints the seed of a
// failure.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { assertErrorResponse } from '../lib/http/expect.ts';
import { field, multipart } from '../lib/http/multipart.ts';
import { type HttpResponse, text } from '../lib/http/response.ts';

let client: Client;

beforeAll(async () => {
  client = await freshClient('random');
});

const refusals = [400, 404, 409, 413, 415];
const codes = [
  'malformed_request',
  'invalid_input',
  'invalid_name',
  'not_found',
  'contact_exists',
  'unknown_contact',
  'no_receivers',
  'no_files',
  'file_list_not_initialized',
  'too_large',
  'too_many_files',
  'unsupported_media_type',
];

function assertResponse(response: HttpResponse): void {
  if (response.status === 200) expect(text(response)).toMatch(/^\{"status":"(?:ok|done|deldone)"\}$/);
  else assertErrorResponse(response, refusals, codes);
}

const contact = fc.record(
  {
    email: fc.oneof(fc.emailAddress(), fc.string({ unit: 'binary' }), fc.jsonValue()),
    number: fc.oneof(fc.string(), fc.double(), fc.maxSafeNat()),
    language: fc.oneof(fc.string(), fc.jsonValue()),
    groups: fc.oneof(fc.array(fc.string({ unit: 'binary' })), fc.jsonValue()),
    nick: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
  },
  { requiredKeys: [] },
);

const operations = ['contacts_add', 'receivers_set', 'createdrop', 'givedrop'] as const;

for (const operation of operations) {
  test(`${operation}.cgi withstands any JSON`, async () => {
    const body = fc.oneof(
      fc.jsonValue(),
      fc.array(contact),
      fc.record({ desttime: fc.jsonValue(), ddmessage: fc.jsonValue() }),
    );
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        assertResponse(await client.post(`cgi/${operation}.cgi`, JSON.stringify(value)));
      }),
      { numRuns: 60 },
    );
  });

  test(`${operation}.cgi withstands any bytes`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        assertResponse(await client.post(`cgi/${operation}.cgi`, Buffer.from(bytes)));
      }),
      { numRuns: 40 },
    );
  });
}

test('upload.cgi withstands any bytes between boundaries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), fc.uint8Array({ maxLength: 100 }), async (header, content) => {
      const part = { headers: [Buffer.from(header)], content: Buffer.from(content) };
      assertResponse(await client.uploadBody(multipart([field('do', 'upload'), part])));
    }),
    { numRuns: 60 },
  );
});

test('a file under any name is refused, or listed under that name and removable by it', async () => {
  let draft = 0;
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), async (sent) => {
      // A quote would end the name in the header of the part, and a backslash is an escape character there.
      const name = sent.replace(/["\\]/g, '_').normalize('NFC');
      const own = client.inDraft(`name-${draft++}`);
      const response = await own.upload({ name, content: 'data' });
      assertResponse(response);
      const listed = (await own.readFiles()).map((file) => file.name);
      expect(listed).toEqual(response.status === 200 ? [name] : []);
      if (response.status === 200) expect((await own.removeFile(name)).status).toBe(200);
    }),
    { numRuns: 60 },
  );
});
