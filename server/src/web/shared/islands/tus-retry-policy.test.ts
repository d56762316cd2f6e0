import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DetailedError, Upload } from 'tus-js-client';
import { expect, onTestFinished, test } from 'vitest';
import { isTemporary, tusRetryPolicy } from './tus-retry-policy.ts';

const chunk = 8 * 1024 * 1024;
const size = chunk + 5;

type StubResponse = number | 'reset' | 'half' | 'nothing' | undefined;

/** Creates a server that accepts one file; `trouble` replaces the responses to some requests. */
async function setUp(trouble: (method: string, time: number) => StubResponse) {
  const requests: string[] = [];
  const heard: boolean[] = [];
  let received = 0;
  let created = 0;
  const reply = (request: IncomingMessage, response: ServerResponse, taken: number): void => {
    const method = request.method ?? '';
    requests.push(`${method} ${String(request.headers['upload-offset'] ?? '')}`.trim());
    const time = requests.filter((line) => line.startsWith(method)).length;
    const other = trouble(method, time);
    if (other === 'reset') {
      request.socket.destroy();
    } else if (typeof other === 'number') {
      response.writeHead(other).end();
    } else if (method === 'POST') {
      created += 1;
      received = 0;
      response.writeHead(201, { location: `/tus/${created}` }).end();
    } else {
      if (method === 'PATCH') received += other === 'nothing' ? 0 : other === 'half' ? taken / 2 : taken;
      response.writeHead(method === 'HEAD' ? 200 : 204, { 'upload-offset': received, 'upload-length': size }).end();
    }
  };
  const server = createServer((request, response) => {
    let taken = 0;
    request.on('data', (data: Buffer) => (taken += data.length));
    request.on('end', () => reply(request, response, taken));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { retryDelays, ...manners } = tusRetryPolicy(
    () => true,
    (reachable) => heard.push(reachable),
  );
  const done = new Promise<'done' | Error>((resolve) => {
    const upload = new Upload(Buffer.alloc(size), {
      ...manners,
      // The same number of retries as in the browser, but without the wait.
      retryDelays: retryDelays?.map(() => 1) ?? [],
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tus`,
      onSuccess: () => resolve('done'),
      onError: resolve,
    });
    upload.start();
  });
  return { done, requests, heard };
}

const ordinary = ['POST', 'PATCH 0', `PATCH ${chunk}`];

test('sends a file in whole chunks', async () => {
  const { done, requests } = await setUp(() => undefined);
  expect(await done).toBe('done');
  expect(requests).toEqual(ordinary);
});

test('reports a request without a response at once, and the next response too; a refusal is a response', async () => {
  const { done, heard } = await setUp((method, time) => {
    if (method === 'PATCH' && time === 1) return 'reset';
    return method === 'PATCH' && time === 2 ? 503 : undefined;
  });
  expect(await done).toBe('done');
  // Created, lost, asked for its offset, rejected, asked again, and two chunks.
  expect(heard).toEqual([true, false, true, true, true, true, true]);
});

test.each<StubResponse>(['reset', 500, 502, 503, 408, 409, 423, 429])(
  'continues at the offset of the server after %s during a chunk',
  async (trouble) => {
    const { done, requests } = await setUp((method, time) => (method === 'PATCH' && time === 2 ? trouble : undefined));
    expect(await done).toBe('done');
    expect(requests).toEqual([...ordinary.slice(0, 3), 'HEAD', ...ordinary.slice(2)]);
  },
);

test.each<StubResponse>(['reset', 500, 502, 503, 408, 409, 423, 429])(
  'repeats a query for the offset after %s, and does not start again',
  async (trouble) => {
    const { done, requests } = await setUp((method, time) => {
      if (method === 'PATCH' && time === 2) return 503;
      return method === 'HEAD' && time < 3 ? trouble : undefined;
    });
    expect(await done).toBe('done');
    expect(requests).toEqual([...ordinary.slice(0, 3), 'HEAD', 'HEAD', 'HEAD', ...ordinary.slice(2)]);
  },
);

test.each([404, 410])('starts again if the server responds with %i about an upload', async (status) => {
  const { done, requests } = await setUp((method, time) => {
    if (method === 'PATCH' && time === 2) return 503;
    return method === 'HEAD' ? status : undefined;
  });
  expect(await done).toBe('done');
  expect(requests).toEqual([...ordinary.slice(0, 3), 'HEAD', ...ordinary]);
});

test.each([
  ['POST', 415],
  ['POST', 507],
  ['PATCH', 404],
  ['PATCH', 413],
  ['HEAD', 403],
])('fails at once, and does not start again, if %s gets %i', async (method, status) => {
  const { done, requests } = await setUp((asked, time) => {
    if (asked === method) return status;
    return method === 'HEAD' && asked === 'PATCH' && time === 1 ? 503 : undefined;
  });
  const error = await done;
  expect(error).toBeInstanceOf(DetailedError);
  expect(isTemporary(error as Error)).toBe(false);
  expect(requests.filter((line) => line.startsWith(method))).toHaveLength(1);
  expect(requests.filter((line) => line === 'POST')).toHaveLength(1);
});

test('fails after a while, as a temporary problem, if the server remains unavailable', async () => {
  const { done } = await setUp((method) => (method === 'POST' ? 502 : undefined));
  const error = await done;
  expect(isTemporary(error as Error)).toBe(true);
});

test('continues at the offset in the response if it is less than was sent', async () => {
  const { done, requests } = await setUp((method, time) => (method === 'PATCH' && time === 1 ? 'half' : undefined));
  expect(await done).toBe('done');
  expect(requests).toEqual(['POST', 'PATCH 0', `PATCH ${chunk / 2}`]);
});

test('does not send the same chunk forever to a server that accepts nothing', async () => {
  const { done, requests } = await setUp((method) => (method === 'PATCH' ? 'nothing' : undefined));
  expect(isTemporary((await done) as Error)).toBe(true);
  expect(requests.filter((line) => line.startsWith('PATCH'))).toHaveLength(5);
});

test('does not treat an error in this browser as temporary', () => {
  expect(isTemporary(new Error('the file cannot be read'))).toBe(false);
});
