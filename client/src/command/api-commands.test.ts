import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  account,
  attempt,
  drop,
  dropDetails,
  event,
  fileRequest,
  fileRequestDetails,
  ids,
  key,
  type Replies,
  startExampleServer,
  testMessage,
  webhook,
} from '../testing/example-server.ts';
import { fakeTerminal, withUserInput } from '../testing/fake-terminal.ts';
import { refuse } from '../testing/wire-server.ts';
import { verifyWebhook } from '../verify-webhook.ts';
import { run } from './run.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-api-'));
  vi.stubEnv('TZ', 'UTC');
});
afterEach(() => {
  rmSync(home, { recursive: true });
  vi.unstubAllEnvs();
});

interface Setting {
  replies?: Replies;
  /** The reply of a user at a terminal. */
  reply?: string;
  columns?: number;
  onAsked?: (what: string) => void;
  signal?: AbortSignal;
  environment?: Record<string, string>;
}

async function waybill(words: string, setting: Setting = {}) {
  const { replies, reply, columns, onAsked, signal = new AbortController().signal, environment } = setting;
  await using server = await startExampleServer(replies, onAsked);
  const terminal = fakeTerminal(home, {
    WAYBILL_URL: server.baseUrl,
    WAYBILL_USER: 'alpha@machines.test',
    WAYBILL_API_KEY: 'wb_key',
    NO_COLOR: '1',
    ...environment,
  });
  if (reply !== undefined) withUserInput(terminal, () => reply);
  if (columns !== undefined) Object.assign(terminal.output, { isTTY: true, columns });
  const exit = await run(terminal, words.split(' '), signal, '1');
  const bodies = server.requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path, body }) => `${method} ${path} ${body.toString()}`.trim());
  const requested = server.paths();
  return { exit, output: terminal.output.text, errors: terminal.errors.text, bodies, requested };
}

const page = (...data: unknown[]) => ({ data, next_cursor: null });
const notFound = (response: ServerResponse) => refuse(response, 404, 'not_found');
/** The server has no drop, but a request. */
const noDrop = { 'GET drops': page(), 'GET drops/ID': notFound };

describe('waybill history', () => {
  test('shows the receivers, the files and the progress of each drop', async () => {
    const { output } = await waybill('history', { columns: 140 });
    expect(output.split('\n').slice(0, 2)).toEqual([
      'REFERENCE     SENT              STATE  DONE  TO                                FILES              EXTERNAL ID  MESSAGE',
      'WB-7F3K-29QD  2030-01-31 12:00  live    1/2  anna@example.com, bo@example.com  drawings/plan.pdf  order-4711   The drawings.',
    ]);
  });

  test('prints the list of the API as JSON, without a request for each drop', async () => {
    const { output, requested } = await waybill('--json history --state live --receiver a@example.org --limit 1');
    expect(JSON.parse(output)).toEqual(drop);
    expect(requested).toEqual(['GET drops?limit=100&state=live&receiver_email=a%40example.org']);
  });

  test('keeps the order, and does not count deliveries whose records were purged', async () => {
    const drops = Array.from({ length: 9 }, (_, index) => ({ ...drop, reference: `WB-${index}` }));
    const purged = { 'GET drops': page(...drops), 'GET drops/ID': { ...dropDetails, activity_purged: true } };
    const listed = await waybill('history', { replies: purged });
    expect(listed.output.split('\n').map((line) => line.split('\t')[0])).toEqual([
      ...drops.map(({ reference }) => reference),
      '',
    ]);
    expect(listed.output).toContain('\t?/2\t');
  });

  test('lists a drop that was purged in between, with its reference only', async () => {
    const replies = { 'GET drops/ID': (response: ServerResponse) => refuse(response, 404, 'not_found') };
    const { exit, output } = await waybill('history', { replies });
    expect(exit).toBe(0);
    expect(output).toContain('\t?/2\t2 receivers\t1 file\t');
  });

  test('says so if there is nothing', async () => {
    const replies = { 'GET drops': page() };
    expect((await waybill('history', { replies })).errors).toBe('Nothing has been sent yet.\n');
    expect((await waybill('history --state revoked', { replies })).errors).toBe('Nothing matches the filter.\n');
  });

  test('--requests lists who was asked for files, and who has sent some', async () => {
    const { output, requested } = await waybill('history --requests --state live', { columns: 140 });
    expect(output.split('\n').slice(0, 2)).toEqual([
      'REFERENCE     REQUESTED         STATE  DONE  FROM                              MESSAGE',
      'WB-8G4M-3ARE  2030-01-31 12:00  live    1/2  anna@example.com, bo@example.com  The drawings.',
    ]);
    expect(requested[0]).toBe('GET requests?limit=100&state=live');
    expect(JSON.parse((await waybill('--json history --requests')).output)).toEqual(fileRequest);
    const nobody = await waybill('history --requests', { replies: { 'GET requests': page() } });
    expect(nobody.errors).toBe('No files have been requested yet.\n');
  });
});

describe('waybill show', () => {
  const eventsOf = (...data: object[]) => ({ 'GET events': { data, next_cursor: 'next', has_more: false } });
  const happened = (type: string, minute: number, more: object = {}) => ({
    id: `${ids.event}-${minute}`,
    type,
    timestamp: `2030-01-31T14:0${minute}:00.000Z`,
    data: { drop_id: ids.drop, ...more },
  });
  const dropCreated = happened('drop.created', 0);

  test('shows additions, extensions and downloads, and to how many it was sent at first', async () => {
    const replies = {
      ...eventsOf(
        dropCreated,
        happened('drop.receiver_added', 1, { receiver_id: 1, receiver_email: 'bo@example.com' }),
        happened('drop.file_delivered', 3, {
          receiver_id: 0,
          receiver_email: 'anna@example.com',
          file_id: ids.upload,
          file_name: 'plan.pdf',
        }),
        happened('drop.extended', 4, { expires_at: '2030-02-14T12:00:00.000Z' }),
      ),
      'GET drops/ID': { ...dropDetails, file_count: 2 },
    };
    const { output, requested } = await waybill('show WB-7F3K-29QD', { replies });
    expect(requested).toContain(`GET events?drop_id=${ids.drop}&limit=100`);
    expect(output).toContain('  sent to 1 receiver\n');
    expect(output).toContain('2030-01-31 14:01  bo@example.com added\n');
    expect(output).toContain('2030-01-31 14:03  plan.pdf downloaded by anna@example.com\n');
    expect(output).toContain('2030-01-31 14:04  extended until 2030-02-14 12:00\n');
  });

  test('names no number of receivers if the events that would tell it are gone', async () => {
    const { output } = await waybill('show WB-7F3K-29QD', { replies: eventsOf() });
    expect(output).toContain('2030-01-31 12:00  sent\n');
  });

  test('does not read the events of a busy drop without end', async () => {
    const many = { 'GET events': { data: [happened('drop.extended', 1)], next_cursor: 'next', has_more: true } };
    const { output, requested } = await waybill('show WB-7F3K-29QD', { replies: many });
    expect(output).toContain('2030-01-31 12:00  sent\n');
    expect(requested.filter((what) => what.startsWith('GET events'))).toHaveLength(20);
  });

  test('shows receivers, files and the history, without control characters', async () => {
    const { output } = await waybill('show WB-7F3K-29QD', { columns: 80, replies: eventsOf(dropCreated) });
    expect(output).toBe(`Reference    WB-7F3K-29QD
State        live
Sent         2030-01-31 12:00
Expires      2030-02-07 12:00
External id  order-4711
Code         sms
project      bridge
Message      The drawings.
             Of May.
Id           ${ids.drop}

RECEIVER          STATE          FILES  REASON
anna@example.com  completed        1/1
bo@example.com    undeliverable    0/1  550 no such \ufffd[31muser

FILE                 SIZE  STATE      DOWNLOADED  SCAN   SHA-256
drawings/plan.pdf  1.2 MB  available         1/2  clean  ababababababababababab…

WHEN              WHAT
2030-01-31 12:00  sent to 2 receivers
2030-01-31 12:00  mailed to anna@example.com
2030-01-31 12:00  mailed to bo@example.com
2030-01-31 12:01  mail did not reach bo@example.com
2030-01-31 13:00  opened by anna@example.com
2030-01-31 13:05  all files downloaded by anna@example.com
`);
  });

  test('finds a drop by any value that identifies it', async () => {
    expect((await waybill(`--json show ${ids.drop}`)).requested).toEqual([`GET drops/${ids.drop}`]);
    const found = await waybill('--json show order-4711');
    expect(found.requested[0]).toContain('search=order-4711');
    expect(JSON.parse(found.output)).toEqual(dropDetails);
    const several = await waybill('show anna@example.com', { replies: { 'GET drops': page(drop, drop) } });
    expect(several).toMatchObject({ exit: 2, errors: expect.stringContaining('More than one drop is called') });
    expect(several.errors).toContain('reference of one of them: waybill history --receiver anna@example.com\n');
    const orders = await waybill('show order-4711', { replies: { 'GET drops': page(drop, drop) } });
    expect(orders.errors).toContain('reference of one of them: waybill history --external-id order-4711\n');
    const none = await waybill('show WB-0000-0000', { replies: { 'GET drops': page(), 'GET requests': page() } });
    expect(none).toMatchObject({
      exit: 4,
      errors: expect.stringContaining('There is no drop or request WB-0000-0000.'),
    });
    const other = await waybill(`show ${ids.key}`, { replies: { ...noDrop, 'GET requests/ID': notFound } });
    expect(other).toMatchObject({
      exit: 4,
      errors: expect.stringContaining(`There is no drop or request ${ids.key}.`),
    });
  });
});

describe('a request for files', () => {
  const request = `requests/${ids.request}`;

  test('is created with its reference and deadline, and prints links if no mails are sent', async () => {
    const made = await waybill('request --to anna@example.com --days 7 --reusable');
    expect(made.output).toBe('Asked anna@example.com for files as WB-8G4M-3ARE, until 2030-02-07 12:00.\n');
    expect(made.bodies).toEqual([
      'POST requests {"receivers":[{"email":"anna@example.com"}],"expires_in":604800,"reusable":true}',
    ]);
    const link = 'https://files.example.org/u/secret';
    const receivers = [{ id: 0, email: 'anna@example.com', link }];
    const replies = { 'POST requests': { ...fileRequest, receivers } };
    const linked = await waybill('--json request --to anna@example.com --no-mail', { replies });
    expect(linked.bodies[0]).toContain('"notify":false');
    expect(
      linked.output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      expect.objectContaining({ status: 'requested', id: ids.request, reference: 'WB-8G4M-3ARE' }),
      { status: 'link', email: 'anna@example.com', link },
    ]);
  });

  test('is shown with the files of each receiver', async () => {
    const { output } = await waybill('show WB-8G4M-3ARE', { replies: noDrop, columns: 80 });
    expect(output).toContain('Each may send  any number of times until the deadline\n');
    expect(output).toContain(`
RECEIVER          STATE      FILES
anna@example.com  fulfilled      3
bo@example.com    notified       0

WHEN              WHAT
2030-01-31 12:00  asked for files
2030-01-31 12:00  mailed to anna@example.com
2030-01-31 12:00  mailed to bo@example.com
2030-01-31 14:00  files received from anna@example.com
2030-02-01 14:00  more files received from anna@example.com
`);
    expect(JSON.parse((await waybill(`--json show ${ids.request}`, { replies: noDrop })).output)).toEqual(
      fileRequestDetails,
    );
  });

  test('can be revoked and extended, and its receivers reminded', async () => {
    const replies = {
      ...noDrop,
      'POST requests/ID/revoke': { ...fileRequest, state: 'revoked' },
      'POST requests/ID/receivers/1/revoke': { ...fileRequest, state: 'revoked' },
      'POST requests/ID/extend': fileRequest,
      'POST requests/ID/remind': { reminded: 0 },
    };
    const revoked = await waybill('revoke WB-8G4M-3ARE', { replies, reply: 'y' });
    expect(revoked.errors).toContain('Revoke WB-8G4M-3ARE for 2 receivers? [y/N]');
    expect(revoked.bodies).toEqual([`POST ${request}/revoke`]);
    const link = await waybill('--json revoke WB-8G4M-3ARE --receiver bo@example.com --yes', { replies });
    expect(link.bodies).toEqual([`POST ${request}/receivers/1/revoke`]);
    expect(JSON.parse(link.output)).toMatchObject({ status: 'revoked', request: { state: 'revoked' } });
    const extended = await waybill('extend WB-8G4M-3ARE --days 1', { replies });
    expect(extended.bodies).toEqual([`POST ${request}/extend {"expires_in":86400}`]);
    const reminded = await waybill('remind WB-8G4M-3ARE', { replies });
    expect(reminded.output).toBe('No one was reminded: all receivers who can be reached have sent files.\n');
  });
});

describe('waybill contacts', () => {
  test('add refuses existing contacts, and changes nothing', async () => {
    const replies = { 'POST contacts/import/check': { contacts: [{ email: 'bo@example.com', result: 'unchanged' }] } };
    const refused = await waybill('contacts add bo@example.com --name Bo', { replies });
    expect(refused).toMatchObject({ exit: 4, errors: expect.stringContaining('bo@example.com is already a contact') });
    expect(refused.requested).toEqual(['POST contacts/import/check']);
    const updated = await waybill('contacts add bo@example.com --name Bo --group a --group b --update', { replies });
    expect(updated.bodies).toEqual([
      'POST contacts/import {"contacts":[{"email":"bo@example.com","name":"Bo","groups":["a","b"]}]}',
    ]);
  });

  test('remove prints how many contacts were removed', async () => {
    const { output, requested } = await waybill('contacts remove anna@example.com nobody@example.com');
    expect(output).toBe('Removed 1 contact.\n');
    expect(requested).toEqual(['DELETE contacts/anna%40example.com', 'DELETE contacts/nobody%40example.com']);
  });

  test('list has filters', async () => {
    const { output, requested } = await waybill('contacts list --search cy --list local');
    expect(output).toBe('cy@example.com\t\t\t\t\tlocal\n');
    expect(requested).toEqual(['GET contacts?limit=100&search=cy&list=local']);
  });
});

describe('waybill revoke', () => {
  test('asks for confirmation, and revokes the drop', async () => {
    const { exit, errors, output, bodies } = await waybill('revoke WB-7F3K-29QD', { reply: 'y' });
    expect(errors).toContain('Revoke WB-7F3K-29QD for 2 receivers and delete its files? [y/N]');
    expect({ exit, output, bodies }).toEqual({
      exit: 0,
      output: 'Revoked WB-7F3K-29QD.\n',
      bodies: [`POST drops/${ids.drop}/revoke`],
    });
  });

  test.each([
    [{ reply: 'n' }, 0, 'Nothing was changed.\n'],
    [{}, 2, ''],
  ] as const)('does nothing without a yes: %j', async (setting, exit, output) => {
    expect(await waybill('revoke WB-7F3K-29QD', setting)).toMatchObject({ exit, output, bodies: [] });
  });

  test('can revoke the link of one receiver', async () => {
    const { bodies } = await waybill('revoke WB-7F3K-29QD --receiver BO@example.com --yes');
    expect(bodies).toEqual([`POST drops/${ids.drop}/receivers/1/revoke`]);
    const { exit, errors } = await waybill('revoke WB-7F3K-29QD --receiver cy@example.com --yes');
    expect(exit).toBe(4);
    expect(errors).toContain('WB-7F3K-29QD was not sent to cy@example.com.');
  });
});

test('waybill extend changes the deadline by days or to a time', async () => {
  const extended = await waybill('extend WB-7F3K-29QD --days 14');
  expect(extended.bodies).toEqual([`POST drops/${ids.drop}/extend {"expires_in":1209600}`]);
  expect(extended.output).toBe('WB-7F3K-29QD now expires at 2030-02-07 12:00.\n');
  const until = await waybill('extend WB-7F3K-29QD --until 2030-03-01');
  expect(until.bodies).toEqual([`POST drops/${ids.drop}/extend {"expires_at":"2030-03-01T00:00:00.000Z"}`]);
  for (const wrong of ['', ' --days 1 --until 2030-03-01', ' --until tomorrow', ' --until 2030-02-31T25:00']) {
    expect((await waybill(`extend WB-7F3K-29QD${wrong}`)).exit).toBe(2);
  }
});

describe('waybill resend', () => {
  test('sends the mail to the named receiver again', async () => {
    const { exit, output, bodies } = await waybill('resend WB-7F3K-29QD --receiver Anna@example.com');
    expect({ exit, output }).toEqual({ exit: 0, output: 'Sent the mail of WB-7F3K-29QD to anna@example.com again.\n' });
    expect(bodies).toEqual([`POST drops/${ids.drop}/receivers/0/resend`]);
  });

  test('needs a name if there are several receivers, and one that is a receiver', async () => {
    const several = await waybill('resend WB-7F3K-29QD');
    expect(several).toMatchObject({ exit: 2, bodies: [] });
    expect(several.errors).toContain('WB-7F3K-29QD has 2 receivers.');
    expect(several.errors).toContain('waybill show WB-7F3K-29QD');
    const other = await waybill('resend WB-7F3K-29QD --receiver cy@example.com');
    expect(other).toMatchObject({ exit: 4, bodies: [] });
  });
});

test('waybill add-receiver adds receivers, and prints their links if no mails are sent', async () => {
  const added = { id: 2, email: 'cy@example.com', link: 'https://files.example.org/d/cy' };
  const replies = { 'POST drops/ID/receivers': added };
  const { exit, output, bodies } = await waybill('add-receiver WB-7F3K-29QD cy@example.com --language sv', { replies });
  expect({ exit, output }).toEqual({
    exit: 0,
    output: 'Added cy@example.com to WB-7F3K-29QD.\ncy@example.com  https://files.example.org/d/cy\n',
  });
  expect(bodies).toEqual([`POST drops/${ids.drop}/receivers {"email":"cy@example.com","language":"sv"}`]);
});

describe('waybill send', () => {
  const path = () => {
    writeFileSync(join(home, 'plan.pdf'), 'a plan');
    return join(home, 'plan.pdf');
  };

  test('passes its options on', async () => {
    const words = `send ${path()} --to anna@example.com --second-factor mail --language sv --external-id order-1 --days 1`;
    const { exit, bodies } = await waybill(words);
    expect(exit).toBe(0);
    const receivers = '"receivers":[{"email":"anna@example.com","language":"sv"}]';
    expect(bodies.at(-1)).toBe(
      `POST drops {"uploads":["${ids.upload}"],${receivers},"expires_in":86400,"second_factor":"mail","external_id":"order-1"}`,
    );
  });

  test('checks without sending', async () => {
    const { exit, output, bodies } = await waybill(`send ${path()} --to anna@example.com --dry-run`, {
      replies: { 'POST drops/check': { receiver_count: 1, file_count: 0, size: 0, expires_in: 86_400 } },
    });
    expect({ exit, output }).toEqual({
      exit: 0,
      output: 'Nothing was sent. 1 file (6 B) can be sent to 1 receiver for 1 day.\n',
    });
    expect(bodies).toEqual(['POST drops/check {"uploads":[],"receivers":[{"email":"anna@example.com"}]}']);
  });

  test('names the files that were not scanned, and the reasons', async () => {
    const ready = { id: ids.upload, state: 'ready', size: 6, sha256: '', scan: 'unscanned' };
    const replies = { 'POST uploads': { ...ready, unscanned_reason: 'encrypted' } };
    const { output } = await waybill(`send ${path()} --to anna@example.com`, { replies });
    expect(output).toContain('Not scanned for viruses: plan.pdf (encrypted).');
    const json = await waybill(`--json send ${path()} --to anna@example.com`, { replies });
    expect(JSON.parse(json.output)).toMatchObject({
      scanned: 0,
      unscanned: [{ path: 'plan.pdf', reason: 'encrypted' }],
    });
  });
});

test('waybill request checks without sending', async () => {
  const { output, bodies } = await waybill('request --to anna@example.com --dry-run', {
    replies: { 'POST requests/check': { receiver_count: 1, expires_in: 604_800 } },
  });
  expect(output).toBe('Nothing was sent. 1 receiver can be asked for files, for 7 days.\n');
  expect(bodies).toEqual(['POST requests/check {"receivers":[{"email":"anna@example.com"}]}']);
});

test('waybill remind prints how many receivers were reminded', async () => {
  expect((await waybill('remind WB-7F3K-29QD')).output).toBe('Reminded 1 receiver.\n');
  const nobody = await waybill('remind WB-7F3K-29QD', { replies: { 'POST drops/ID/remind': { reminded: 0 } } });
  expect(nobody.output).toContain('No one was reminded');
});

describe('waybill whoami', () => {
  test('shows the account and the rights of its key', async () => {
    const { output } = await waybill('whoami');
    for (const fact of ['alpha@machines.test', 'nightly', 'send', '192.0.2.0/24', '2100-01-01 00:00']) {
      expect(output).toContain(fact);
    }
  });

  test('shows the limits and the usage of the account', async () => {
    const limited = {
      ...account,
      limits: {
        ...account.limits,
        allowed_expires_in: [3600, 7200],
        receiver_domains: ['example.org'],
        stored_size: null,
      },
    };
    expect((await waybill('whoami')).output).toContain(`
Files      up to 104.9 MB each (the largest that can be scanned for viruses), 1,000 in a drop
Receivers  up to 1,000
Lifetime   1 to 30 days, 7 by default
Storage    1.2 of 4.0 GB used, 2.8 GB available
Today      3 of 100 drops, 12 mails
`);
    const { output } = await waybill('whoami', { replies: { 'GET account': limited } });
    expect(output).toContain('up to 1,000, only in example.org\n');
    expect(output).toContain('1, 2 hours, 168 by default\n');
    expect(output).toContain('1.2 GB used, without a limit\n');
    const { limits, usage } = JSON.parse((await waybill('--json whoami')).output);
    expect({ limits, usage }).toEqual({ limits: account.limits, usage: account.usage });
  });

  test('works with a key that may not list keys', async () => {
    const { output } = await waybill('--json whoami', {
      replies: { 'GET keys': (response: ServerResponse) => refuse(response, 403, 'scope_missing') },
    });
    expect(JSON.parse(output)).toMatchObject({ email: account.email, key: { id: ids.key, name: null } });
  });
});

test('waybill logout deletes the stored key, and mentions a key in the environment', async () => {
  const path = join(home, '.config/waybill/account.json');
  mkdirSync(join(home, '.config/waybill'), { recursive: true });
  writeFileSync(path, '{}');
  const { output, errors } = await waybill('logout');
  expect(output).toBe(`Logged out: ${path} was removed. The key stays valid until it is revoked.\n`);
  expect(errors).toContain('The key in the environment is still used');
  expect(existsSync(path)).toBe(false);
  expect(await waybill('logout')).toMatchObject({ exit: 0, output: `No key is stored in ${path}.\n` });
});

describe('waybill test messages', () => {
  test('are listed with the link or the code', async () => {
    const code = {
      ...testMessage,
      kind: 'code',
      channel: 'sms',
      to: '46700',
      subject: null,
      link: null,
      code: '123456',
    };
    const replies = { 'GET test/messages': { data: [code, testMessage], next_cursor: null } };
    const { output, requested } = await waybill('test messages --to 46700 --kind code --wait 5', {
      columns: 120,
      replies,
    });
    expect(output.split('\n')[0]).toMatch(/^KEPT +TO +KIND +LINK OR CODE +SUBJECT$/);
    expect(output).toMatch(/46700 +code +123456/);
    expect(output).toContain('https://files.example.org/d/token');
    expect(requested.map((path) => path.split('?')[1])).toEqual([
      'to=46700&kind=code&limit=1&wait=5',
      expect.stringContaining('to=46700&kind=code'),
    ]);
  });

  test('say that there are none', async () => {
    const replies = { 'GET test/messages': { data: [], next_cursor: null } };
    expect(await waybill('test messages', { replies })).toMatchObject({
      exit: 0,
      errors: expect.stringContaining('No such message was kept.'),
    });
  });
});

describe('waybill keys', () => {
  test('are listed', async () => {
    const revoked = { ...key, name: 'old', scopes: null, networks: null, expires_at: null, revoked_at: key.created_at };
    const { output } = await waybill('keys list', { columns: 80, replies: { 'GET keys': { data: [key, revoked] } } });
    expect(output).toBe(`NAME     KEY       SCOPES  STATE    EXPIRES           NETWORKS
nightly  wb_Zx81…  send    live     2100-01-01 00:00  192.0.2.0/24
old      wb_Zx81…  all     revoked
`);
  });

  test('are printed alone when they are created', async () => {
    const words = 'keys create ci --scope send --scope history --network 192.0.2.7 --until 2100-01-01T00:00:00Z';
    const { output, bodies } = await waybill(words);
    expect(output).toBe('wb_new\n');
    expect(bodies).toEqual([
      'POST keys {"name":"ci","scopes":["send","history"],"networks":["192.0.2.7"],"expires_at":"2100-01-01T00:00:00.000Z"}',
    ]);
    expect((await waybill('keys create ci --scope send --test')).bodies).toEqual([
      'POST keys {"name":"ci","scopes":["send"],"mode":"test"}',
    ]);
    expect((await waybill('keys create ci')).exit).toBe(2);
    expect((await waybill('keys create ci --scope everything')).errors).toContain('Use one of send, receive');
  });

  test.each(['nightly', 'wb_Zx81', 'wb_Zx81…', ids.key])('are revoked by %s', async (word) => {
    expect((await waybill(`keys revoke ${word} --yes`)).bodies).toEqual([`DELETE keys/${ids.key}`]);
  });

  test('are revoked with a note about the webhooks that they created', async () => {
    const reply = (changes: object) => ({
      'DELETE keys/ID': { ids: [ids.key], webhooks_disabled: 0, webhooks_live: 0, ...changes },
    });
    const { output } = await waybill('keys revoke nightly --yes', { replies: reply({ webhooks_live: 2 }) });
    expect(output).toBe('Revoked the key nightly (wb_Zx81…). Still active: 2 webhooks that it created.\n');
    const json = await waybill('keys revoke nightly --yes --json', { replies: reply({ webhooks_disabled: 1 }) });
    expect(JSON.parse(json.output)).toMatchObject({ status: 'revoked', id: ids.key, webhooks_disabled: 1 });
  });

  test('are not revoked if the name is ambiguous', async () => {
    const two = { 'GET keys': { data: [key, { ...key, id: ids.drop }] } };
    const whole = `DELETE keys/${ids.key}?descendants=true`;
    expect((await waybill('keys revoke nightly --descendants --yes')).bodies).toEqual([whole]);
    expect((await waybill('keys revoke nightly --yes', { replies: two })).exit).toBe(2);
    expect((await waybill('keys revoke other --yes')).exit).toBe(4);
  });
});

describe('waybill webhooks', () => {
  test('are listed with their state', async () => {
    const disabled = { ...webhook, types: ['drop.completed'], disabled_at: webhook.created_at };
    const data = [webhook, disabled, { ...webhook, failing_since: webhook.created_at }];
    const { output } = await waybill('webhooks list', { replies: { 'GET webhooks': { data } } });
    expect(output.split('\n').map((line) => line.split('\t').slice(1, 3))).toEqual([
      ['live', 'all'],
      ['disabled', 'drop.completed'],
      ['failing', 'all'],
      [],
    ]);
  });

  test('are created, and their secret is printed', async () => {
    const { output, bodies } = await waybill('webhooks create https://example.org/waybill --type drop.completed');
    expect(output).toContain('whsec_c2VjcmV0');
    expect(bodies).toEqual(['POST webhooks {"url":"https://example.org/waybill","types":["drop.completed"]}']);
  });

  test('are tested', async () => {
    const { output } = await waybill('webhooks test https://example.org/waybill');
    expect(output).toBe('https://example.org/waybill responded with 204 after 35 ms.\n');
    const replies = { 'GET webhooks/ID/attempts': page({ ...attempt, status: null, failure: 'timeout' }) };
    const failed = await waybill('webhooks test https://example.org/waybill', { replies });
    expect(failed).toMatchObject({
      exit: 4,
      errors: expect.stringContaining('https://example.org/waybill did not respond in time.'),
    });
    const unwanted = { 'GET webhooks/ID/attempts': page({ ...attempt, status: 500 }) };
    expect((await waybill('webhooks test https://example.org/waybill', { replies: unwanted })).errors).toContain(
      'https://example.org/waybill did not accept the event: it responded with 500.\n',
    );
  });

  test('list the requests that were sent to them', async () => {
    const { output } = await waybill('webhooks attempts https://example.org/waybill', { columns: 80 });
    expect(output).toContain('2030-01-31 12:00  webhook.test        1  204       35 ms  6a0c5f4e-');
  });

  test('receive one event again, or all since a time', async () => {
    const since = await waybill('webhooks replay https://example.org/waybill --since 2030-01-31T12:00');
    expect(since.output).toBe('Sending 3 events since 2030-01-31 12:00 to https://example.org/waybill again.\n');
    expect(since.bodies).toEqual([`POST webhooks/${ids.webhook}/replay {"since":"2030-01-31T12:00:00.000Z"}`]);
    const one = await waybill(`webhooks replay ${ids.webhook} --event ${ids.event}`);
    expect(one.bodies).toEqual([`POST webhooks/${ids.webhook}/replay {"event_id":"${ids.event}"}`]);
    expect((await waybill(`webhooks replay ${ids.webhook}`)).exit).toBe(2);
  });
});

describe('waybill webhooks listen', () => {
  /** Ends at the second request for events, when the events of the first one have been handled. */
  function twoRounds() {
    const stop = new AbortController();
    let rounds = 0;
    const onAsked = (what: string) => {
      if (what === 'GET events') rounds += 1;
      if (rounds === 2) stop.abort();
    };
    return { signal: stop.signal, onAsked };
  }

  test('prints only events of the given types', async () => {
    const { exit, output, errors } = await waybill('webhooks listen --type drop.completed', twoRounds());
    // Ctrl-C is how it ends, and no failure.
    expect(errors).toBe('Waiting for events; press Ctrl-C to stop.\n');
    expect(exit).toBe(130);
    expect(output).toContain(`2030-01-31 12:00  drop.completed  drop_id=${ids.drop}\n`);
    expect((await waybill('webhooks listen --type drop.opened', twoRounds())).output).toBe('');
    const json = await waybill('--json webhooks listen', twoRounds());
    expect(JSON.parse(json.output.split('\n')[0] ?? '')).toEqual(event);
  });

  test('forwards events with a signature that a receiver accepts', async () => {
    const secret = `whsec_${Buffer.from('a secret of the test').toString('base64')}`;
    const received: unknown[] = [];
    const receiver = createServer((request, response) => {
      const receive = async () => {
        received.push(verifyWebhook({ headers: request.headers, body: await buffer(request) }, secret));
        response.writeHead(202).end();
      };
      void receive();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/waybill`;
    const forwarded = await waybill(`webhooks listen --forward ${url} --secret ${secret}`, twoRounds());
    receiver.close();
    expect(received[0]).toEqual(event);
    expect(forwarded.output).toContain('→ 202\n');
    expect(forwarded.errors).not.toContain(secret);
  });

  test('continues if the receiver is unreachable', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    gone.close();
    const words = `webhooks listen --forward http://127.0.0.1:${port}/`;
    const { exit, output, errors } = await waybill(words, twoRounds());
    expect(exit).toBe(130);
    expect(output).toContain('→ ECONNREFUSED\n');
    expect(errors).toMatch(/Events are signed with this secret: whsec_/);
  });
});

describe('a drop that cannot be changed', () => {
  const ended = (state: string, revoked_at: string | null) => ({
    'GET drops/ID': { ...dropDetails, state, revoked_at },
  });
  const changes = ['revoke', 'extend --days 3', 'remind', 'resend --receiver anna@example.com', 'add-receiver a@b.org'];
  const toWords = (change: string) => change.replace(/^(\S+)/, '$1 WB-7F3K-29QD');

  test.each(changes)('%s: one that was revoked is refused before a question', async (change) => {
    const { exit, errors, bodies } = await waybill(toWords(change), {
      replies: ended('revoked', '2030-02-01T12:00:00.000Z'),
    });
    expect(exit).toBe(4);
    expect(errors).toBe(
      'waybill: WB-7F3K-29QD was revoked and cannot be changed.\n         Send the files again: waybill send …\n',
    );
    expect(bodies).toEqual([]);
  });

  test.each(changes)('%s: one that has expired is refused before a question', async (change) => {
    const { exit, errors, bodies } = await waybill(toWords(change), { replies: ended('expired', null) });
    expect([exit, bodies]).toEqual([4, []]);
    expect(errors).toContain('WB-7F3K-29QD expired at 2030-02-07 12:00 and cannot be changed.\n');
  });

  test.each(['remind', 'resend'])('%s: one that was created with --no-mail sends no mails', async (change) => {
    const replies = { 'GET drops/ID': { ...dropDetails, notify: false } };
    const { exit, errors, bodies } = await waybill(`${change} WB-7F3K-29QD`, { replies });
    expect([exit, bodies]).toEqual([4, []]);
    expect(errors).toBe(
      'waybill: WB-7F3K-29QD was created with --no-mail, so its receivers get no mails.\n         Write to them yourself: their links were printed when it was created.\n',
    );
  });

  test('a link that was revoked is not counted, revoked or mailed again', async () => {
    const [anna, bo] = dropDetails.receivers;
    const replies = {
      'GET drops/ID': { ...dropDetails, receivers: [anna, { ...bo, revoked_at: '2030-02-01T12:00:00.000Z' }] },
    };
    const asked = await waybill('revoke WB-7F3K-29QD', { replies, reply: 'n' });
    expect(asked.errors).toContain('Revoke WB-7F3K-29QD for 1 receiver and delete its files? [y/N]');
    for (const change of ['revoke', 'resend']) {
      const { exit, errors, bodies } = await waybill(`${change} WB-7F3K-29QD --receiver bo@example.com`, { replies });
      expect([exit, bodies]).toEqual([4, []]);
      expect(errors).toContain('The link of bo@example.com to WB-7F3K-29QD was revoked.');
    }
  });
});

describe('waybill contacts', () => {
  test('remove names addresses that are not contacts, after it has removed the others', async () => {
    const { exit, output, errors } = await waybill('contacts remove anna@example.com nobody@example.com');
    expect([exit, output]).toEqual([4, 'Removed 1 contact.\n']);
    expect(errors).toBe(
      'waybill: nobody@example.com is not a contact of this account.\n         To list what exists: waybill contacts list --list local\n',
    );
  });

  test('add --update says so if there was nothing to change', async () => {
    const unchanged = { 'POST contacts/import': { contacts: [{ email: 'bo@example.com', result: 'unchanged' }] } };
    const { output } = await waybill('contacts add --update bo@example.com', { replies: unchanged });
    expect(output).toBe('Nothing to change.\n');
    expect((await waybill('contacts add --update bo@example.com')).output).toBe('Added or changed 1 contact.\n');
  });
});

test('a key with one scope is described in the singular', async () => {
  expect((await waybill('keys create nightly --scope send')).errors).toContain('with the scope send, until');
  const scopes = { 'POST keys': { ...key, scopes: ['send', 'history'], api_key: 'wb_new' } };
  const { errors } = await waybill('keys create nightly --scope send --scope history', { replies: scopes });
  expect(errors).toContain('with the scopes send, history, until');
});
