// Every quota, set by a command for an account or its group, and met over HTTP.
import { describe, expect, test } from 'vitest';
import type { Actor } from '../src/domain/actor.ts';
import { removeFile } from '../src/domain/drafts/change-draft.ts';
import { findLink } from '../src/domain/links/find-link.ts';
import { codeTarget } from '../src/domain/links/second-factor.ts';
import { useTestExchange } from './exchange.ts';
import { deriveToken } from './links.ts';
import { runAdmin } from './run-admin.ts';
import { buildTestServer, testHost } from './server.ts';

const exchange = await useTestExchange();
const app = buildTestServer(exchange, { csrfTokens: { mint: async () => '', accept: async () => true } });
type Caller = Actor & { apiKey: string };

/** Runs a command, and returns the JSON that it prints. */
const admin = async (...words: string[]): Promise<unknown> => JSON.parse(await runAdmin(exchange, ...words, '--json'));

async function post({ email, apiKey }: Caller, path: string, payload: string, contentType = 'application/json') {
  return app.inject({
    method: 'POST',
    url: `/${email}/cgi/${path}`,
    headers: {
      host: testHost,
      authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`,
      'csrf-token': 'x'.repeat(43),
      'content-type': contentType,
    },
    payload,
  });
}

const upload = (caller: Caller, bytes: number) =>
  post(
    caller,
    'upload.cgi',
    [
      '--x\r\nContent-Disposition: form-data; name="do"\r\n\r\nupload\r\n',
      `--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n${'.'.repeat(bytes)}\r\n--x--\r\n`,
    ].join(''),
    'multipart/form-data; boundary=x',
  );

async function dispatch(caller: Caller, { desttime = 7, receivers = ['a@acme.com', 'b@acme.com'] } = {}) {
  await exchange.prepare(caller, receivers, [`${Math.random()}.txt`]);
  return post(caller, 'createdrop.cgi', JSON.stringify({ desttime, ddmessage: String(Math.random()) }));
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}
interface Quota {
  readonly options: readonly string[];
  readonly shown: Readonly<Record<string, unknown>>;
  readonly allowed: (caller: Caller) => ReturnType<typeof post>;
  readonly refused: (caller: Caller) => ReturnType<typeof post>;
  readonly refusal: Refusal;
}
const askForMore = 'or ask the administrator for more.';

const quotas: Record<string, Quota> = {
  'bytes stored': {
    options: ['--max-stored', '2kB'],
    shown: { max_stored_bytes: 2000 },
    allowed: async (caller) => {
      const response = await upload(caller, 1000);
      await removeFile(exchange.engines, caller, '', 'a.bin');
      return response;
    },
    refused: (caller) => upload(caller, 2001),
    refusal: {
      status: 507,
      code: 'storage_full',
      message: `The account may store 2000 bytes, and this would be more. Remove uploaded files, revoke drops or wait until they end, ${askForMore}`,
    },
  },
  'the largest file': {
    options: ['--max-file', '1kB'],
    shown: { max_file_bytes: 1000 },
    allowed: (caller) => upload(caller, 1000),
    refused: (caller) => upload(caller, 1001),
    refusal: {
      status: 413,
      code: 'too_large',
      message: `"a.bin": The account may send files of up to 1000 bytes. Send it in smaller parts, ${askForMore}`,
    },
  },
  'drops a day': {
    options: ['--drops-per-day', '1'],
    shown: { drops_per_day: 1 },
    allowed: dispatch,
    refused: dispatch,
    refusal: {
      status: 429,
      code: 'daily_limit',
      message: `The account’s drops and requests a day are limited to 1, and this would be more. Wait until midnight (UTC), ${askForMore}`,
    },
  },
  'mails a day': {
    options: ['--mails-per-day', '3'],
    shown: { mails_per_day: 3 },
    allowed: dispatch,
    refused: dispatch,
    refusal: {
      status: 429,
      code: 'daily_limit',
      message: `The account’s mails a day are limited to 3, and this would be more. Wait until midnight (UTC), ${askForMore}`,
    },
  },
  'a range of lifetimes': {
    options: ['--min-lifetime', '2', '--max-lifetime', '8'],
    shown: { min_lifetime: 2, max_lifetime: 8 },
    allowed: dispatch,
    refused: (caller) => dispatch(caller, { desttime: 9 }),
    refusal: { status: 400, code: 'invalid_input', message: 'desttime must be a whole number from 2 to 8.' },
  },
  'a list of lifetimes': {
    options: ['--lifetimes', '1,7'],
    shown: { lifetimes: [1, 7] },
    allowed: dispatch,
    refused: (caller) => dispatch(caller, { desttime: 6 }),
    refusal: { status: 400, code: 'invalid_input', message: 'desttime must be one of 1, 7.' },
  },
  'the domains of receivers': {
    options: ['--receiver-domains', 'acme.com'],
    shown: { receiver_domains: ['acme.com'] },
    allowed: dispatch,
    refused: (caller) => post(caller, 'receivers_set.cgi', JSON.stringify([{ email: 'c@other.org' }])),
    refusal: {
      status: 403,
      code: 'recipient_not_allowed',
      message:
        'The account may not send to c@other.org: its domain is not one of those allowed. Choose another address, or ask the administrator.',
    },
  },
};

/** An account with these limits, of its own or of its group. */
async function limited(of: 'account' | 'group', options: readonly string[]): Promise<Caller> {
  const caller = await exchange.account('a@acme.com', 'b@acme.com', 'c@other.org');
  const set = ['accounts', 'set', '--email', caller.email];
  if (of === 'account') {
    await admin(...set, ...options);
  } else {
    const group = `group of ${caller.accountId}`;
    await admin('groups', 'create', group, ...options);
    await admin(...set, '--group', group);
  }
  return caller;
}

describe.each(['account', 'group'] as const)('a quota of the %s', (of) => {
  test.each(Object.entries(quotas))('limits %s, and says so', async (_what, quota) => {
    const caller = await limited(of, quota.options);
    expect(await admin('accounts', 'show', '--email', caller.email)).toMatchObject({ in_force: quota.shown });
    const allowed = await quota.allowed(caller);
    expect([allowed.statusCode, allowed.json()]).toEqual([200, { status: expect.stringMatching(/^(ok|done)$/) }]);
    const { status, code, message } = quota.refusal;
    const refused = await quota.refused(caller);
    expect([refused.statusCode, refused.json()]).toEqual([status, { status: 'error', code, message }]);
    expect(refused.headers['retry-after'] !== undefined).toBe(status === 429);
  });

  test('requires a second factor', async () => {
    const caller = await limited(of, ['--second-factor', 'mail']);
    const dropId = await exchange.drop(caller, ['a@acme.com'], ['a.txt']);
    const link = await findLink(exchange.engines, await deriveToken(exchange, caller, dropId, 0), 'downloadfiles');
    expect(codeTarget(exchange.engines, link)).toMatchObject({ channel: 'mail' });
  });
});
