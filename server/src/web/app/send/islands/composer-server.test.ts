import type { HttpRequest, HttpResponse } from 'tus-js-client';
import { expect, test } from 'vitest';
import { ComposerServer } from './composer-server.ts';

function setUp() {
  const asked: string[] = [];
  const state = { status: 200, csrf: 'fresh', draftKey: 'maya' };
  const token = { value: 'stale' } as HTMLInputElement;
  const server = new ComposerServer('/maya/uploads', token, 'maya', (async (url: string) => {
    asked.push(url);
    const ids = (url.split('=')[1] ?? '').split(',').filter(Boolean);
    return new Response(JSON.stringify({ ...state, files: ids.map((id) => ({ id })) }), state);
  }) as unknown as typeof fetch);
  const changes: boolean[] = [];
  server.onAccess = () => changes.push(server.signedOut);
  return { server, state, token, asked, changes };
}
const respond = (status: number) => ({ getStatus: () => status }) as HttpResponse;

test('asks for at most 200 files at a time, and for none without asking', async () => {
  const { server, asked } = setUp();
  expect(await server.files([])).toEqual([]);
  expect(asked).toEqual([]);
  const ids = Array.from({ length: 450 }, (_, index) => `id${index}`);
  expect((await server.files(ids))?.length).toBe(450);
  expect(asked.length).toBe(3);
});

test('notices the end of the session and the next sign-in, and takes over the new token', async () => {
  const { server, state, token, changes } = setUp();
  state.status = 401;
  expect(await server.files(['a'])).toBeUndefined();
  state.status = 200;
  await server.renewToken();
  expect(changes).toEqual([true, false]);
  expect(token.value).toBe('fresh');
});

test('another person who has signed in since is not the one whose form it is', async () => {
  const { server, state, token, changes } = setUp();
  state.draftKey = 'kim';
  expect(await server.files(['a'])).toBeUndefined();
  expect(token.value).toBe('stale');
  state.draftKey = 'maya';
  await server.renewToken();
  expect(changes).toEqual([true, false]);
  expect(token.value).toBe('fresh');
});

test('an outage of the server is not an end of the session', () => {
  const { server, changes } = setUp();
  server.note(401);
  server.note(502);
  expect([server.signedOut, changes]).toEqual([true, [true]]);
});

test('sends the token that is valid now, and reads another one after a refusal', async () => {
  const { server, token, asked } = setUp();
  const headers = new Map<string, string>();
  const request = { setHeader: (name: string, value: string) => void headers.set(name, value) } as HttpRequest;
  const seen: number[] = [];
  const options = server.extend({ onAfterResponse: (_request, response) => void seen.push(response.getStatus()) });
  await options.onBeforeRequest?.(request);
  expect(headers.get('csrf-token')).toBe('stale');
  await options.onAfterResponse?.(request, respond(403));
  await expect.poll(() => token.value).toBe('fresh');
  await options.onBeforeRequest?.(request);
  expect(headers.get('csrf-token')).toBe('fresh');
  expect([seen, asked.length]).toEqual([[403], 1]);
});
