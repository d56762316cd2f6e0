import type { FastifyInstance } from 'fastify';
import { invitePerson } from '../src/domain/people/invite-person.ts';
import type { MemberRole } from '../src/domain/people/person-store.ts';
import { beginSession } from '../src/domain/people/sessions.ts';
import { AppBrowser } from './app-browser.ts';
import type { TestExchange } from './exchange.ts';

type Account = Awaited<ReturnType<TestExchange['account']>>;

/** Signs a new person in, without the steps that they would take, as a member of the account or of a new one. */
export async function signInMember(
  exchange: TestExchange,
  app: FastifyInstance,
  role: MemberRole = 'member',
  account?: Account,
) {
  const { engines } = exchange;
  const joined = account ?? (await exchange.account());
  const { person } = await invitePerson(engines, engines.administrator, {
    email: `${engines.random.uuid()}@example.org`,
    name: 'Maya',
    membership: { accountId: joined.accountId, role },
    mail: false,
  });
  const start = { personId: person.id, stage: 'complete', method: 'password' } as const;
  const session = await beginSession(engines, engines.store, start, { address: '192.0.2.1', userAgent: 'Firefox' });
  const browser = new AppBrowser(app, engines.policy.publicUrl);
  browser.cookies.set('__Host-waybill_session', session.secret);
  const base = `/${encodeURIComponent(joined.email)}/`;
  // The page brings the token of its forms.
  await browser.get(`${base}settings`);
  return { browser, person, account: joined, base, sessionId: session.id };
}
