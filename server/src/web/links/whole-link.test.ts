import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { sentLink } from '../../../test/links.ts';
import { buildTestServer, testHost as host, postForm } from '../../../test/server.ts';

const exchange = await useTestExchange();
const app = buildTestServer(exchange);
afterAll(() => app.close());

const browser = { host, accept: 'text/html,application/xhtml+xml' };
const get = (url: string) => app.inject({ url, headers: browser });

describe('a link that was cut off', () => {
  test.each(['/d', '/u', '/m', '/sign-in/link'])(
    '%s says how much of it arrived, and takes the whole of it',
    async (place) => {
      for (const arrived of ['', 'k7Yt3mQ9x', randomBytes(32).toString('base64url').slice(1)]) {
        const { statusCode, body } = await get(`${place}/${arrived}`);
        expect(statusCode, arrived).toBe(404);
        expect(body).toContain('This link isn’t complete');
        expect(body).toContain(`${arrived.length} of 43 characters have arrived`);
        expect(body).toContain('<form method="post" action="/open-link"');
      }
    },
  );

  test('says the same whether or not it is the beginning of one that exists', async () => {
    const { token } = await sentLink(exchange, ['a.txt']);
    const [real, made] = [token.slice(0, -1), randomBytes(32).toString('base64url').slice(1)];
    const read = async (arrived: string) => (await get(`/d/${arrived}`)).body.replaceAll(arrived, '');
    expect(await read(real)).toBe(await read(made));
  });

  test('of the whole length is one that does not work', async () => {
    const { body } = await get(`/d/${randomBytes(32).toString('base64url')}`);
    expect(body).toContain('This link doesn’t work');
    expect(body).toContain('action="/open-link"');
  });
});

describe('the field for a whole link', () => {
  test('leads to its page, without its line breaks', async () => {
    const { token } = await sentLink(exchange, ['a.txt']);
    const link = encodeURIComponent(`https://${host}/d/${token.slice(0, 10)}\r\n${token.slice(10)}`);
    const { statusCode, headers } = await postForm(app, '/open-link', `link=${link}`);
    expect([statusCode, headers.location]).toEqual([303, `/d/${token}`]);
    expect((await get(`/d/${token}`)).statusCode).toBe(200);
  });

  test.each(['', 'https://login.example/d/k7Yt3mQ9xKx3vQm8TzR1nYc5WbL7pHs2JdF9gAe4Uo-', 'javascript:alert(1)'])(
    'leads to no other server: %s',
    async (link) => {
      const { statusCode, headers, body } = await postForm(app, '/open-link', `link=${encodeURIComponent(link)}`);
      expect([statusCode, headers.location]).toEqual([400, undefined]);
      expect(body).toContain('This isn’t a link of this server.');
      expect(body).toContain('lang=sv');
    },
  );

  test('has a page of its own', async () => {
    expect((await get('/open-link')).body).toContain('The whole link from your');
  });
});

test.each([
  ['/nothing/here', 404, 'href="/"'],
  ['/nobody@example.org/cgi/get_files.cgi', 401, 'href="/"'],
])('%s has a way on, and no stub of a ticket', async (url, status, next) => {
  const { statusCode, body } = await get(url);
  expect(statusCode).toBe(status);
  const page = body.slice(body.indexOf('<main'), body.indexOf('</main>'));
  expect(page).toContain(next);
  expect(page).not.toContain('ticket-do');
});
