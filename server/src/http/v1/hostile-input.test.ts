import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { testHost } from '../../testing/server.ts';
import { useTestServer } from '../../testing/use-test-server.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

const { exchange, app } = await useTestServer();
const owner = await exchange.account();

const hostile = [
  '\0',
  'a\0b',
  '\ud800',
  '\u202e',
  '2030-01-31T12:00:60Z',
  '2030-02-30T24:61:61Z',
  "'; --",
  '',
  '9'.repeat(400),
];

async function statusOf(method: Route['method'], url: string, body?: unknown) {
  const response = await app.inject({
    method,
    url: `/api/v1${url}`,
    headers: {
      host: testHost,
      authorization: `Bearer ${owner.apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return response.statusCode;
}

/** Copies of a value, each with another of its strings replaced. */
function* variants(value: unknown, text: string): Generator<unknown, void, void> {
  if (typeof value === 'string') yield text;
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const one of variants(item, text)) yield value.with(index, one);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      for (const one of variants(item, text)) yield { ...value, [name]: one };
    }
  }
}

test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s never fails because of hostile texts',
  async (_name, { method, path, query, body, example }) => {
    const plain = path.replace(/:\w+/g, randomUUID());
    const { properties = {} } = (query ?? {}) as { properties?: object };
    const names = Object.keys(properties);
    for (const text of hostile) {
      const escaped = encodeURIComponent(text.toWellFormed());
      if (path !== plain) expect(await statusOf(method, path.replace(/:\w+/g, escaped))).toBeLessThan(500);
      for (const name of names) expect(await statusOf(method, `${plain}?${name}=${escaped}`)).toBeLessThan(500);
      if (!body) continue;
      const optional = { expires_at: text, description: text, since: text, name: text };
      for (const changed of [...variants(example, text), { ...example, ...optional }]) {
        expect([text, await statusOf(method, plain, changed)]).not.toEqual([text, 500]);
      }
    }
  },
);

test('an unknown method is refused before anything else', async () => {
  for (const url of ['/', '/api/v1/account', `/${owner.email}/`, '/docs']) {
    const response = await app.inject({ method: 'QUERY' as 'GET', url, headers: { host: testHost } });
    expect([url, response.statusCode]).toEqual([url, 405]);
  }
});
