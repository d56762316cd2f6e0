import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AppBrowser } from '../../../test/app-browser.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import { v1Prefix } from '../../api/v1/route-options.ts';
import { routes as v1Routes } from '../../api/v1/routes.ts';
import { invitePerson } from '../../domain/people/invite-person.ts';
import type { MemberRole } from '../../domain/people/person-store.ts';
import type { SessionStage } from '../../domain/people/session-store.ts';
import { beginSession } from '../../domain/people/sessions.ts';
import { tusType } from '../../http/transfer/tus.ts';
import { appRoutes } from './routes.ts';
import type { AppRoute, Visit } from './shared/app-route.ts';
import { makeFormToken } from './shared/form-token.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const account = await exchange.account();
const other = await exchange.account();
const sessionCookie = '__Host-waybill_session';
const passed = 204;

interface Visitor {
  readonly stage?: SessionStage;
  readonly role?: MemberRole;
  readonly account?: typeof account;
  readonly signedInAt?: Date;
}

const visitors = {
  'no session': {},
  'only opened an invitation': { stage: 'enrolment', role: 'owner' },
  'has not entered the code yet': { stage: 'second_factor', role: 'owner' },
  'no member': { stage: 'complete' },
  'owner of another account': { stage: 'complete', role: 'owner', account: other },
  reader: { stage: 'complete', role: 'reader' },
  member: { stage: 'complete', role: 'member' },
  owner: { stage: 'complete', role: 'owner' },
  'owner who signed in an hour ago': {
    stage: 'complete',
    role: 'owner',
    signedInAt: new Date(Date.now() - 3_600_000),
  },
} as const satisfies Record<string, Visitor>;
type VisitorName = keyof typeof visitors;
const visitorNames = Object.keys(visitors) as VisitorName[];
const browsers = new Map<VisitorName, AppBrowser>();

/** Every handler is replaced: what is left is what a request has to pass before it. */
beforeAll(async () => {
  for (const route of appRoutes) {
    vi.spyOn(route, 'handle').mockImplementation(async ({ reply }: Visit) => reply.code(passed).send());
  }
  for (const name of visitorNames) browsers.set(name, await openBrowser(visitors[name]));
});
afterAll(() => vi.restoreAllMocks());

async function openBrowser({ stage, role, account: joined = account, signedInAt }: Visitor): Promise<AppBrowser> {
  const browser = new AppBrowser(app, engines.policy.publicUrl);
  if (stage === undefined) {
    const form = engines.random.bytes(32).toString('base64url');
    browser.cookies.set('__Host-waybill_form', form);
    browser.csrf = makeFormToken(form);
    return browser;
  }
  const { person } = await invitePerson(engines, engines.administrator, {
    email: `${engines.random.uuid()}@example.org`,
    membership: role && { accountId: joined.accountId, role },
    mail: false,
  });
  const authenticated = signedInAt && { authenticatedAt: signedInAt };
  const start = { personId: person.id, stage, method: 'password', ...authenticated } as const;
  const { secret } = await beginSession(engines, engines.store, start, { address: '192.0.2.1', userAgent: 'Firefox' });
  browser.cookies.set(sessionCookie, secret);
  browser.csrf = makeFormToken(secret);
  return browser;
}

const nameRoute = ({ method, path }: AppRoute) => `${method} ${path}`;
const isChange = ({ method, access }: AppRoute) =>
  !['GET', 'HEAD', 'OPTIONS'].includes(method) && access !== 'provider';
const fill = (path: string) =>
  path
    .replace(':user', encodeURIComponent(account.email))
    .replace(/:(\w+)/g, 'A'.repeat(43))
    .replace('*', 'x');

/** Sends what a page of ours would send. */
async function send(browser: AppBrowser, route: AppRoute, token = browser.csrf, headers: Record<string, string> = {}) {
  const accept = 'text/html,application/xhtml+xml';
  const url = fill(route.path);
  if (!isChange(route)) return browser.send(route.method, url, { headers: { accept, ...headers } });
  const { payload, type } = encodeForm(route, token);
  const tokenHeader: Record<string, string> = route.body === 'stream' && token !== '' ? { 'csrf-token': token } : {};
  return browser.send(route.method, url, {
    payload,
    headers: { accept, 'content-type': type, ...tokenHeader, ...headers },
  });
}

function encodeForm({ body }: AppRoute, token: string): { payload: string; type: string } {
  if (body === 'stream') return { payload: '', type: tusType };
  if (body !== 'multipart') {
    return { payload: new URLSearchParams({ csrftoken: token }).toString(), type: 'application/x-www-form-urlencoded' };
  }
  const part = `--x\r\ncontent-disposition: form-data; name="csrftoken"\r\n\r\n${token}\r\n--x--\r\n`;
  return { payload: part, type: 'multipart/form-data; boundary=x' };
}

const roles = ['reader', 'member', 'owner'];

function expectOutcome({ access, recent }: AppRoute, visitor: Visitor): string {
  const { stage, role, account: joined = account, signedInAt } = visitor;
  if (access === 'anyone' || access === 'provider') return 'passes';
  const isMemberRoute = roles.includes(access);
  const needed = isMemberRoute ? 'complete' : access;
  if (stage === undefined && needed !== stage) return 'sign-in';
  if (stage !== needed) return stage === 'complete' ? 'start page' : stage;
  if (!isMemberRoute) return 'passes';
  if (role === undefined || joined !== account) return 'not found';
  if (roles.indexOf(role) < roles.indexOf(access)) return 'role missing';
  return recent !== undefined && signedInAt ? 'sign-in again' : 'passes';
}

/** The pages to which a session leads that has come less far, or further. */
const steps: Record<string, string | undefined> = {
  '/sign-in': 'sign-in',
  '/sign-in/enrolment': 'enrolment',
  '/sign-in/code': 'second_factor',
  '/home': 'start page',
};

function describeOutcome({ statusCode, headers }: Awaited<ReturnType<typeof send>>): string {
  if (statusCode === 303 && String(headers.location).startsWith('/sign-in?confirm&')) return 'sign-in again';
  const [path = ''] = String(headers.location).split('?');
  if (statusCode === 303) return steps[path] ?? path;
  return { [passed]: 'passes', 403: 'role missing', 404: 'not found' }[statusCode] ?? String(statusCode);
}

describe('every route of the app', () => {
  test.each(visitorNames)('lets in or refuses: %s', async (name) => {
    const browser = browsers.get(name) as AppBrowser;
    const outcomes: Record<string, string> = {};
    for (const route of appRoutes) outcomes[nameRoute(route)] = describeOutcome(await send(browser, route));
    const expected = appRoutes.map((route) => [nameRoute(route), expectOutcome(route, visitors[name])]);
    expect(outcomes).toEqual(Object.fromEntries(expected));
  });

  const changes = appRoutes.filter((route) => isChange(route) && route.by !== 'device');
  const allowed = (route: AppRoute) => visitorNames.find((name) => expectOutcome(route, visitors[name]) === 'passes');
  const foreignToken = makeFormToken('B'.repeat(43));
  const forgeries: Record<string, { token?: string; headers?: Record<string, string> }> = {
    'without a token': { token: '' },
    'with the token of another browser': { token: foreignToken },
    'from another site': { headers: { 'sec-fetch-site': 'cross-site' } },
    'from another host of the same site': { headers: { 'sec-fetch-site': 'same-site' } },
    'that a person typed or a program made': { headers: { 'sec-fetch-site': 'none' } },
  };

  test('that the Share menu of a device uses has no token, and refuses every other site', async () => {
    for (const route of appRoutes.filter(({ by }) => by === 'device')) {
      const browser = browsers.get('member') as AppBrowser;
      const ask = async (site: string) => (await send(browser, route, '', { 'sec-fetch-site': site })).statusCode;
      expect(
        await Promise.all(['none', 'same-origin', 'same-site', 'cross-site', ''].map(ask)),
        nameRoute(route),
      ).toEqual([passed, passed, 403, 403, 403]);
    }
  });

  test.each(Object.entries(forgeries))('that changes something refuses a form %s', async (_name, forgery) => {
    const outcomes: Record<string, number> = {};
    for (const route of changes) {
      const browser = browsers.get(allowed(route) ?? 'owner') as AppBrowser;
      const { statusCode } = await send(browser, route, forgery.token, forgery.headers);
      outcomes[nameRoute(route)] = statusCode;
    }
    expect(outcomes).toEqual(Object.fromEntries(changes.map((route) => [nameRoute(route), 403])));
  });
});

test('every change of the settings needs a sign-in of the last minutes, except those that give nobody access', () => {
  const exempt =
    'profile notifications shortcuts passkeys/rename keys/revoke webhooks/remove webhooks/disable webhooks/test ' +
    'webhooks/replay members/remove members/invitation/revoke account/public-page/unblock sessions/end sessions/end-others';
  const without = appRoutes
    .filter((route) => isChange(route) && route.path.startsWith('/:user/settings') && route.recent === undefined)
    .map(({ path }) => path.slice('/:user/settings/'.length));
  expect(without.toSorted()).toEqual(exempt.split(' ').toSorted());
});

test('a session alone opens no operation of /api/v1', async () => {
  const browser = browsers.get('owner') as AppBrowser;
  const outcomes: Record<string, number> = {};
  for (const { method, path } of v1Routes.filter(({ access }) => access !== 'link')) {
    const { statusCode } = await browser.send(method, `${v1Prefix}${fill(path)}`);
    outcomes[`${method} ${path}`] = statusCode;
  }
  expect(Object.values(outcomes).length).toBeGreaterThan(30);
  expect(new Set(Object.values(outcomes))).toEqual(new Set([401]));
});
