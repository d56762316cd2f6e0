// Adding a provider's identity in a real browser, through a provider that somebody else wrote.
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../../../tools/shared/browser.ts';
import { closedPort } from '../../../../../tools/shared/tcp.ts';
import { useTestExchange } from '../../../../test/exchange.ts';
import { testPages } from '../../../../test/pages.ts';
import { openProviders, toProvider } from '../../../../test/providers.ts';
import { buildTestServer } from '../../../../test/server.ts';
import { startIdentityProvider } from '../../../../test/servers/identity-provider.ts';
import { invitePerson } from '../../../domain/people/invite-person.ts';
import type { Person } from '../../../domain/people/person-store.ts';
import { beginSession } from '../../../domain/people/sessions.ts';
import { toProviderPaths } from '../../../domain/ports/identity-provider.ts';

const exchange = await useTestExchange();
const port = await closedPort();
const publicUrl = `http://127.0.0.1:${port}`;
const paths = toProviderPaths('staff');
const provider = await startIdentityProvider({
  people: { mallory: { email: 'mallory@example.org', email_verified: true, name: 'Mallory' } },
  redirectUri: `${publicUrl}${paths.callback}`,
});
const { pepper, random } = exchange.engines;
const engines = {
  ...exchange.engines,
  policy: { ...exchange.engines.policy, publicUrl },
  identityProviders: openProviders([toProvider({ issuer: provider.issuer })], { publicUrl, pepper, random }),
};
const pages = { ...testPages, secureCookies: false };
const app = buildTestServer({ ...exchange, engines }, {}, { pages, publicUrl });
const browser = await launchBrowser();
beforeAll(() => app.listen({ port, host: '127.0.0.1' }));
afterAll(async () => {
  await browser.close();
  await app.close();
  await provider[Symbol.asyncDispose]();
});

/** A browser in which Mallory is signed in at the provider, and then a new person here. */
async function openBrowser(): Promise<{ page: Page; person: Person; context: BrowserContext }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${publicUrl}/sign-in`);
  await page.getByRole('link', { name: 'Staff' }).click();
  await page.fill('[name=login]', 'mallory');
  await page.fill('[name=password]', 'mallory');
  await page.click('[type=submit]');
  await page.click('[type=submit]');
  await page.getByText('you have no account here').waitFor();
  const { person } = await invitePerson(engines, engines.administrator, {
    email: `${random.uuid()}@example.org`,
    mail: false,
  });
  await engines.store.signInMethods.setPassword(person.id, 'hash');
  const start = { personId: person.id, stage: 'complete', method: 'password' } as const;
  const { secret } = await beginSession(engines, engines.store, start, { address: '127.0.0.1', userAgent: 'Firefox' });
  await context.addCookies([{ name: 'waybill_session', value: secret, url: publicUrl }]);
  return { page, person, context };
}

const findSubjects = async ({ id }: Person) =>
  (await engines.store.signInMethods.identities(id)).map(({ subject }) => subject);

test('a link of ours adds no identity, whoever the browser is at the provider', async () => {
  const { page, person, context } = await openBrowser();
  await page.goto(`${publicUrl}/home`);
  // As a sign-in leads on to the page that the address of the sign-in page named.
  const response = page.waitForResponse((each) => each.url().includes(paths.callback));
  await page.evaluate(`location.assign('${paths.begin}?link')`);
  await response;
  await page.waitForLoadState();
  expect(await findSubjects(person)).toEqual([]);
  await context.close();
});

test('a person adds the identity that they are shown, is told by mail, and removes it', async () => {
  const { page, person, context } = await openBrowser();
  await page.goto(`${publicUrl}/home`);
  await page.goto(`${page.url()}settings`);
  await page.getByRole('button', { name: 'Link Staff' }).click();
  await page.getByRole('heading', { name: 'Link Staff' }).waitFor();
  expect(await page.locator('main').innerText()).toContain('mallory@example.org');
  expect(await findSubjects(person)).toEqual([]);
  await page.reload();
  await page.getByRole('button', { name: 'Link' }).click();
  await page.getByText('The provider is linked').waitFor();
  expect(await findSubjects(person)).toEqual(['mallory']);
  const mails = await exchange.database.query(
    `select payload -> 'added' as added from graphile_worker._private_jobs as jobs
      join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
      where identifier = 'send-sign-in-notice' and payload ->> 'personId' = $1`,
    [person.id],
  );
  expect(mails).toEqual([{ added: { kind: 'identity', provider: 'Staff', label: 'mallory@example.org' } }]);
  await page.locator('summary', { hasText: 'Unlink' }).click();
  await page.getByRole('button', { name: 'Unlink' }).click();
  await page.getByText('The provider is no longer linked').waitFor();
  expect(await findSubjects(person)).toEqual([]);
  await context.close();
});
