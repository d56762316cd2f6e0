import { afterAll, expect, test, vi } from 'vitest';
import * as planted from '../../../test/plant-route.ts';
import type { Deprecation } from './deprecation.ts';
import { v1Document } from './openapi/openapi.ts';

/** The server of this test has two more operations. */
vi.mock(import('./routes.ts'), async (readOriginal) => {
  const { keyRoutes, routes } = await readOriginal();
  const { plantRoute: plant, ...deprecations } = await import('../../../test/plant-route.ts');
  const more = [
    plant('/old-operation', [deprecations.ofOperation]),
    plant('/old-parameter', [deprecations.ofParameter]),
  ];
  return { keyRoutes: [...keyRoutes, ...more], routes: [...routes, ...more] };
});
const { ofOperation, ofParameter, plantRoute } = planted;
const { routes } = await vi.importActual<typeof import('./routes.ts')>('./routes.ts');
// Tests share a process: the real routes may have been read before, and those after this file need them again.
vi.resetModules();
afterAll(() => void vi.resetModules());
const { requestV1 } = await import('../../../test/request-v1.ts');
const { useTestServer } = await import('../../../test/use-test-server.ts');
const { exchange, app } = await useTestServer();

test('the responses of a deprecated operation say so, and those to a deprecated parameter', async () => {
  const { apiKey: key } = await exchange.account();
  const page = '<https://files.example.org/docs/compatibility>';
  const expected = {
    deprecation: '@1927584000',
    sunset: 'Sat, 31 Jan 2032 00:00:00 GMT',
    link: `${page}; rel="deprecation"; type="text/html", ${page}; rel="sunset"; type="text/html"`,
  };
  const read = async (path: string) => {
    const { deprecation, sunset, link } = (await requestV1(app, 'GET', path, { key })).headers;
    return { deprecation, sunset, link };
  };
  expect(await read('/old-operation')).toEqual(expected);
  expect(await read('/old-parameter?old=x')).toEqual(expected);
  expect(await read('/old-parameter?new=x')).toEqual({});
  expect(await read('/account')).toEqual({});
});

test('the OpenAPI document marks what is deprecated, and nothing else', () => {
  const describe = (deprecations: readonly Deprecation[]) =>
    JSON.parse(JSON.stringify(v1Document([plantRoute('/planted', deprecations)]))).paths['/api/v1/planted'].get;
  expect(describe([ofOperation])).toMatchObject({
    deprecated: true,
    description: 'Any key will do. Deprecated since 2031-01-31, and may be gone from 2032-01-31. Use `GET /new`.',
    responses: { 200: { headers: { Deprecation: {}, Sunset: {}, Link: {} } } },
  });
  const { deprecated, parameters } = describe([ofParameter]);
  expect([deprecated, parameters[0].deprecated, parameters[1].deprecated]).toEqual([undefined, true, undefined]);
  expect(JSON.stringify(v1Document(routes))).not.toContain('"deprecated"');
});

test('nothing is deprecated for less than a year', () => {
  const short = { ...ofOperation, until: '2031-12-31' };
  expect(() => v1Document([plantRoute('/planted', [short])])).toThrow('less than a year');
});
