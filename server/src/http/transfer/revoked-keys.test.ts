import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { buildTestServer, testHost as host } from '../../../test/server.ts';
import type { Account } from '../../domain/accounts/account-store.ts';
import { setAccountDisabled } from '../../domain/accounts/change-account.ts';
import { revokeKey } from '../../domain/accounts/change-keys.ts';
import { dispatchDraft } from '../../domain/drops/dispatch-draft.ts';
import { checkMs } from './transfers.ts';

/** More than fits into all buffers on the way to a client that does not read. */
const largeBytes = 40_000_000;
/** The check in progress at the time of a revocation may have read the old state. */
const checksNeeded = 2;

const exchange = await useTestExchange();
const { engines } = exchange;
const outgoings: ClientRequest[] = [];
/** How often each server has looked for the revoked keys of this account since this was set. */
const checks = { ofAccount: '', made: [0, 0] };
const countChecks = (of: Receiver) => Object.assign(checks, { ofAccount: of.account.id, made: [0, 0] });
const servers = [await listeningServer(0), await listeningServer(1)] as const;
afterEach(() => {
  for (const outgoing of outgoings.splice(0)) outgoing.destroy();
});

async function listeningServer(number: 0 | 1) {
  const accounts: typeof engines.store.accounts = {
    ...engines.store.accounts,
    unusableKeys(keys) {
      // Only while requests of the account are running: those of others are looked after as well.
      if (keys.some(({ accountId }) => accountId === checks.ofAccount)) {
        checks.made[number] = (checks.made[number] ?? 0) + 1;
      }
      return engines.store.accounts.unusableKeys(keys);
    },
  };
  const app = buildTestServer(exchange, { store: { ...engines.store, accounts } });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app;
}

/** Creates an account with a large file in its inbox. */
async function receiver() {
  const actor = await exchange.account();
  const account = (await engines.store.accounts.byId(actor.accountId)) as Account;
  const sender = await exchange.account(actor.email);
  await exchange.prepare(sender, [actor.email], []);
  await exchange.upload(sender, 'large.bin', randomBytes(largeBytes));
  await dispatchDraft(engines, sender, { draft: '', parameters: { ddmessage: 'large' } }, 'downloadfiles');
  const [entry] = await exchange.database.query<{ id: string; file: string }>(
    `select inbox.id, files.id as file from inbox_entries as inbox
     join files on files.account_id = inbox.sender_account_id and files.drop_id = inbox.drop_id
     where inbox.account_id = $1`,
    [actor.accountId],
  );
  return { actor, account, entry: entry as { id: string; file: string } };
}
type Receiver = Awaited<ReturnType<typeof receiver>>;

function open(
  { actor }: Receiver,
  server: (typeof servers)[number],
  method: string,
  path: string,
  headers: Record<string, string> = {},
): ClientRequest {
  const { port } = server.server.address() as AddressInfo;
  const isV1 = path.startsWith('/api/v1');
  const basic = Buffer.from(`${actor.email}:${actor.apiKey}`).toString('base64');
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent: false,
    headers: { host, authorization: isV1 ? `Bearer ${actor.apiKey}` : `Basic ${basic}`, ...headers },
  });
  outgoings.push(outgoing);
  return outgoing.on('error', () => undefined);
}

async function responseTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response.on('error', () => undefined);
}

async function csrfToken(of: Receiver, server: (typeof servers)[number]): Promise<string> {
  const response = await responseTo(open(of, server, 'GET', `/${of.actor.email}/`).end());
  const [, token] = /([A-Za-z0-9_-]{43})/.exec(await text(response)) ?? [];
  return token as string;
}

const openConnections = () =>
  Promise.all(
    servers.map(({ server }) => new Promise<number>((done) => server.getConnections((_error, count) => done(count)))),
  );

const filler = randomBytes(200_000);
/** Sends a body slowly until the server has responded. */
function trickle(outgoing: ClientRequest): void {
  outgoing.write(filler);
  const timer = setInterval(() => outgoing.write(filler), 50);
  outgoing.once('close', () => clearInterval(timer)).once('response', () => clearInterval(timer));
}

const revocations: Record<string, (of: Receiver) => Promise<void>> = {
  'its key is revoked': async ({ account }) => {
    const [key] = await engines.store.accounts.keys(account.id);
    await revokeKey(engines, account, { keyId: key?.id ?? '' }, engines.administrator);
  },
  'its account is disabled': ({ account }) => setAccountDisabled(engines, account, true),
};

test('every server checks twice a second', () => {
  expect(checkMs).toBe(500);
});

describe.each(Object.entries(revocations))('when %s', (_name, revoke) => {
  test('its downloads are cut in every process, and those of others continue', async () => {
    const [revoked, other] = [await receiver(), await receiver()];
    const paths = async (of: Receiver, server: (typeof servers)[number]) => [
      open(of, server, 'GET', `/api/v1/inbox/${of.entry.id}/files/${of.entry.file}`),
      open(of, server, 'GET', `/api/v1/inbox/${of.entry.id}/all.zip`),
      open(of, server, 'GET', `/${of.actor.email}/${of.entry.id}/files/large.bin`, {
        'csrf-token': await csrfToken(of, server),
      }),
    ];
    const running = (await Promise.all(servers.map((server) => paths(revoked, server)))).flat();
    const untouched = await responseTo(open(other, servers[0], 'GET', `/api/v1/inbox/${other.entry.id}/all.zip`).end());
    const responses = await Promise.all(running.map((outgoing) => responseTo(outgoing.end())));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(running.map(() => 200));
    await revoke(revoked);
    countChecks(revoked);
    // Both for a client that reads and for one that does not.
    await expect.poll(openConnections, { timeout: 60_000 }).toEqual([1, 0]);
    expect(Math.max(...checks.made)).toBeLessThanOrEqual(checksNeeded);
    expect(untouched.destroyed || untouched.socket.destroyed).toBe(false);
  });

  test('its uploads and waiting requests are refused, and leave nothing behind', async () => {
    const revoked = await receiver();
    const [first, second] = servers;
    const tus = { 'tus-resumable': '1.0.0' };
    const created = await responseTo(
      open(revoked, first, 'POST', '/api/v1/uploads', {
        ...tus,
        'upload-length': '90000000',
        'upload-metadata': 'filename YQ==',
      }).end(),
    );
    const boundary = 'b';
    const part = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`;
    const uploads = [
      open(revoked, second, 'PATCH', new URL(created.headers.location as string, 'http://x').pathname, {
        ...tus,
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
        'content-length': '90000000',
      }),
      open(revoked, first, 'POST', '/api/v1/uploads', {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="a"',
        'content-length': '8000000',
      }),
      open(revoked, second, 'POST', `/${revoked.actor.email}/cgi/upload.cgi`, {
        'csrf-token': await csrfToken(revoked, second),
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'transfer-encoding': 'chunked',
      }),
    ];
    uploads[2]?.write(part);
    for (const upload of uploads) trickle(upload);
    // A form can be slow between its files, or after them.
    const form = open(revoked, first, 'POST', `/${revoked.actor.email}/cgi/upload.cgi`, {
      'csrf-token': await csrfToken(revoked, first),
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'transfer-encoding': 'chunked',
    });
    form.write(`${part}a\r\n--${boundary}\r\ncontent-disposition: form-data; name="do"\r\n\r\nupl`);
    const wait = open(revoked, first, 'GET', '/api/v1/events?cursor=end&wait=30').end();
    await expect.poll(() => engines.uploadResources.live.size).toBe(4);
    const refused = Promise.all([...uploads, form, wait].map(responseTo));
    await revoke(revoked);
    countChecks(revoked);
    expect((await refused).map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 401, 401]);
    expect(Math.max(...checks.made)).toBeLessThanOrEqual(checksNeeded);
    await expect.poll(() => engines.uploadResources.live.size).toBe(0);
  });
});
