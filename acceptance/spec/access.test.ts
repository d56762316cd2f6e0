// docs/api.md#common-rules and docs/api.md#1-get-a-csrf-token: authentication and the rules for every request.
import { beforeAll, describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { Client } from '../lib/http/client.ts';
import { assertCommonHeaders, assertErrorResponse } from '../lib/http/expect.ts';
import { hiddenInputs } from '../lib/http/html.ts';
import { request } from '../lib/http/request.ts';
import { header, json, text } from '../lib/http/response.ts';
import { guardedOperations } from '../lib/operations.ts';

let client: Client;
let other: Client;

beforeAll(async () => {
  [client, other] = await Promise.all([freshClient('door'), freshClient('neighbour')]);
});

describe('the index page', () => {
  test('is HTML with exactly one hidden input named csrftoken, for Basic credentials alone', async () => {
    const page = await client.index();
    expect(page.status).toBe(200);
    expect(header(page, 'Content-Type')).toBe('text/html; charset=utf-8');
    const tokens = hiddenInputs(text(page), 'csrftoken');
    expect(tokens).toHaveLength(1);
    expect(tokens[0]).toMatch(/^[\x21-\x7e]{20,}$/);
    assertCommonHeaders(page);
  });

  test('yields a token that is accepted in the CSRF-Token header', async () => {
    const token = await client.mintToken();
    const response = await client.contacts({ 'CSRF-Token': token });
    expect(response.status).toBe(200);
  });

  test('has a path that ends in a slash; without it there is no page', async () => {
    assertErrorResponse(await client.plain('GET', `/${client.user}`), 404, 'not_found');
  });

  test('is found under the percent-encoded address too', async () => {
    const page = await client.plain('GET', `/${encodeURIComponent(client.user)}/`);
    expect(page.status).toBe(200);
    expect(hiddenInputs(text(page), 'csrftoken')).toHaveLength(1);
  });

  test('is refused, and shows no token, without the right credentials', async () => {
    const wrong = new Client({ ...client.account, apiKey: other.account.apiKey });
    const response = await wrong.index();
    assertErrorResponse(response, 401, 'unauthorized');
    expect(text(response)).not.toContain('csrftoken');
  });
});

describe('credentials', () => {
  test('are a Basic user name and API key, and the scheme may be written in any case', async () => {
    const lower = client.authorization.replace('Basic', 'basic');
    const response = await client.contacts({ Authorization: lower });
    expect(response.status).toBe(200);
  });

  for (const operation of guardedOperations) {
    test(`are demanded by ${operation.name}`, async () => {
      const token = await client.token();
      const response = await request(client.baseUrl, operation.method, `/${client.user}/${operation.path}`, {
        ...operation.options,
        headers: { ...operation.options.headers, 'CSRF-Token': token },
      });
      assertErrorResponse(response, 401, 'unauthorized');
    });
  }

  test('of an unknown user and those with a wrong key get the same response', async () => {
    const unknown = new Client({ ...client.account, user: 'nobody-at-all@example.org' });
    const wrongKey = new Client({ ...client.account, apiKey: `${client.account.apiKey}x` });
    const [first, second] = [await unknown.index(), await wrongKey.index()];
    assertErrorResponse(first, 401, 'unauthorized');
    assertErrorResponse(second, 401, 'unauthorized');
    expect(text(second)).toBe(text(first));
    expect(header(second, 'WWW-Authenticate')).toBe(header(first, 'WWW-Authenticate'));
  });
});

describe('the path', () => {
  test('of another account is refused, whether or not that account exists', async () => {
    for (const stranger of [other.user, 'nobody-at-all@example.org']) {
      const response = await client.plain('GET', `/${stranger}/`);
      assertErrorResponse(response, 403, 'wrong_account');
      const call = await client.plain('GET', `/${stranger}/cgi/contacts_read.cgi`, {
        headers: { 'CSRF-Token': await client.token() },
      });
      assertErrorResponse(call, 403, 'wrong_account');
    }
  });

  test('of an operation that does not exist returns 404', async () => {
    assertErrorResponse(await client.get('cgi/no_such_operation.cgi'), 404, 'not_found');
    assertErrorResponse(await client.post('cgi/contacts_add', []), 404, 'not_found');
  });

  for (const operation of guardedOperations) {
    test(`of ${operation.name} takes its own method only`, async () => {
      const method = operation.method === 'GET' ? 'POST' : 'GET';
      const response = await client.call(method, operation.path, method === 'POST' ? { body: '' } : {});
      assertErrorResponse(response, 405, 'method_not_allowed');
      expect(header(response, 'Allow')?.split(', ')).toContain(operation.method);
      expect(header(response, 'Allow')?.split(', ')).not.toContain(method);
    });
  }

  for (const operation of guardedOperations.filter(({ name }) => name !== 'download')) {
    test(`of ${operation.name} takes no HEAD`, async () => {
      const response = await client.call('HEAD', operation.path);
      expect(response.status).toBe(405);
      expect(header(response, 'Allow')?.split(', ')).toEqual([operation.method]);
    });
  }
});

describe('the CSRF token', () => {
  for (const operation of guardedOperations) {
    test(`is demanded by ${operation.name}`, async () => {
      const response = await client.plain(operation.method, `/${client.user}/${operation.path}`, operation.options);
      assertErrorResponse(response, 403, 'csrf_rejected');
    });
  }

  test('of another account is refused', async () => {
    const response = await client.contacts({ 'CSRF-Token': await other.token() });
    assertErrorResponse(response, 403, 'csrf_rejected');
    expect((await other.contacts()).status).toBe(200);
  });

  test('that nobody minted is refused', async () => {
    const real = await client.token();
    const madeUp = `${real.slice(0, -1)}${real.endsWith('A') ? 'B' : 'A'}`;
    assertErrorResponse(await client.contacts({ 'CSRF-Token': madeUp }), 403, 'csrf_rejected');
  });
});

describe('several processes', () => {
  test('act as one service: ten requests meet two of them, with one token', async () => {
    const tags = new Set<string>();
    for (let i = 0; i < 10; i++) {
      const response = await client.contacts();
      expect(response.status).toBe(200);
      const [, tag] = /^(\S+)-[0-9a-f]{16}$/.exec(header(response, 'X-Request-Id') ?? '') ?? [];
      expect(tag).toBeDefined();
      tags.add(tag ?? '');
    }
    expect(tags.size).toBe(2);
  });
});

test('a failure has a true HTTP status and a JSON body of status, code and message only', async () => {
  const response = await client.get('cgi/no_such_operation.cgi');
  assertErrorResponse(response, 404, 'not_found');
  expect(json(response)).toEqual({ status: 'error', code: 'not_found', message: expect.stringMatching(/\S/) });
});
