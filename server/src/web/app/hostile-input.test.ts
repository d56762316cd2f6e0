// No text that a browser sends to the app, wherever it is and however often, may be a fault of ours.
import { describe, expect, test } from 'vitest';
import { hostileEscapes } from '../../../test/hostile-input.ts';
import { signInMember } from '../../../test/sign-in-member.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import { appRoutes } from './routes.ts';

const { exchange, app } = await useTestServer();

/** Every name of a parameter or a field that a handler reads. */
const names =
  'next link confirm to upload refused q group ids notice after before select file part lang code state from until type ' +
  'drop name email language time_zone receiver request_id message days second_factor notify text phone id role title url ' +
  'token password old_password new_password secret events passkey response groups selected all reason lifetime format';
const allNames = names.split(' ');
/** How many texts each place of a route gets: all of them in every place take a minute. */
const rounds = 2;
const form = 'application/x-www-form-urlencoded';
const streams: ReadonlySet<string | undefined> = new Set(['multipart', 'stream']);

const isFine = async (what: unknown, status: Promise<{ statusCode: number; body: string }>) => {
  const { statusCode, body } = await status;
  expect(statusCode, `${JSON.stringify(what).slice(0, 300)} ${body.slice(0, 200)}`).toBeLessThan(500);
};
const withQuery = (path: string, fields: readonly (readonly [string, string])[]) =>
  `${path}?${fields.map((field) => field.join('=')).join('&')}`;

// A stream of events has no end.
const routes = appRoutes.filter(({ path }) => !path.endsWith('/events'));

describe.each(routes.map((route) => ({ name: `${route.method} ${route.path}`, ...route })))(
  '$name',
  ({ method, path, body }) => {
    const uuid = '0190a0d0-0000-7000-8000-000000000000';
    const begin = async () => {
      const member = await signInMember(exchange, app, 'owner');
      const fill = (place = '', value = uuid) =>
        path.replaceAll(/:([a-z]+)/gi, (_, name: string) =>
          name === place ? value : name === 'user' ? encodeURIComponent(member.account.email) : uuid,
        );
      const request = (url: string, payload = '') =>
        member.browser.send(method, url, {
          headers: { accept: 'text/html', 'content-type': form, 'csrf-token': member.browser.csrf },
          ...(method === 'GET' || method === 'HEAD' || streams.has(body)
            ? {}
            : { payload: `csrftoken=${member.browser.csrf}&${payload}` }),
        });
      return { fill, request };
    };
    test('takes a parameter twice, and texts of every kind', async () => {
      const { fill, request } = await begin();
      const twice = allNames.flatMap((name) => [[name, 'a'] as const, [name, 'b'] as const]);
      await isFine('twice', request(withQuery(fill(), twice), withQuery('', twice).slice(1)));
      for (let round = 0; round < rounds; round += 1) {
        const pick = (place: number) =>
          hostileEscapes[(place * 5 + round * 7 + path.length) % hostileEscapes.length] ?? '';
        const fields = allNames.map((name, place) => [name, pick(place)] as const);
        await isFine(fields, request(withQuery(fill(), fields), withQuery('', fields).slice(1)));
        for (const [index, place] of (path.match(/(?<=:)[a-z]+/gi) ?? []).entries())
          await isFine([place, pick(index)], request(fill(place, pick(index))));
      }
      for (const place of path.match(/(?<=:)[a-z]+/gi) ?? [])
        await isFine([place, 'NUL'], request(fill(place, 'a%00b')));
      const nul = allNames.map((name) => [name, 'a%00b'] as const);
      await isFine('NUL', request(withQuery(fill(), nul)));
    });
  },
);
