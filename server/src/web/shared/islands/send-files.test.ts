import { expect, test, vi } from 'vitest';
import { sendFiles } from './send-files.ts';

test('posts the message, and reports that it was sent', async () => {
  const asked: unknown[] = [];
  const files = [{ name: 'a', sizeBytes: 1 }];
  const reply = await sendFiles('/u/send', 'Hello', [{ id: 'b', number: 2 }], (...request) => {
    asked.push(request);
    return Promise.resolve(Response.json({ files }));
  });
  expect(reply).toBe('sent');
  expect(asked).toMatchObject([
    ['/u/send', { method: 'POST', body: '{"message":"Hello","wanted":[{"id":"b","number":2}]}' }],
  ]);
});

test.each([
  ['a file is not ready', Response.json({ code: 'files_not_ready' }, { status: 409 }), 'not_ready'],
  ['JSON of somebody else’s', Response.json({ welcome: true }), 'unreachable'],
  ['another conflict', Response.json({ code: 'other' }, { status: 409 }), 'failed'],
  ['the link has ended', Response.json({ code: 'link_ended' }, { status: 410 }), 'ended'],
  ['a proxy without a server', new Response('<h1>Bad gateway</h1>', { status: 502 }), 'unreachable'],
  ['a page where the response should be', new Response('<h1>Log in</h1>'), 'unreachable'],
])('%s', async (_, response, reply) => {
  expect(await sendFiles('/u/send', '', [], () => Promise.resolve(response))).toBe(reply);
});

test('does not wait for ever for a response', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
  const wait = (_: unknown, init?: RequestInit) =>
    init?.signal?.aborted ? Promise.reject(new DOMException('', 'TimeoutError')) : new Promise<Response>(() => {});
  expect(await sendFiles('/u/send', '', [], wait)).toBe('unreachable');
  timeout.mockRestore();
});

test('reports a lost response', async () => {
  expect(await sendFiles('/u/send', '', [], () => Promise.reject(new TypeError('Failed to fetch')))).toBe(
    'unreachable',
  );
});
