// A GET changes nothing: previews, and browsers that load pages ahead, make them without a person.
import { expect, test } from 'vitest';
import { openRequestLink } from '../../../test/file-requests.ts';
import { signInMember } from '../../../test/sign-in-member.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import { makeRecoveryLink } from '../../domain/people/recover-person.ts';
import { beginAuthenticatorApp } from '../../domain/sign-in/add-authenticator-app.ts';
import { createWebhook } from '../../domain/webhooks/change-webhook.ts';
import { appRoutes } from './routes.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { query } = exchange.database;

/** Routes that change something all the same, and why that is right; the tests of the inbox show it. */
const effects: Readonly<Record<string, string>> = {
  '/:user/inbox/:id': 'the entry is marked as seen',
  '/:user/inbox/:id/files/:file': 'the delivery is recorded',
  '/:user/inbox/:id/files.zip': 'the delivery is recorded',
  '/:user/inbox/:id/all.zip': 'the delivery is recorded',
  '/:user/inbox/:id/folders/:folder': 'the delivery is recorded',
};
/** Those that lead on from another state, or need a file from the public page or a published log. */
const notShown: Readonly<Record<string, number>> = {
  '/sign-in/code': 303,
  '/sign-in/enrolment': 303,
  '/': 303,
  '/sign-in': 303,
  '/home': 303,
  '/:user/inbox/:id/report': 404,
  '/:user/sent/:id/files/:file': 404,
  '/:user/requests/:id/receivers/:position/receipt.pdf': 503,
  '/:user/requests/:id/receivers/:position/receipt.json': 503,
  '/:user/sent/:id/receivers/:position/receipt.pdf': 503,
  '/:user/sent/:id/receivers/:position/receipt.json': 503,
};
/** All but those of a provider, and the stream of events, which has no end. */
const paths = appRoutes
  .filter(({ method, path }) => method === 'GET' && !path.startsWith('/sign-in/provider/') && path !== '/:user/events')
  .map(({ path }) => path);

/** A digest of each table, including that of the jobs. */
async function readTables(): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('public', 'graphile_worker') order by name`,
  );
  const digest = ({ name }: { name: string }) =>
    `select '${name}' as name, md5(string_agg(row::text, ' ' order by row::text)) as digest from ${name} as row`;
  const rows = await query<{ name: string; digest: string }>(tables.map(digest).join(' union all '));
  return Object.fromEntries(rows.map(({ name, digest: value }) => [name, value]));
}

/** A browser of an owner whose account has one of everything. */
async function open() {
  const owner = await signInMember(exchange, app, 'owner', await exchange.account('r@example.org'));
  const { account, person, browser } = owner;
  const sent = await exchange.drop(account, ['r@example.org'], ['a.txt']);
  const sender = await exchange.account(account.email);
  await exchange.drop(sender, [account.email], ['b.txt']);
  const [entry] = await engines.store.inbox.page(account.accountId, {}, undefined, 1);
  const { link } = await openRequestLink(exchange, ['r@example.org'], account);
  const actor = { ...account, author: engines.administrator };
  const webhook = await createWebhook(engines, actor, {
    url: 'https://erp.example.org/',
    description: '',
    types: null,
  });
  await engines.store.signInMethods.setPassword(person.id, 'hash');
  await beginAuthenticatorApp(engines, person);
  const mailed = await makeRecoveryLink(engines, engines.administrator, person, { mail: false });
  const name = `page-${engines.random.uuid()}`.slice(0, 40);
  await engines.store.publicPages.set(account.accountId, { name, message: '', isOpen: true });
  const ids: Record<string, string> = { inbox: entry?.id ?? '', sent, requests: link.dropId, webhooks: webhook.id };
  const places: Record<string, string> = {
    user: encodeURIComponent(account.email),
    token: mailed.slice(mailed.lastIndexOf('/') + 1),
    position: '0',
    name,
  };
  const fill = (path: string) =>
    path
      .replaceAll(/([a-z]+)\/:id/g, (_, area: string) => `${area}/${ids[area]}`)
      .replaceAll(/:([a-z]+)/g, (_, place: string) => places[place] ?? '');
  const get = (path: string) => browser.send('GET', fill(path), { headers: { accept: 'text/html' } });
  return get;
}

test('no GET of the app changes anything, except those that say why', { timeout: 60_000 }, async () => {
  const get = await open();
  const before = await readTables();
  const statuses: Record<string, number> = {};
  for (const path of paths.filter((each) => !(each in effects))) {
    const { statusCode } = await get(path);
    if (statusCode !== 200) statuses[path] = statusCode;
    expect(await readTables(), path).toEqual(before);
  }
  expect(statuses, 'pages that were not shown').toEqual(notShown);
  expect(paths).toEqual(expect.arrayContaining(Object.keys(effects)));
});
