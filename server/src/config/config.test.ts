import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, configTable, inspectConfig, readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function inFile(text: string): string {
  const path = join(folder, `${Math.random()}`);
  writeFileSync(path, text, { mode: 0o640 });
  return path;
}

const pepper = Buffer.alloc(32, 5).toString('base64');
const complete = {
  WAYBILL_PUBLIC_URL: 'https://files.example.org',
  WAYBILL_DATABASE_URL: 'postgres://localhost/waybill',
  WAYBILL_REDIS_URL: 'redis://localhost',
  WAYBILL_S3_ENDPOINT: 'http://localhost:7480',
  WAYBILL_S3_BUCKET: 'waybill',
  WAYBILL_S3_ACCESS_KEY_ID: 'id',
  WAYBILL_S3_SECRET_ACCESS_KEY: 'secret',
  WAYBILL_MASTER_KEY_FILE: '/etc/waybill/master-keys',
  WAYBILL_KEY_PEPPER: pepper,
  WAYBILL_SMTP_URL: 'smtp://localhost',
  WAYBILL_MAIL_FROM: 'waybill@example.org',
};

function findProblems(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n').slice(1);
    throw error;
  }
  return [];
}

test('a complete environment, and the defaults of what is not set', () => {
  const config = readConfig({ ...complete, PATH: '/bin' });
  expect(config).toMatchObject({
    WAYBILL_PUBLIC_URL: 'https://files.example.org',
    WAYBILL_LISTEN: { host: '127.0.0.1', port: 8080 },
    WAYBILL_PROBES_LISTEN: undefined,
    WAYBILL_WORK_PROBES_LISTEN: undefined,
    WAYBILL_OTLP_URL: undefined,
    WAYBILL_TRACE_RATIO: 1,
    WAYBILL_ALLOWED_HOSTS: [],
    WAYBILL_TRUSTED_PROXIES: [],
    WAYBILL_SCAN: 'required',
    WAYBILL_LIFETIME_UNIT: 'days',
    WAYBILL_LIFETIME_MAX: 30,
    WAYBILL_LIFETIME_DEFAULT: 7,
    WAYBILL_CSRF_LIFETIME_SECONDS: 900,
    WAYBILL_LOG_LEVEL: 'info',
    WAYBILL_SMS_URL: undefined,
    WAYBILL_SMS_FROM: 'Waybill',
    WAYBILL_FAILPOINT: '',
  });
  expect(config.WAYBILL_KEY_PEPPER).toEqual(Buffer.alloc(32, 5));
});

test('a configuration cannot be changed afterwards', () => {
  const config = readConfig(complete);
  expect(Object.isFrozen(config)).toBe(true);
  expect(() => Object.assign(config, { WAYBILL_SCAN: 'off' })).toThrow(TypeError);
});

test('nothing that must stay secret has a default, unless it is not needed', () => {
  const secrets = Object.entries(configTable).filter(([, setting]) => setting.secret);
  expect(secrets.length).toBeGreaterThan(3);
  for (const [, setting] of secrets) expect(setting.default ?? '').toBe('');
});

test.each([
  ['vault', ['WAYBILL_VAULT_KEY', 'WAYBILL_VAULT_TOKEN_FILE']],
  ['aws-kms', ['WAYBILL_KMS_KEYS']],
])('master keys by %s need their settings, and no key file', (where, names) => {
  const { WAYBILL_MASTER_KEY_FILE: _, ...rest } = complete;
  const problems = findProblems({ ...rest, WAYBILL_MASTER_KEYS: where });
  expect(problems).toEqual(names.map((name) => expect.stringContaining(`${name} is not set`)));
});

test('the keys of Vault and KMS are given by their addresses', () => {
  const arn = 'arn:aws:kms:eu-north-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
  const { values, problems } = inspectConfig({ ...complete, WAYBILL_KMS_KEYS: `2:${arn}, 1:${arn}` });
  expect(problems).toEqual([]);
  expect(values.WAYBILL_KMS_KEYS).toEqual([
    { version: 2, arn },
    { version: 1, arn },
  ]);
  const wrong = { WAYBILL_KMS_KEYS: 'alias/waybill', WAYBILL_VAULT_KEY: 'https://vault.example.org/v1/transit' };
  expect(findProblems({ ...complete, ...wrong })).toHaveLength(2);
});

test('every problem is reported at once', () => {
  const problems = findProblems({ WAYBILL_LISTEN: 'nowhere', WAYBILL_SCAN: 'sometimes', WAYBILL_PUBLC_URL: 'x' });
  for (const name of Object.keys(complete))
    expect(problems.filter((line) => line.includes(`${name} is not set`))).toHaveLength(1);
  expect(problems).toContainEqual(expect.stringContaining('WAYBILL_LISTEN is HOST:PORT'));
  expect(problems).toContainEqual(expect.stringContaining('WAYBILL_SCAN is one of required, best-effort, off'));
  expect(problems).toContainEqual(expect.stringContaining('WAYBILL_PUBLC_URL is not a setting'));
  expect(problems).toHaveLength(Object.keys(complete).length + 3);
});

test('the variables of the client are not the server’s business, and no others are ignored', () => {
  const client = ['WAYBILL_URL', 'WAYBILL_USER', 'WAYBILL_API_KEY', 'WAYBILL_API_KEY_FILE', 'WAYBILL_ACCOUNT_FILE'];
  const names = Object.fromEntries([...client, 'WAYBILL_PLAIN_HTTP'].map((name) => [name, 'x']));
  expect(findProblems({ ...complete, ...names })).toEqual([]);
  expect(findProblems({ ...complete, WAYBILL_URLS: 'x' })).toEqual([
    expect.stringContaining('WAYBILL_URLS is not a setting'),
  ]);
});

describe('a secret in a file', () => {
  const { WAYBILL_KEY_PEPPER: _, ...rest } = complete;

  test('is read without the line’s end', () => {
    const config = readConfig({ ...rest, WAYBILL_KEY_PEPPER_FILE: inFile(`${pepper}\n`) });
    expect(config.WAYBILL_KEY_PEPPER).toEqual(Buffer.alloc(32, 5));
  });

  test('that is empty counts as not set', () => {
    expect(findProblems({ ...rest, WAYBILL_KEY_PEPPER_FILE: inFile('\n') })).toEqual([
      expect.stringContaining('WAYBILL_KEY_PEPPER is not set (nor WAYBILL_KEY_PEPPER_FILE)'),
    ]);
  });

  test('that is not there is a problem like any other', () => {
    expect(findProblems({ ...rest, WAYBILL_KEY_PEPPER_FILE: join(folder, 'missing') })).toEqual([
      expect.stringMatching(/WAYBILL_KEY_PEPPER .*ENOENT/),
    ]);
  });

  test('that every user can read is refused, and says how to close it', () => {
    const path = inFile(`${pepper}\n`);
    chmodSync(path, 0o644);
    expect(findProblems({ ...rest, WAYBILL_KEY_PEPPER_FILE: path })).toEqual([
      expect.stringContaining(`Run: chmod o= ${path}`),
    ]);
  });

  test('is only taken for a secret: elsewhere the name is misspelt', () => {
    expect(findProblems({ ...complete, WAYBILL_SCAN_FILE: inFile('off') })).toEqual([
      expect.stringContaining('WAYBILL_SCAN_FILE is not a setting'),
    ]);
  });
});

test('no problem shows a secret', () => {
  const environment = {
    ...complete,
    WAYBILL_KEY_PEPPER: 'c2hvcnQ=',
    WAYBILL_SMS_URL: 'http://user:hidden@sms.example.org:port',
    WAYBILL_SCAN: 'x',
    WAYBILL_SMTP_URL: 'mail://user:hidden@mail.example.org',
  };
  expect(findProblems(environment)).toHaveLength(4);
  for (const shown of findProblems(environment)) expect(shown).not.toMatch(/c2hvcnQ=|hidden/);
});

describe('refuses', () => {
  test.each([
    ['WAYBILL_PUBLIC_URL', 'files.example.org'],
    ['WAYBILL_PUBLIC_URL', 'https://files.example.org/'],
    ['WAYBILL_PUBLIC_URL', 'https://files.example.org/path'],
    ['WAYBILL_PUBLIC_URL', 'https://files.example.org?x'],
    ['WAYBILL_PUBLIC_URL', 'ftp://files.example.org'],
    ['WAYBILL_PUBLIC_URL', ''],
    ['WAYBILL_LISTEN', '8080'],
    ['WAYBILL_LISTEN', 'localhost:65536'],
    ['WAYBILL_LISTEN', '::1:8080'],
    ['WAYBILL_LISTEN', '[::g]:8080'],
    ['WAYBILL_DATABASE_CONNECTIONS', '1'],
    ['WAYBILL_DATABASE_CONNECTIONS', '1e2'],
    ['WAYBILL_DATABASE_CONNECTIONS', '-5'],
    ['WAYBILL_DATABASE_CONNECTIONS', '5.5'],
    ['WAYBILL_DATABASE_CONNECTIONS', ''],
    ['WAYBILL_LIFETIME_UNIT', 'weeks'],
    ['WAYBILL_KEY_PEPPER', Buffer.alloc(31).toString('base64')],
    ['WAYBILL_LOG_LEVEL', 'verbose'],
    ['WAYBILL_WEBHOOK_ALLOW', 'intranet.example.org'],
    ['WAYBILL_WEBHOOK_ALLOW', '10.0.0.0/8, 10.0.0.0/33'],
    ['WAYBILL_WEBHOOK_ALLOW', 'fd00::/129'],
    ['WAYBILL_WEBHOOK_ALLOW', '10.0.0.0/'],
    ['WAYBILL_WEBHOOK_HTTP', 'yes'],
    ['WAYBILL_SMS_URL', 'sms.example.org'],
    ['WAYBILL_SMS_URL', 'smpp://user:password@sms.example.org'],
    ['WAYBILL_SMS_URL', 'http://sms.example.org/cgi-bin/sendsms'],
    ['WAYBILL_SMS_URL', 'http://user@sms.example.org/cgi-bin/sendsms'],
    ['WAYBILL_SMS_URL', 'http://user:%zz@sms.example.org/cgi-bin/sendsms'],
    ['WAYBILL_SMS_URL', 'http://user:a%0d%0ab@sms.example.org/cgi-bin/sendsms'],
    ['WAYBILL_SMS_URL', 'http://user:lösen@sms.example.org/cgi-bin/sendsms'],
    ['WAYBILL_SMS_URL', 'http://user:password@sms.example.org/cgi-bin/sendsms?from=x'],
    ['WAYBILL_DATABASE_URL', 'localhost'],
    ['WAYBILL_DATABASE_URL', 'mysql://localhost/waybill'],
    ['WAYBILL_REDIS_URL', 'localhost:6379'],
    ['WAYBILL_S3_ENDPOINT', 's3.example.org'],
    ['WAYBILL_S3_ENDPOINT', 's3://bucket'],
    ['WAYBILL_SMTP_URL', 'mail.example.org:25'],
    ['WAYBILL_SMTP_URL', 'smtp//mail.example.org'],
    ['WAYBILL_SMTP_URL', 'smtp://'],
    ['WAYBILL_MAIL_FROM', 'waybill'],
    ['WAYBILL_MAIL_FROM', 'waybill@'],
    ['WAYBILL_MAIL_FROM', 'a@b.example, c@d.example'],
    ['WAYBILL_MAIL_FROM', 'Waybill <waybill@files.example.org'],
    ['WAYBILL_BOUNCE_ADDRESS', 'bounces'],
    ['WAYBILL_BOUNCE_ADDRESS', 'twelve-chars@example.org'],
    ['WAYBILL_BOUNCE_ADDRESS', 'a+b@example.org'],
    ['WAYBILL_BOUNCE_MAILDIR', '/var/mail/bounces'],
    ['WAYBILL_TLS_CERTIFICATE_FILE', '/etc/waybill/tls/fullchain.pem'],
    ['WAYBILL_TLS_KEY_FILE', '/etc/waybill/tls/privkey.pem'],
    ['WAYBILL_STOP_SECONDS', '-1'],
    ['WAYBILL_OTLP_URL', '127.0.0.1:4318'],
    ['WAYBILL_TRACE_RATIO', '1.1'],
    ['WAYBILL_TRACE_RATIO', '10%'],
    ['WAYBILL_TRACE_RATIO', ''],
    ['WAYBILL_SMS_FROM', ''],
    ['WAYBILL_SMS_FROM', 'TwelveLetter'],
    ['WAYBILL_SMS_FROM', '1234567890123456'],
    ['WAYBILL_SMS_FROM', 'Way bill'],
    ['WAYBILL_SMS_FROM', 'Zoë'],
  ])('%s=%s', (name, value) => {
    expect(findProblems({ ...complete, [name]: value })).toEqual([expect.stringContaining(name)]);
  });

  test('a default time beyond the longest', () => {
    expect(findProblems({ ...complete, WAYBILL_LIFETIME_MAX: '5' })).toEqual([
      expect.stringContaining('WAYBILL_LIFETIME_DEFAULT is larger than WAYBILL_LIFETIME_MAX'),
    ]);
  });
});

test.each([
  ['WAYBILL_LISTEN', '[::1]:8080', { host: '::1', port: 8080 }],
  ['WAYBILL_PROBES_LISTEN', 'localhost:0', { host: 'localhost', port: 0 }],
  ['WAYBILL_WORK_PROBES_LISTEN', '[::]:8082', { host: '::', port: 8082 }],
  ['WAYBILL_OTLP_URL', 'http://127.0.0.1:4318/v1/traces', 'http://127.0.0.1:4318/v1/traces'],
  ['WAYBILL_TRACE_RATIO', '0.05', 0.05],
  ['WAYBILL_ALLOWED_HOSTS', ' A.example:81 ,b.example,, ', ['a.example:81', 'b.example']],
  ['WAYBILL_MAX_FILE_BYTES', '70368744177664', 70_368_744_177_664],
  ['WAYBILL_DATABASE_URL', 'postgres:///waybill?host=/run/postgresql', 'postgres:///waybill?host=/run/postgresql'],
  ['WAYBILL_REDIS_URL', '/run/valkey.sock', '/run/valkey.sock'],
  ['WAYBILL_SMTP_URL', 'smtps://me:secret@mail.example.org', 'smtps://me:secret@mail.example.org'],
  [
    'WAYBILL_SMS_URL',
    'http://me:p%40ss%3Aword@sms.example.org:13013/cgi-bin/sendsms',
    { address: 'http://sms.example.org:13013/cgi-bin/sendsms', username: 'me', password: 'p@ss:word' },
  ],
  ['WAYBILL_BOUNCE_ADDRESS', 'elevenchars@example.org', 'elevenchars@example.org'],
  ['WAYBILL_SMS_FROM', 'ElevenChars', 'ElevenChars'],
  ['WAYBILL_SMS_FROM', '467012345678901', '467012345678901'],
])('%s=%s is read', (name, text, value) => {
  expect(readConfig({ ...complete, [name]: text })).toHaveProperty(name, value);
});

test.each([
  ['logo.svg', '<svg/>', true],
  ['logo.png', Buffer.from('89504e470d0a1a0a0000000d49484452000000c80000003200', 'hex'), true],
  ['logo.png', '<svg/>', false],
  ['logo.png', Buffer.from('89504e470d0a1a0a0000000d49484452000000000000000000', 'hex'), false],
])('a logo is an image of the kind that its name says (%#)', (name, content, isAccepted) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  const { problems } = inspectConfig({ ...complete, WAYBILL_OPERATOR_LOGO: path });
  expect(problems.map((problem) => JSON.stringify(problem))).toEqual(
    isAccepted ? [] : [expect.stringContaining('is a PNG if its name ends in .png')],
  );
});

test('networks that webhooks may be sent to are listed', () => {
  const { values, problems } = inspectConfig({
    ...complete,
    WAYBILL_WEBHOOK_ALLOW: '10.1.0.0/16, 192.0.2.7, FD00::/8',
  });
  expect(problems).toEqual([]);
  expect(values.WAYBILL_WEBHOOK_ALLOW).toEqual(['10.1.0.0/16', '192.0.2.7', 'fd00::/8']);
});

test('the targets of the audit', () => {
  const read = (settings: Record<string, string>) => readConfig({ ...complete, ...settings });
  const syslog = (url: string) => read({ WAYBILL_AUDIT_SYSLOG_URL: url }).WAYBILL_AUDIT_SYSLOG_URL;
  expect(syslog('')).toBeUndefined();
  expect(syslog('syslog+tls://log.example.org')).toEqual({ host: 'log.example.org', port: 6514 });
  expect(syslog('syslog+tls://[2001:db8::1]:1514/')).toEqual({ host: '2001:db8::1', port: 1514 });
  const refused = {
    WAYBILL_AUDIT_SYSLOG_URL: ['syslog://log.example.org', 'syslog+tls://', 'syslog+tls://h:99999', 'syslog+tls://u@h'],
    WAYBILL_AUDIT_HTTPS_URL: ['http://siem.example.org', 'https://user:secret@siem.example.org', 'siem'],
    WAYBILL_AUDIT_HTTPS_AUTHORIZATION: ['Bearer secret\nx: y', ' Bearer secret', 'Bearer sécret'],
  };
  for (const [name, values] of Object.entries(refused)) {
    for (const value of values) {
      const [problem = ''] = findProblems({ ...complete, [name]: value });
      expect(problem).toContain(`${name} is `);
      expect(problem).not.toMatch(/s[eé]cret/);
    }
  }
  expect(findProblems({ ...complete, WAYBILL_AUDIT_KEY_FILE: 'key.pem' })).toEqual([
    '  WAYBILL_AUDIT_CERTIFICATE_FILE and WAYBILL_AUDIT_KEY_FILE are set together, or not at all.',
  ]);
});
