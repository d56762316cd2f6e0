import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/**
 * The environment as one frozen, validated Config. This is the only reader of process.env, and the table below is the
 * only place that names a setting: docs/configuration.md is made from it.
 */
const settings = {
  WAYBILL_PUBLIC_URL: {
    about: 'The address people and machines use, without a trailing slash. Links in mails start with it.',
    parse: publicUrl,
  },
  WAYBILL_ALLOWED_HOSTS: {
    about: 'Further host names (with port, where not the default) this server answers for; comma-separated.',
    default: '',
    parse: list,
  },
  WAYBILL_LISTEN: { about: 'Where `serve` listens: HOST:PORT.', default: '127.0.0.1:8080', parse: hostAndPort },
  WAYBILL_CONSOLE_LISTEN: {
    about:
      'Where `serve` answers /healthz and /readyz, for administrators and load balancers: HOST:PORT. Empty: nowhere.',
    default: '',
    parse: (value: string) => (value === '' ? undefined : hostAndPort(value)),
  },
  WAYBILL_TRUSTED_PROXIES: {
    about: 'Addresses or networks (CIDR) whose X-Forwarded-For is believed; comma-separated. Empty: nobody’s.',
    default: '',
    parse: list,
  },
  WAYBILL_DATABASE_URL: {
    about: 'PostgreSQL: postgres://USER:PASSWORD@HOST:PORT/DATABASE.',
    secret: true,
    parse: address('postgres', 'postgresql'),
  },
  WAYBILL_DATABASE_CONNECTIONS: {
    about: 'The maximum number of connections that a process opens to PostgreSQL. `work` needs at least 5.',
    default: '10',
    parse: integer(2, 1000),
  },
  WAYBILL_REDIS_URL: {
    about: 'Valkey or Redis: redis://HOST:PORT, rediss:// with TLS, or the path of its socket.',
    secret: true,
    parse: redisAddress,
  },
  WAYBILL_S3_ENDPOINT: { about: 'The S3 server: http(s)://HOST:PORT.', parse: address('http', 'https') },
  WAYBILL_S3_REGION: { about: 'The S3 region.', default: 'us-east-1', parse: text },
  WAYBILL_S3_BUCKET: { about: 'The bucket that holds the sealed bytes. It must exist.', parse: text },
  WAYBILL_S3_ACCESS_KEY_ID: { about: 'The S3 access key.', parse: text },
  WAYBILL_S3_SECRET_ACCESS_KEY: { about: 'The S3 secret key.', secret: true, parse: text },
  WAYBILL_MASTER_KEY_FILE: {
    about: 'A file of master keys, one per line: VERSION:BASE64 OF 32 BYTES. The first line seals; keep the others.',
    parse: text,
  },
  WAYBILL_KEY_PEPPER: {
    about: 'At least 32 bytes in base64, kept outside the database: without it a stolen database verifies no API key.',
    secret: true,
    parse: pepper,
  },
  WAYBILL_CLAMD: { about: 'clamd: HOST:PORT or the path of its socket.', default: '127.0.0.1:3310', parse: text },
  WAYBILL_SCAN: {
    about:
      'Virus scan. required: what cannot be scanned is refused. best-effort: it is taken and marked unscanned. off: nothing is scanned.',
    default: 'required',
    parse: oneOf('required', 'best-effort', 'off'),
  },
  WAYBILL_SCAN_SECONDS: {
    about:
      'How long clamd may take for the verdict on one file after its last byte. Longer than clamd’s MaxScanTime, which is 120 seconds unless you changed it.',
    default: '600',
    parse: integer(1, 86_400),
  },
  WAYBILL_SCAN_MAX_BYTES: {
    about:
      'The largest file that is scanned: clamd’s StreamMaxLength, which is 100 MiB unless you changed it. With WAYBILL_SCAN=required a larger file is refused.',
    default: String(100 * 1024 ** 2),
    parse: integer(1, 4 * 1024 ** 3),
  },
  WAYBILL_SCAN_STREAMS: {
    about:
      'The maximum number of files that a process streams to clamd at once. The sum over all processes must stay below clamd’s MaxQueue, which is 100 unless you changed it.',
    default: '20',
    parse: integer(1, 1000),
  },
  WAYBILL_SMTP_URL: {
    about: 'The mail server: smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS from the first byte.',
    secret: true,
    parse: address('smtp', 'smtps'),
  },
  WAYBILL_MAIL_FROM: { about: 'The address mails come from: NAME@DOMAIN.', parse: mailAddress },
  WAYBILL_SECOND_FACTOR: {
    about:
      'What a receiver shows besides the link, where the account has no choice of its own: a code by sms, by mail, or nothing. Without a number or a gateway, sms becomes mail.',
    default: 'off',
    parse: oneOf('off', 'sms', 'mail'),
  },
  WAYBILL_MESSAGES_PER_ACCOUNT: {
    about: 'Receivers an account may write to in an hour before it gets 429.',
    default: '10000',
    parse: integer(1, 100_000_000),
  },
  WAYBILL_MESSAGES_PER_RECIPIENT: {
    about: 'Drops and grants an account may send to one address in an hour before it gets 429.',
    default: '1000',
    parse: integer(1, 100_000_000),
  },
  WAYBILL_RECIPIENT_MESSAGES_PER_HOUR: {
    about:
      'Mails that one address is sent in an hour by all accounts together, codes aside. Further ones are not lost; they wait in the outbox.',
    default: '2000',
    parse: integer(1, 100_000_000),
  },
  WAYBILL_CODES_PER_RECIPIENT: {
    about:
      'Codes that one number or address is sent in an hour, for all links together. After that the page says that there were too many.',
    default: '20',
    parse: integer(1, 1_000_000),
  },
  WAYBILL_SMS_URL: {
    about:
      'The SMS gateway, which speaks Kannel’s sendsms: http://USER:PASSWORD@HOST:PORT/cgi-bin/sendsms. Empty: no SMS.',
    default: '',
    secret: true,
    parse: smsUrl,
  },
  WAYBILL_SMS_FROM: {
    about: 'Whom SMS come from: up to 11 letters (A to Z) and digits, or a number of up to 15 digits.',
    default: 'Waybill',
    parse: smsSender,
  },
  WAYBILL_LANGUAGE: {
    about: 'The language of mails and pages where the receiver’s is not known or there are no texts in it.',
    default: 'en',
    parse: text,
  },
  WAYBILL_TEXTS_DIR: {
    about: 'A folder of your own texts: sv.json there replaces single Swedish texts, nb.json adds Norwegian.',
    default: '',
    parse: text,
  },
  WAYBILL_DESTTIME_UNIT: {
    about: 'The unit of desttime and ttl.',
    default: 'days',
    parse: oneOf('seconds', 'minutes', 'hours', 'days'),
  },
  WAYBILL_DESTTIME_MAX: { about: 'The largest desttime taken.', default: '30', parse: integer(1, 1_000_000) },
  WAYBILL_DESTTIME_DEFAULT: {
    about: 'The desttime of a request without one.',
    default: '7',
    parse: integer(1, 1_000_000),
  },
  WAYBILL_CSRF_TTL_SECONDS: {
    about: 'How long a CSRF token lives after its last use.',
    default: '900',
    parse: integer(1, 86_400),
  },
  WAYBILL_FAILURES_PER_MINUTE: {
    about: 'Failed authentications an address may make in a minute before it gets 429.',
    default: '300',
    parse: integer(1, 1_000_000),
  },
  WAYBILL_MAX_FILE_BYTES: {
    about: 'The largest file taken.',
    default: String(2 * 1024 ** 4),
    parse: integer(1, 64 * 1024 ** 4),
  },
  WAYBILL_GRANT_MAX_BYTES: {
    about: 'The total size of all files that a contact may send through one link.',
    default: String(1024 ** 4),
    parse: integer(1, 1024 ** 5),
  },
  WAYBILL_MIN_BODY_BYTES_PER_SECOND: {
    about: 'The slowest a request’s body may arrive. One that brings less over 30 seconds is cut.',
    default: '1024',
    parse: integer(1, 1024 ** 3),
  },
  WAYBILL_UPLOAD_MEMORY_BYTES: {
    about:
      'The memory of a process for all its uploads. One fast upload uses up to 40 MiB, a slow one 64 KiB when memory is short.',
    default: String(128 * 1024 ** 2),
    parse: integer(8 * 1024 ** 2, 64 * 1024 ** 3),
  },
  WAYBILL_DOWNLOAD_MEMORY_BYTES: {
    about: 'The memory of a process for reading ahead of fast downloads. Every download uses 256 KiB besides.',
    default: String(128 * 1024 ** 2),
    parse: integer(0, 64 * 1024 ** 3),
  },
  WAYBILL_UPLOAD_LEASE_SECONDS: {
    about: 'How long after its last sign of life the upload of a process that has died is given up.',
    default: '60',
    parse: integer(1, 86_400),
  },
  WAYBILL_RESUME_SECONDS: {
    about: 'How long an upload of a contact that was interrupted can be resumed.',
    default: '86400',
    parse: integer(60, 2_592_000),
  },
  WAYBILL_HISTORY_DAYS: {
    about:
      'How long what has ended stays in the history, with its receivers, the names of its files and what was delivered. 0: for ever.',
    default: '365',
    parse: integer(0, 36_500),
  },
  WAYBILL_AUDIT_DAYS: {
    about: 'How long entries of the audit log are kept. 0: for ever.',
    default: '1095',
    parse: integer(0, 36_500),
  },
  WAYBILL_WORKER_CONCURRENCY: { about: 'Jobs a `work` process runs at once.', default: '8', parse: integer(1, 1000) },
  WAYBILL_CHECKS_AT_ONCE: {
    about: 'Uploads of contacts a `work` process reads back and scans at once, beside its other jobs.',
    default: '8',
    parse: integer(1, 1000),
  },
  WAYBILL_STOP_DELAY_SECONDS: {
    about:
      'After SIGTERM, how long `serve` says on /readyz that it is not ready and still serves, so that load balancers turn elsewhere. Longer than they take to notice.',
    default: '6',
    parse: integer(0, 3600),
  },
  WAYBILL_STOP_SECONDS: {
    about: 'After that, how long transfers of `serve` and jobs of `work` may take to end before they are cut.',
    default: '600',
    parse: integer(0, 86_400),
  },
  WAYBILL_LOG_LEVEL: {
    about: 'What is logged, as JSON lines on standard output.',
    default: 'info',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  WAYBILL_FAILPOINT: {
    about: 'For crash tests only: the process kills itself at this checkpoint.',
    default: '',
    parse: text,
  },
} satisfies Record<string, Setting>;

interface Setting {
  readonly about: string;
  readonly default?: string;
  /** May be given as NAME_FILE, the path of a file that holds it, and is never shown. */
  readonly secret?: true;
  readonly parse: (text: string) => unknown;
}

/** What the command `waybill` reads (docs/client.md): a shell that has them for the client may start the server too. */
const clientVariables = new Set([
  'WAYBILL_URL',
  'WAYBILL_USER',
  'WAYBILL_API_KEY',
  'WAYBILL_API_KEY_FILE',
  'WAYBILL_ACCOUNT_FILE',
  'WAYBILL_PLAIN_HTTP',
]);

type Values = { readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']> };
export type Config = Values;

export const configTable: Readonly<Record<string, Setting>> = settings;

/** Everything that is wrong with the configuration, each with what to do about it. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is not complete:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(configTable)) {
    try {
      const given = environment[name] ?? (setting.secret ? fromFile(environment[`${name}_FILE`]) : undefined);
      const value = given ?? setting.default;
      if (value === undefined || (value === '' && setting.default === undefined)) {
        throw new Error(`is not set${setting.secret ? ` (nor ${name}_FILE)` : ''}. ${setting.about}`);
      }
      values[name] = setting.parse(value);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
    }
  }
  for (const name of Object.keys(environment)) {
    const ofFile = name.endsWith('_FILE') && configTable[name.slice(0, -'_FILE'.length)]?.secret;
    if (name.startsWith('WAYBILL_') && !ofFile && !(name in settings) && !clientVariables.has(name)) {
      problems.push(`${name} is not a setting. Is it misspelt?`);
    }
  }
  const config = values as Values;
  if (problems.length === 0 && config.WAYBILL_DESTTIME_DEFAULT > config.WAYBILL_DESTTIME_MAX) {
    problems.push('WAYBILL_DESTTIME_DEFAULT is larger than WAYBILL_DESTTIME_MAX.');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

function fromFile(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (statSync(path).mode & 0o007)
    throw new Error(`is in a file open to every user of this machine. Run: chmod o= ${path}`);
  return readFileSync(path, 'utf8').trim();
}

function text(value: string): string {
  return value;
}

function list(value: string): readonly string[] {
  return value
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');
}

function oneOf<const Choice extends string>(...choices: readonly Choice[]) {
  return (value: string): Choice => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw new Error(`is one of ${choices.join(', ')}.`);
    return choice;
  };
}

function integer(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`is a whole number from ${min} to ${max}.`);
    }
    return number;
  };
}

function publicUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== '/' ||
    url.search ||
    url.hash ||
    value.endsWith('/')
  ) {
    throw new Error('is an address such as https://files.example.org, without a path or a trailing slash.');
  }
  return value;
}

/** The value is a secret or holds one, so a problem does not repeat it. */
function address(...schemes: readonly string[]) {
  return (value: string): string => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    const scheme = parsed?.protocol.slice(0, -1) ?? '';
    // PostgreSQL's may name a socket's folder instead of a host: postgres:///waybill?host=/run/postgresql.
    if (!parsed || !schemes.includes(scheme) || !(parsed.host || scheme.startsWith('postgres'))) {
      throw new Error(`is an address that starts with ${schemes.map((name) => `${name}://`).join(' or ')}.`);
    }
    return value;
  };
}

function redisAddress(value: string): string {
  const isSocket = value.startsWith('/');
  return isSocket ? value : address('redis', 'rediss')(value);
}

function mailAddress(value: string): string {
  if (!/^[^\s@<>()",:;\\[\]]+@[^\s@<>()",:;\\[\]]+$/.test(value)) {
    throw new Error('is one mail address such as waybill@files.example.org.');
  }
  return value;
}

function hostAndPort(value: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(value) ?? [];
  const host = bracketed ?? plain;
  if (!host || Number(port) > 65_535 || (bracketed && isIP(bracketed) !== 6)) throw new Error('is HOST:PORT.');
  return { host, port: Number(port) };
}

function smsUrl(value: string): { address: string; username: string; password: string } | undefined {
  if (value === '') return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const credentials = [url?.username, url?.password].map((part = '') => unescaped(part));
  // They travel in headers, which hold no other characters.
  const sendable = credentials.every((part) => /^[!-~]+$/.test(part));
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || !sendable) {
    throw new Error('is http(s)://USER:PASSWORD@HOST:PORT/PATH, user and password in ASCII and escaped as in any URL.');
  }
  const [username = '', password = ''] = credentials;
  url.username = '';
  url.password = '';
  return { address: url.href, username, password };
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

function smsSender(value: string): string {
  if (!/^(?:[a-z\d]{1,11}|\d{12,15})$/i.test(value)) {
    throw new Error('is up to 11 letters (A to Z) and digits, or up to 15 digits.');
  }
  return value;
}

function pepper(value: string): Buffer {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length < 32) throw new Error('is at least 32 bytes in base64, such as `openssl rand -base64 32` makes.');
  return bytes;
}
