import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { EventStreamReader } from '../../../test/event-stream.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { buildTestServer, testHost } from '../../../test/server.ts';
import type { Account } from '../../domain/accounts/account-store.ts';
import { setAccountDisabled } from '../../domain/accounts/change-account.ts';
import { removeMember, setMember } from '../../domain/people/change-members.ts';
import { invitePerson } from '../../domain/people/invite-person.ts';
import type { MemberRole } from '../../domain/people/person-store.ts';
import { beginSession, idleSeconds } from '../../domain/people/sessions.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const servers = [await listeningServer(), await listeningServer()] as const;
afterAll(() => Promise.all(servers.map((each) => each.close())));
const readers: EventStreamReader[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});

/** A transaction in any database of the server, such as another test's, keeps new events from being seen until it ends. */
const patience = { timeout: 100_000 };
vi.setConfig({ testTimeout: 120_000 });

async function listeningServer() {
  const app = buildTestServer(exchange);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app;
}

/** A person who is signed in, in an account that has another owner. */
async function signIn(role: MemberRole = 'member') {
  const { accountId, email } = await exchange.account();
  const [owner, person] = await Promise.all([invite(), invite()]);
  await setMember(engines, engines.administrator, { accountId, personId: owner, role: 'owner' });
  await setMember(engines, engines.administrator, { accountId, personId: person, role });
  const browser = { address: '192.0.2.7', userAgent: 'Firefox' };
  const { id: sessionId, secret } = await engines.store.transaction((tx) =>
    beginSession(engines, tx, { personId: person, stage: 'complete', method: 'password' }, browser),
  );
  return { accountId, email, personId: person, sessionId, cookie: `__Host-waybill_session=${secret}` };
}
type Member = Awaited<ReturnType<typeof signIn>>;

let people = 0;
async function invite(): Promise<string> {
  const email = `events-${(people += 1)}@example.org`;
  return (await invitePerson(engines, engines.administrator, { email, mail: false })).person.id;
}

async function open({ email, cookie }: Member, query = '', app: (typeof servers)[number] = servers[0]) {
  const reader = await EventStreamReader.open(app, `/${email}/events${query}`, { cookie });
  readers.push(reader);
  return reader;
}

const happen = (accountId: string) =>
  engines.store.events.append([
    {
      accountId,
      type: 'drop.file_delivered',
      data: { drop_id: 'd1', receiver: 'r@example.org', file_id: 'f1', file_name: 'secret plan.pdf' },
    },
  ]);

describe('the stream of a screen', () => {
  test('has the type and the subject of each event of its account, and nothing else', async () => {
    const [member, other] = [await signIn('reader'), await signIn()];
    const reader = await open(member);
    await happen(other.accountId);
    await happen(member.accountId);
    await expect.poll(() => reader.events.length, patience).toBe(1);
    expect(reader.events[0]).toMatchObject({ type: '', data: { type: 'drop.file_delivered', id: 'd1' } });
    expect(JSON.stringify(reader.events)).not.toMatch(/secret plan|r@example/);
  });

  test('begins with the events after the page that names it', async () => {
    const member = await signIn('owner');
    const accept = 'text/html,application/xhtml+xml';
    const headers = { host: testHost, cookie: member.cookie, accept };
    const page = await servers[0].inject({ url: `/${member.email}/settings`, headers });
    const [, after = ''] = /data-events="[^"]*\?after=([^"]+)"/.exec(page.body) ?? [];
    await happen(member.accountId);
    const reader = await open(member, `?after=${after}`);
    await expect.poll(() => reader.events.length, patience).toBe(1);
    expect((await open(await signIn(), `?after=${after}`)).response.statusCode, 'another account').toBe(400);
  });

  test('is for members who are signed in', async () => {
    const [member, stranger] = [await signIn(), await signIn()];
    expect((await open({ ...member, cookie: stranger.cookie })).response.statusCode).toBe(404);
    expect((await open({ ...member, cookie: '' })).response.statusCode).toBe(401);
  });

  test('does not keep its session from being idle', async () => {
    const member = await signIn();
    const idle = `update sessions set seen_at = now() - interval '${idleSeconds / 2} seconds' where id = $1`;
    await exchange.database.query(idle, [member.sessionId]);
    const headers = { host: testHost, cookie: member.cookie, 'sec-fetch-dest': 'empty' };
    const seen = async () => {
      const [session] = await engines.store.sessions.ofPerson(member.personId, idleSeconds, 1);
      return Date.now() - (session?.seenAt.getTime() ?? 0) < 60_000;
    };
    await servers[0].inject({ url: `/${member.email}/settings`, headers });
    expect(await seen()).toBe(false);
    await servers[0].inject({
      url: `/${member.email}/settings`,
      headers: { ...headers, 'sec-fetch-dest': 'document' },
    });
    expect(await seen()).toBe(true);
  });
});

const endings: Record<string, (member: Member) => Promise<unknown>> = {
  'its session is ended': ({ personId, sessionId }) => engines.store.sessions.end(personId, { id: sessionId }),
  'its session has been idle too long': ({ sessionId }) =>
    exchange.database.query(`update sessions set seen_at = now() - interval '2 days' where id = $1`, [sessionId]),
  'its membership is removed': (member) => removeMember(engines, engines.administrator, member),
  'its person is disabled': ({ personId }) => engines.store.people.setDisabled(personId, true),
  'its account is disabled': async ({ accountId }) =>
    setAccountDisabled(engines, (await engines.store.accounts.byId(accountId)) as Account, true),
};

test.each(Object.entries(endings))('streams end on every process when %s', async (_name, end) => {
  const [member, other] = [await signIn(), await signIn()];
  const ofMember = await Promise.all(servers.map((server) => open(member, '', server)));
  const untouched = await open(other);
  await end(member);
  await expect.poll(() => ofMember.every(({ isOver }) => isOver), { timeout: 10_000 }).toBe(true);
  expect(untouched.isOver).toBe(false);
});

test('work that needs a role ends when the person has it no longer', async () => {
  const member = await signIn('member');
  const access = { sessionId: member.sessionId, accountId: member.accountId, role: 'member' as const };
  const findEnded = () => engines.store.sessions.endedAccess([access], idleSeconds);
  expect(await findEnded()).toEqual([]);
  await setMember(engines, engines.administrator, { ...member, role: 'reader' });
  expect(await findEnded()).toEqual([access]);
});
