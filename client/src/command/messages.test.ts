// Every message explains a failure in plain words and says what to do next, and has an exit code.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WaybillError } from '../errors.ts';
import { fakeTerminal } from '../testing/fake-terminal.ts';
import { refuse, WireServer } from '../testing/wire-server.ts';
import { describeError } from './error-report.ts';
import { run } from './run.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-messages-'));
  mkdirSync(join(home, 'folder'));
  mkdirSync(join(home, 'linked'));
  symlinkSync('/etc/passwd', join(home, 'linked/link'));
  writeFileSync(join(home, 'report.pdf'), 'report');
  writeFileSync(join(home, 'broken.json'), '[\n  {"email": "anna@example.org",}\n]');
  writeFileSync(join(home, 'cut.json'), '[{"email"');
  writeFileSync(join(home, 'object.json'), '{}');
  writeFileSync(join(home, 'nobody.json'), '[{"email":"anna@example.org"},{"name":"Bert"}]');
  writeFileSync(join(home, 'twice.json'), '[{"email":"a@example.org"},{"email":"A@example.org"}]');
  writeFileSync(join(home, 'unknown.json'), '[{"email":"anna@example.org","colour":"red"}]');
  writeFileSync(join(home, 'number.json'), '[{"email":"anna@example.org","number":"+46 70"}]');
});
afterEach(() => rmSync(home, { recursive: true }));

/** Terms of the wire, the specification or a validator, which mean nothing to a user. */
const foreignWords =
  /expires_in|"message"|HTTP Basic|CSRF|csrftoken|ETag|Idempotency|Retry-After|\.cgi|ENOENT|EISDIR|ECONN|\n\s+at /;

type Responder = (response: ServerResponse) => void;

interface World {
  respond?: Responder;
  environment?: Record<string, string>;
}

const key = { WAYBILL_API_KEY: 'wb_key' };
const respondNotFound: Responder = (response) => refuse(response, 404, 'not_found');

/** Runs a command that fails, and checks the form of its message. */
async function runFailing(words: string[], { respond = respondNotFound, environment = key }: World = {}) {
  await using server = await WireServer.start((_seen, response) => respond(response));
  const account = { WAYBILL_URL: server.baseUrl, WAYBILL_USER: 'alpha@machines.test', ...environment };
  const terminal = fakeTerminal(home, account);
  const expanded = words.map((word) => word.replace('~', home));
  const exit = await run(terminal, expanded, new AbortController().signal, '1.2.3');
  expect(terminal.errors.text).toMatch(/^waybill: .*[.?)]\n {9}[A-Z].*\n$/);
  expect(terminal.errors.text).not.toMatch(foreignWords);
  return { exit, printed: terminal.errors.text.replaceAll(home, '~') };
}

const refusal =
  (status: number, code: string, message: string): Responder =>
  (response) => {
    // Longer than the client waits, as when a daily limit is reached.
    response.writeHead(status, {
      'Content-Type': 'application/json',
      ...(status === 429 && { 'Retry-After': '86400' }),
    });
    response.end(JSON.stringify({ status: 'error', code, message }));
  };

test.each<[words: string, exit: number, printed: string]>([
  ['send ~/none --to a@example.org', 1, '~/none cannot be read: it does not exist.'],
  ['send ~/folder --to a@example.org', 2, '~/folder contains no files.'],
  [
    'send ~/report.pdf ~/report.pdf --to a@example.org',
    2,
    'Two files are called report.pdf.\n         Rename one of them, or send them separately.\n',
  ],
  [
    'send ~/linked --to a@example.org',
    2,
    '~/linked/link is a symbolic link.\n         Remove it from the folder, or send an archive.\n',
  ],
  [
    'send ~/report.pdf --to a@example.org --name x.pdf',
    2,
    '--name is only for a file that is read from standard input.',
  ],
  ['send - - --to a@example.org', 2, 'Standard input can be sent only once.'],
  ['send ~/report.pdf', 2, 'No receiver was named'],
  ['send ~/report.pdf --to a@example.org --days soon', 2, "'--days <number>' argument 'soon' is invalid."],
  ['send ~/report.pdf --to a@example.org --key ключ', 2, 'Use up to 255 printable ASCII characters.'],
  ['contacts import ~/none', 1, '~/none does not exist.'],
  ['contacts import ~/folder', 1, '~/folder is a folder.'],
  ['contacts import ~/broken.json', 2, '~/broken.json is not JSON: see line 2, column 32.'],
  ['contacts import ~/cut.json', 2, '~/cut.json is not JSON'],
  ['contacts import ~/object.json', 2, '~/object.json is not a list.'],
  ['contacts import ~/nobody.json', 2, '~/nobody.json, contact 2: it has no "email".'],
  ['contacts import ~/number.json', 2, '~/number.json, contact 1: "phone" must be 7 to 15 digits'],
  ['contacts import ~/twice.json', 2, '~/twice.json, contact 2: A@example.org is in the list twice.'],
  ['contacts import ~/unknown.json', 2, '~/unknown.json, contact 1: "colour" is not a field of a contact.'],
  ['contacts add a@example.org --phone +46701234567', 2, 'Use 7 to 15 digits, starting with the country code'],
  ['contacts add a@example.org --language x_y', 2, 'Use a tag such as en or pt-BR.'],
  [
    'send a.txt --too anna@example.com',
    2,
    "Unknown option '--too'. Did you mean --to?\n         See: waybill send --help",
  ],
  [
    'keys create nightly --scopes send',
    2,
    "Unknown option '--scopes'. Did you mean --scope?\n         See: waybill keys create --help",
  ],
  ['contacts ad', 2, "Unknown command 'ad'. Did you mean add?\n         See: waybill contacts --help"],
  [
    'history --receiver a@example.org --external-id x',
    2,
    "Option '--receiver <address>' cannot be used with option '--external-id <text>'.",
  ],
  ['watch ~/none --to a@example.org --once', 1, '~/none does not exist.'],
  ['watch ~/report.pdf --to a@example.org --once', 1, '~/report.pdf is not a folder.'],
  ['pull ~/report.pdf', 1, '~/report.pdf exists already and is not a folder.'],
  ['pull /proc/x', 1, '/proc/x cannot be created.'],
  ['pull /proc/x/y/z', 1, '/proc/x cannot be created.'],
  ['release 123', 4, 'There is no entry 123.\n         To list what exists: waybill inbox --state parked'],
  ['inbox --limit all', 2, 'Use a whole number from 1 to'],
  ['inbox', 4, 'This is not_found.'],
  [
    'login http://files.example.org/waybill/api/v1/ --user a@example.org',
    2,
    'The server’s address does not end in /api/v1. Use http://files.example.org/waybill alone.\n         See: waybill login --help',
  ],
  ['login files.example.org --user a@example.org', 2, '"files.example.org" is not a server’s address.'],
  ['login http://files.example.org --user a@example.org', 2, 'To allow it: waybill login --plain-http'],
  ['login https://files.example.org --user anna', 2, '"anna" is not a valid e-mail address.'],
  ['login https://files.example.org --user a@example.org', 2, 'Nothing was entered.'],
])('%s', async (words, exit, printed) => {
  const failed = await runFailing(words.split(' '));
  expect(failed.printed).toContain(printed);
  expect(failed.exit).toBe(exit);
});

test('a file for the key that does not exist', async () => {
  const { exit, printed } = await runFailing(['inbox'], { environment: { WAYBILL_API_KEY_FILE: '/none' } });
  expect(printed).toBe('waybill: /none does not exist.\n         Correct WAYBILL_API_KEY_FILE.\n');
  expect(exit).toBe(3);
});

test.each<[status: number, code: string, message: string, exit: number, printed: string]>([
  [400, 'invalid_input', '"expires_in" must be at most 2592000.', 4, '--days must be at most 2592000.'],
  [400, 'invalid_input', '"message" must have at most 20000 characters.', 4, '--message must have at most 20000'],
  [
    401,
    'unauthorized',
    'Send the account address with HTTP Basic authentication.',
    3,
    'does not accept this account and key',
  ],
  [422, 'infected', 'The virus scanner refused the file; nothing was kept.', 7, 'Do not send this file.'],
  [429, 'daily_limit', 'The account may make 5 dispatches a day.', 5, 'Run the same command again tomorrow'],
  [507, 'storage_full', 'The account may store 1000 bytes.', 4, 'The account may store 1000 bytes.'],
  [
    403,
    'scope_missing',
    'The key needs the scope history.',
    4,
    'The key needs the scope history.\n         Use another key',
  ],
  [
    403,
    'network_not_allowed',
    'The key may not be used from this address.',
    4,
    'Run the command in one of the networks',
  ],
  [403, 'recipient_not_allowed', 'The account may not send to a@x.org.', 4, 'Choose another receiver'],
  [500, 'damaged', 'The stored file failed its integrity check.', 6, 'Contact the administrator of the server.'],
  [500, 'internal', 'Give the administrator the X-Request-Id.', 1, 'The server encountered an unexpected error.'],
  [
    409,
    'idempotency_key_reused',
    'This Idempotency-Key was used.',
    4,
    'The --key was used for another send or request',
  ],
])('%i %s', async (status, code, message, exit, printed) => {
  const failed = await runFailing(['request', '--to', 'a@example.org'], { respond: refusal(status, code, message) });
  expect(failed.printed).toContain(printed);
  expect(failed.exit).toBe(exit);
});

test('networks that a new key may not have are not those of this machine', () => {
  const message = 'The new key may only be for addresses from which your key works.';
  expect(describeError(new WaybillError('network_not_allowed', message))).toMatchObject({
    exit: 4,
    message,
    next: 'Choose networks within those of your key: waybill whoami',
  });
});

test('names each of several faults', () => {
  const faults = ['This one.', 'That one.'].map((detail) => ({
    pointer: '/receivers/0',
    code: 'invalid_input',
    detail,
  }));
  const { message } = describeError(new WaybillError('invalid_input', '2 parts are wrong.', { faults }));
  expect(message).toBe('2 parts are wrong; nothing was changed:\nThis one.\nThat one.');
});

test.each<[what: string, error: WaybillError, message: string, next: string]>([
  [
    'an account that may send only to certain domains',
    new WaybillError(
      'recipient_not_allowed',
      'The account may send only to certain domains, so it does not get links itself. Leave out "notify": false, so that receivers get a mail, or ask the administrator.',
    ),
    'Your account may send only to certain domains, so it does not get links itself.',
    'Leave out --no-mail, so that receivers get a mail, or ask the administrator.',
  ],
  [
    'a receiver without a phone number',
    new WaybillError('invalid_input', 'bo@example.com has no phone number for the code by SMS.'),
    'bo@example.com has no phone number for the code by SMS.',
    'Add it: waybill contacts add --update bo@example.com --phone …',
  ],
  [
    'a file that is too large',
    new WaybillError('too_large', 'film.mp4 is too large.', { maxSize: 1e9 }),
    'film.mp4 is too large.',
    'Your account accepts files of up to 1.0 GB. Send it in smaller parts, or ask the administrator for a higher limit.',
  ],
  [
    'more files than a drop may have',
    new WaybillError('too_many_files', 'A drop can have at most 1000 files. Send an archive of drawings instead.'),
    'A drop can have at most 1000 files.',
    'Send an archive of drawings instead.',
  ],
  [
    'an account without kept messages',
    new WaybillError('not_found', 'Only a test account has kept messages. Use a test key of the account.', {
      status: 404,
    }),
    'Only a test account has kept messages.',
    'Use a test key of the account.',
  ],
  [
    'a server that is at another path',
    new WaybillError('not_found', 'There is nothing at this path. Compare it with the reference.', { status: 404 }),
    'There is no API of Waybill at this address.',
    'Check the server’s address and its path, then log in again: waybill login URL',
  ],
  [
    'a receiver who is no test address',
    new WaybillError(
      'recipient_not_allowed',
      'a@example.com is no test address. A test account sends only to addresses such as anna@test.example.org. Use such an address, or a live key.',
      { status: 400 },
    ),
    'a@example.com is no test address. A test account sends only to addresses such as anna@test.example.org.',
    'Use such an address, or a live key.',
  ],
  [
    'a link that is not whole',
    new WaybillError(
      'invalid_argument',
      'The link is not complete. Copy it from the mail, such as https://files.example.org/d/ and the 43 characters after it.',
    ),
    'The link is not complete.',
    'Copy it from the mail, such as https://files.example.org/d/ and the 43 characters after it.',
  ],
  [
    'an upload that was used before',
    new WaybillError('not_found', 'An earlier call with this key uploaded the file, which was then sent or removed.'),
    'An earlier call with this key uploaded the file, which was then sent or removed.',
    'Use another --key.',
  ],
  [
    'a stream that would have to be read again',
    new WaybillError('source_failed', 'stdin can be read only once. Send it again with another idempotency key.'),
    'stdin can be read only once.',
    'Send it again with another --key.',
  ],
  [
    'an address',
    new WaybillError('invalid_input', '"anna" is not an e-mail address we can use.'),
    '"anna" is not a valid e-mail address.',
    'Correct the value and run the command again.',
  ],
])('%s', (_what, error, message, next) => {
  expect(describeError(error)).toMatchObject({ message, next });
});

test('times in messages of the server are printed like all others', async () => {
  vi.stubEnv('TZ', 'UTC');
  const respond = refusal(
    400,
    'invalid_input',
    'Choose a time after 2030-01-31T12:00:03.123Z, which is the deadline now.',
  );
  const { printed } = await runFailing(['request', '--to', 'a@example.org'], { respond });
  vi.unstubAllEnvs();
  expect(printed).toContain('Choose a time after 2030-01-31 12:00, which is the deadline now.');
});

test('the host that a server does not serve is named', async () => {
  const { printed } = await runFailing(['inbox'], { respond: refusal(421, 'wrong_host', 'Not here.') });
  expect(printed).toMatch(/The server does not serve the host name 127\.0\.0\.1:\d+\./);
});

test('a server without TLS is not tried again', async () => {
  await using server = await WireServer.start();
  const url = server.baseUrl.replace('http:', 'https:');
  const environment = { WAYBILL_URL: url, WAYBILL_USER: 'a@example.org', WAYBILL_API_KEY: 'wb_key' };
  const terminal = fakeTerminal(home, environment);
  terminal.errors.isTTY = true;
  expect(await run(terminal, ['inbox'], new AbortController().signal, '1.2.3')).toBe(1);
  const { host } = new URL(url);
  expect(terminal.errors.text).toBe(`waybill: ${host} does not speak TLS.\n         Use http://, or the right port.\n`);
});

test('a server that cannot be reached is named', async () => {
  const terminal = fakeTerminal(home, {}, 'wb_key\n');
  const words = ['login', 'http://127.0.0.1:1', '--user', 'a@example.org'];
  expect(await run(terminal, words, new AbortController().signal, '1.2.3')).toBe(5);
  expect(terminal.errors.text).toBe(
    '127.0.0.1:1 cannot be reached: the connection was refused. Trying again …\n' +
      'waybill: 127.0.0.1:1 cannot be reached: the connection was refused.\n' +
      '         Check the server’s address and the network, then run the command again.\n',
  );
});
