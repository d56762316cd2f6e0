import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { buildTestServer, testHost as host } from '../../../test/server.ts';
import { signInMember } from '../../../test/sign-in-member.ts';
import type { ListedContact } from '../../domain/contacts/contact-store.ts';
import { dispatchDraft } from '../../domain/drops/dispatch-draft.ts';
import { tusType } from '../../http/transfer/tus.ts';
import { appRoutes } from './routes.ts';
import type { AppRoute } from './shared/app-route.ts';

/** More than fits into all buffers on the way to a client that does not read. */
const largeBytes = 40_000_000;

const exchange = await useTestExchange();
const { engines } = exchange;
/** A list of contacts that never ends. */
const contact: ListedContact = {
  email: 'anna@example.com',
  name: 'x'.repeat(1000),
  phone: '',
  language: '',
  groups: [],
  list: 'local',
};
const contacts: typeof engines.store.contacts = {
  ...engines.store.contacts,
  page: async (_accountId, _filter, _order, count) => Array.from({ length: count }, () => contact),
};
/** Counts for each server since this was set: requests that it let in, and looks at what allows them. */
const done = { letIn: [0, 0], checks: [0, 0] };
/** The check in progress at the time of an ending may have read the old state. */
const checksNeeded = 2;
const servers = [await listeningServer(0), await listeningServer(1)] as const;
afterAll(() => Promise.all(servers.map((server) => server.close())));
const outgoings: ClientRequest[] = [];
afterEach(() => {
  for (const outgoing of outgoings.splice(0)) outgoing.destroy();
});

async function listeningServer(number: 0 | 1) {
  const { store } = engines;
  const people: typeof store.people = {
    ...store.people,
    async membership(personId, account) {
      const found = await store.people.membership(personId, account);
      done.letIn[number] = (done.letIn[number] ?? 0) + 1;
      return found;
    },
  };
  const sessions: typeof store.sessions = {
    ...store.sessions,
    endedAccess(all, idleSeconds) {
      done.checks[number] = (done.checks[number] ?? 0) + 1;
      return store.sessions.endedAccess(all, idleSeconds);
    },
  };
  const app = buildTestServer(exchange, { store: { ...store, contacts, people, sessions } });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app;
}

type Member = Awaited<ReturnType<typeof signInMember>>;

/** An account with a large file in its inbox. */
async function openAccount() {
  const account = await exchange.account('r@example.org');
  const sender = await exchange.account(account.email);
  await exchange.prepare(sender, [account.email], []);
  await exchange.upload(sender, 'large.bin', randomBytes(largeBytes));
  await dispatchDraft(engines, sender, { draft: '', parameters: { ddmessage: 'large' } }, 'downloadfiles');
  await exchange.database.query(`update files set path = 'folder/large.bin' where account_id = $1`, [sender.accountId]);
  await exchange.prepare(account, ['r@example.org'], []);
  await exchange.upload(account, 'large.bin', randomBytes(largeBytes));
  const sentId = await dispatchDraft(
    engines,
    account,
    { draft: '', parameters: { ddmessage: 'sent' } },
    'downloadfiles',
  );
  const [sent] = await exchange.database.query<{ id: string; file: string }>(
    'select drop_id as id, id as file from files where drop_id = $1',
    [sentId],
  );
  const [entry] = await exchange.database.query<{ id: string; file: string }>(
    `select inbox.id, files.id as file from inbox_entries as inbox
     join files on files.account_id = inbox.sender_account_id and files.drop_id = inbox.drop_id
     where inbox.account_id = $1`,
    [account.accountId],
  );
  return { account, entry: entry as { id: string; file: string }, sent: sent as { id: string; file: string } };
}
const { account, entry, sent } = await openAccount();

/** The beginning of a form whose first file never ends. */
const startForm = (csrf: string, field: string) =>
  `--x\r\ncontent-disposition: form-data; name="csrftoken"\r\n\r\n${csrf}\r\n` +
  `--x\r\ncontent-disposition: form-data; name="${field}"; filename="a"\r\n\r\nsome bytes`;

interface Started {
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** The beginning of a body that does not end. */
  readonly body?: string;
}

const sendForm = (path: string, field: string, { browser }: Member) => ({
  path,
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
  body: startForm(browser.csrf, field),
});

/** For each route whose requests may take long: a request that does not end by itself. */
const starts: Record<string, (member: Member) => Promise<Started>> = {
  'POST /:user/send': async (member) => sendForm(`${member.base}send`, 'files', member),
  'POST /share': async (member) => sendForm('/share', 'files', member),
  'GET /:user/inbox/:id/files/:file': async ({ base }) => ({ path: `${base}inbox/${entry.id}/files/${entry.file}` }),
  'GET /:user/inbox/:id/all.zip': async ({ base }) => ({ path: `${base}inbox/${entry.id}/all.zip` }),
  'GET /:user/inbox/:id/files.zip': async ({ base }) => ({ path: `${base}inbox/${entry.id}/files.zip?file=0` }),
  'GET /:user/inbox/:id/folders/:folder': async ({ base }) => ({
    path: `${base}inbox/${entry.id}/folders/${entry.file}.1`,
  }),
  'GET /:user/sent/:id/files/:file': async ({ base }) => ({ path: `${base}sent/${sent.id}/files/${sent.file}` }),
  'GET /:user/sent/:id/all.zip': async ({ base }) => ({ path: `${base}sent/${sent.id}/all.zip` }),
  'POST /:user/contacts/import/preview': async (member) =>
    sendForm(`${member.base}contacts/import/preview`, 'file', member),
  'POST /:user/contacts/import': async (member) => sendForm(`${member.base}contacts/import`, 'file', member),
  'GET /:user/contacts.csv': async ({ base }) => ({ path: `${base}contacts.csv` }),
  'GET /:user/events': async ({ base }) => ({ path: `${base}events` }),
  'POST /:user/uploads': async ({ base, browser }) => ({
    path: `${base}uploads`,
    headers: { ...tusHeaders, 'csrf-token': browser.csrf, 'content-type': tusType, 'upload-length': '1000' },
    body: 'some bytes',
  }),
  'PATCH /:user/uploads/:id': async ({ base, browser }) => {
    const created = await browser.send('POST', `${base}uploads`, {
      headers: { ...tusHeaders, 'csrf-token': browser.csrf, 'upload-length': '1000' },
    });
    return {
      path: String(created.headers.location),
      headers: { ...tusHeaders, 'csrf-token': browser.csrf, 'content-type': tusType, 'upload-offset': '0' },
      body: 'some bytes',
    };
  },
};
const tusHeaders = { 'tus-resumable': '1.0.0', 'upload-metadata': 'filename YQ==' };

const nameRoute = ({ method, path }: AppRoute) => `${method} ${path}`;
/** A response to HEAD has no body. */
const mayTakeLong = ({ method, path, transfer, body }: AppRoute) =>
  method !== 'HEAD' && (transfer || body !== undefined || path.endsWith('/events') || path.endsWith('/contacts.csv'));

function start(server: (typeof servers)[number], member: Member, route: AppRoute, { path, headers, body }: Started) {
  const { port } = server.server.address() as AddressInfo;
  const cookie = [...member.browser.cookies].map((pair) => pair.join('=')).join('; ');
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method: route.method,
    path,
    agent: false,
    headers: {
      host,
      cookie,
      'sec-fetch-site': 'same-origin',
      accept: 'application/json',
      ...headers,
      ...(body && { 'transfer-encoding': 'chunked' }),
    },
  });
  outgoings.push(outgoing);
  outgoing.on('error', () => undefined);
  if (body === undefined) outgoing.end();
  else outgoing.write(body);
  return outgoing;
}

const countConnections = () =>
  Promise.all(
    servers.map(({ server }) => new Promise<number>((found) => server.getConnections((_error, count) => found(count)))),
  );

async function awaitStatus(outgoing: ClientRequest, name: string): Promise<string> {
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return `${response.statusCode} ${name}`;
}

const endings = {
  'they sign out everywhere': {
    end: ({ person }: Member) => engines.store.sessions.end(person.id, 'all'),
    isConcerned: () => true,
  },
  'their membership is removed': {
    end: ({ person }: Member) => engines.store.people.removeMembership(account.accountId, person.id),
    // The Share menu of a phone leads to the person's own account.
    isConcerned: ({ path }: AppRoute) => path.startsWith('/:user/'),
  },
};

test.each(Object.entries(endings))(
  'the requests of a person end in both processes when %s',
  { timeout: 60_000 },
  async (_name, { end, isConcerned }) => {
    const routes = appRoutes.filter(mayTakeLong);
    expect(routes.map(nameRoute).toSorted()).toEqual(Object.keys(starts).toSorted());
    const concerned = routes.filter(isConcerned);
    const member = await signInMember(exchange, servers[0], 'member', account);
    done.letIn = [0, 0];
    const all = await Promise.all(
      servers.flatMap((server) =>
        concerned.map(async (route) => {
          const outgoing = start(server, member, route, (await starts[nameRoute(route)]?.(member)) ?? { path: '' });
          return { route, outgoing, status: awaitStatus(outgoing, nameRoute(route)) };
        }),
      ),
    );
    const downloads = all.filter(({ route }) => route.method === 'GET');
    const uploads = all.filter(({ route }) => route.method !== 'GET');
    const expectAll = async (requests: typeof all, status: number) =>
      expect(await Promise.all(requests.map((each) => each.status))).toEqual(
        requests.map(({ route }) => `${status} ${nameRoute(route)}`),
      );
    await expectAll(downloads, 200);
    await expect.poll(() => Math.min(...done.letIn)).toBeGreaterThanOrEqual(concerned.length);
    await end(member);
    done.checks = [0, 0];
    await expectAll(uploads, 401);
    for (const { outgoing } of uploads) outgoing.destroy();
    // The clients do not read: only the server knows whether it still sends.
    await expect.poll(countConnections, { timeout: 10_000 }).toEqual([0, 0]);
    expect(Math.max(...done.checks)).toBeLessThanOrEqual(checksNeeded);
  },
);
