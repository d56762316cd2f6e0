// File names that have a meaning for a file system, a browser or a terminal.
import { beforeAll, describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { type AttackRow, attackTable, type Victim } from '../lib/attack-table.ts';
import type { Client } from '../lib/http/client.ts';
import { assertErrorResponse, assertStatus } from '../lib/http/expect.ts';
import { field, multipart, type Part } from '../lib/http/multipart.ts';

const badNames: [why: string, name: string][] = [
  ['a parent folder', '../evil.txt'],
  ['many parent folders', '../../../../etc/passwd'],
  ['a folder', 'folder/evil.txt'],
  ['an absolute path', '/etc/passwd'],
  ['a backslash', '..\\evil.txt'],
  ['a drive and a path', 'C:\\evil.txt'],
  ['a drive letter', 'C:evil.txt'],
  ['a share', '\\\\server\\share\\evil.txt'],
  ['one dot', '.'],
  ['two dots', '..'],
  ['nothing', ''],
  ['256 bytes', 'x'.repeat(256)],
  ['256 bytes in 128 letters', 'é'.repeat(128)],
  ['a NUL', 'evil.txt\0.png'],
  ['a tab', 'evil\t.txt'],
  ['an escape', 'evil\u001b[2J.txt'],
  ['a delete', 'evil\u007f.txt'],
  ['a C1 control', 'evil\u0085.txt'],
  ['a right-to-left override', 'evil\u202etxt.exe'],
  ['a left-to-right embedding', 'evil\u202a.txt'],
  ['a right-to-left isolate', 'evil\u2067.txt'],
  ['a right-to-left mark', 'evil\u200f.txt'],
  ['an Arabic letter mark', 'evil\u061c.txt'],
  ['a line separator', 'evil\u2028.txt'],
  ['a paragraph separator', 'evil\u2029.txt'],
];

const disposition = (filename: string | Buffer): Part => ({
  headers: [Buffer.concat([Buffer.from('Content-Disposition: form-data; name="file"; '), Buffer.from(filename)])],
  content: 'planted',
});

const upload = (filename: string | Buffer) => (victim: Victim) =>
  victim.client.uploadBody(multipart([field('do', 'upload'), disposition(filename)]));

const bytes = (...pieces: (string | number[])[]) => Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));

const refused = (name: string, send: AttackRow['send']): AttackRow => ({
  name,
  send,
  status: 400,
  // The parser refuses some of these before they become a name.
  code: ['invalid_name', 'malformed_request', 'invalid_input'],
});

attackTable('uploading a file called', [
  // A backslash has to be escaped in a quoted string; a parser that does not unescape it sees two, which is no better.
  ...badNames.map(([why, name]) => refused(why, upload(`filename="${name.replaceAll('\\', '\\\\')}"`))),
  refused('a backslash, as browsers send it', upload('filename="..\\evil.txt"')),
  refused('a line break', upload('filename="evil\r\nX-Evil: 1.txt"')),
  refused('bytes that are not UTF-8', upload(bytes('filename="evil', [0xff, 0xfe], '.txt"'))),
  refused('a lone surrogate', upload(bytes('filename="evil', [0xed, 0xa0, 0x80], '.txt"'))),
  refused('an overlong slash', upload(bytes('filename="..', [0xc0, 0xaf], 'evil.txt"'))),
  refused('two names that differ', upload(`filename="good.txt"; filename*=UTF-8''evil.txt`)),
  refused('two names, the second one a path', upload(`filename="good.txt"; filename*=UTF-8''..%2Fevil.txt`)),
  refused('two names by the same parameter', upload('filename="good.txt"; filename="evil.txt"')),
]);

attackTable('removing a file called', [
  ...badNames.map(([why, name]) => refused(why, ({ client }) => client.removeFile(name))),
  refused('an encoded lone surrogate', ({ client }) => client.get('cgi/remove_file.cgi?filename=evil%ED%A0%80.txt')),
  refused('bytes that are not UTF-8', ({ client }) => client.get('cgi/remove_file.cgi?filename=evil%FF.txt')),
  refused('a broken escape', ({ client }) => client.get('cgi/remove_file.cgi?filename=evil%2')),
  refused('two names at once', ({ client }) =>
    client.get('cgi/remove_file.cgi?filename=staged.txt&filename=other.txt'),
  ),
  refused('a parameter nobody knows', ({ client }) => client.get('cgi/remove_file.cgi?filename=staged.txt&force=1')),
]);

const notThere = (name: string, send: AttackRow['send']): AttackRow => ({ name, send, status: 404, code: 'not_found' });

attackTable('a name that is looked up is never interpreted', [
  {
    name: 'an escape of an escape',
    // It does not exist; or the name is never allowed, because another program would decode it once more.
    status: [400, 404],
    code: ['invalid_name', 'not_found'],
    send: ({ client }) => client.get('cgi/remove_file.cgi?filename=%252e%252e%252fstaged.txt'),
  },
  notThere('a wildcard', ({ client }) => client.removeFile('staged%')),
  notThere('another wildcard', ({ client }) => client.removeFile('*')),
  notThere('another case', ({ client }) => client.removeFile('STAGED.TXT')),
  notThere('a trailing space', ({ client }) => client.removeFile('staged.txt ')),
  notThere('a property of every object', ({ client }) => client.removeFile('__proto__')),
  notThere('the constructor', ({ client }) => client.removeFile('constructor')),
  notThere('SQL', ({ client }) => client.removeFile("x' OR name LIKE '%")),
]);

const download = (name: string, tail: string): AttackRow => ({
  name,
  status: [400, 404],
  code: ['invalid_name', 'malformed_request', 'invalid_input', 'not_found'],
  send: ({ client, inbox }) => client.get(`${inbox.url}/files/${tail}`),
});

attackTable('downloading a path of', [
  download('dots', '../../../../etc/passwd'),
  download('encoded slashes', '..%2f..%2f..%2fetc%2fpasswd'),
  download('encoded dots', '%2e%2e/%2e%2e/etc/passwd'),
  download('twice encoded dots', '%252e%252e%252fetc%252fpasswd'),
  download('encoded backslashes', '..%5c..%5cetc%5cpasswd'),
  download('the right name behind a detour', '../files/received.txt'),
  download('the right name behind a dot', './received.txt'),
  download('the right name behind two slashes', '/received.txt'),
  download('the right name with a NUL', 'received.txt%00'),
  download('the right name with a matrix parameter', 'received.txt;x=1'),
  download('no name at all', ''),
  download('a broken escape', 'received.txt%'),
  download('bytes that are not UTF-8', 'received%ff.txt'),
]);

const detours: [name: string, path: (victim: Victim) => string][] = [
  ['dots', (v) => `/${v.sender.user}/../${v.client.user}/cgi/contacts_read.cgi`],
  ['encoded dots', (v) => `/${v.sender.user}/%2e%2e/${v.client.user}/cgi/contacts_read.cgi`],
  ['an encoded slash', (v) => `/${v.client.user}%2fcgi/contacts_read.cgi`],
  ['two slashes', (v) => `//${v.client.user}/cgi/contacts_read.cgi`],
  ['a NUL', (v) => `/${v.client.user}%00/cgi/contacts_read.cgi`],
];

attackTable(
  'a path to an operation that takes a detour by',
  detours.map(([name, path]) => ({
    name,
    status: [400, 403, 404],
    code: ['malformed_request', 'wrong_account', 'not_found', 'invalid_name', 'invalid_input'],
    send: (victim) => victim.client.plain('GET', path(victim), { headers: { 'CSRF-Token': victim.token } }),
  })),
);

describe('a harmless name that looks dangerous', () => {
  let account: Client;

  beforeAll(async () => {
    account = await freshClient('harmless');
  });

  for (const [draft, name] of [
    ['html', '<img src=x onerror=alert(1)>.txt'],
    ['template', '{{7*7}}${7*7}.txt'],
    ['constructor', 'constructor'],
    ['tostring', 'toString'],
    ['shell', '$(id);`id`|id.txt'],
    ['device', 'CON'],
  ] as const) {
    test(`${name} is kept as it is`, async () => {
      const client = account.inDraft(draft);
      assertStatus(await client.upload({ name, content: 'data' }), 'done');
      expect((await client.readFiles()).map((file) => file.name)).toEqual([name]);
    });
  }

  test('a percent-encoded path is refused or kept as it is, but never decoded', async () => {
    const client = account.inDraft('percent');
    const response = await client.upload({ name: '..%2f..%2fevil.txt', content: 'data' });
    const names = (await client.readFiles()).map((file) => file.name);
    if (response.status === 400) {
      assertErrorResponse(response, 400, 'invalid_name');
      expect(names).toEqual([]);
    } else {
      assertStatus(response, 'done');
      expect(names).toEqual(['..%2f..%2fevil.txt']);
    }
  });

  test('equal filename and filename* are one name', async () => {
    const client = account.inDraft('agreeing');
    const part = disposition(`filename="na\u00efve.txt"; filename*=UTF-8''na%C3%AFve.txt`);
    assertStatus(await client.uploadBody(multipart([field('do', 'upload'), part])), 'done');
    expect((await client.readFiles()).map((file) => file.name)).toEqual(['na\u00efve.txt']);
  });
});
