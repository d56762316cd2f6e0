import { expect, test } from 'vitest';
import { readPosted } from './post-composer.ts';

const respond = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });

test.each([
  [200, { location: '/a/sent/1' }, { kind: 'sent', location: '/a/sent/1' }],
  [200, { hotel: 'welcome' }, { kind: 'unreachable' }],
  [
    400,
    { code: 'invalid_input', message: 'Who?', field: 'receiver' },
    { kind: 'refused', message: 'Who?', field: 'receiver' },
  ],
  [403, { code: 'role_missing', message: 'No.', field: null }, { kind: 'refused', message: 'No.', field: undefined }],
  [403, { code: 'form_expired', message: '' }, { kind: 'form_expired' }],
  [401, { code: 'sign_in_required', message: '' }, { kind: 'signed_out' }],
  [409, { code: 'files_not_ready', message: '' }, { kind: 'not_ready' }],
  [429, { message: 'Later.' }, { kind: 'unreachable' }],
  [502, {}, { kind: 'unreachable' }],
])('a response %i %j means %j', async (status, body, posted) => {
  expect(await readPosted(respond(status, body))).toEqual(posted);
});

test('a page instead of a response counts as none', async () => {
  await expect(readPosted(new Response('<h1>Wi-Fi</h1>', { status: 200 }))).rejects.toThrow();
});
