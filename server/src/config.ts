import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { extname } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { findWrongLines, parseEnvironment } from './environment-file.ts';
import { resolveGivenPath } from './given-path.ts';

/**
 * The environment as one frozen, validated Config. Nothing else reads process.env, and the table below is the only
 * place that names a setting: docs/configuration.md is generated from it.
 */
const settings = {
  WAYBILL_PUBLIC_URL: {
    about: 'The address that people and machines use, without a trailing slash. Links in mails start with it.',
    parse: publicUrl,
  },
  WAYBILL_ALLOWED_HOSTS: {
    about:
      'Additional host names that this server and its console serve, separated by commas, with the port unless it is the default. The console also accepts addresses and names without a dot.',
    default: '',
    parse: list,
  },
  WAYBILL_LISTEN: {
    about: 'The address on which `serve` listens: HOST:PORT.',
    default: '127.0.0.1:8080',
    parse: hostAndPort,
  },
  WAYBILL_CONSOLE_LISTEN: {
    about:
      'The address on which `serve` provides /healthz, /readyz and /metrics, for administrators, load balancers and Prometheus: HOST:PORT. Empty: none.',
    default: '',
    parse: (value: string) => (value === '' ? undefined : hostAndPort(value)),
  },
  WAYBILL_WORK_CONSOLE_LISTEN: {
    about:
      'The same for `work`. It is a setting of its own so that `serve` and `work` can share an environment file on one machine.',
    default: '',
    parse: (value: string) => (value === '' ? undefined : hostAndPort(value)),
  },
  WAYBILL_OTLP_URL: {
    about:
      'Where traces are sent, by OTLP over HTTP: the URL of an OpenTelemetry collector, such as http://127.0.0.1:4318/v1/traces. Empty: nothing is traced.',
    default: '',
    parse: (value: string) => (value === '' ? undefined : address('http', 'https')(value)),
  },
  WAYBILL_TRACE_RATIO: {
    about:
      'The part of the requests and jobs that is traced, from 0 to 1. One that continues a trace follows its decision.',
    default: '1',
    parse: ratio,
  },
  WAYBILL_TLS_CERTIFICATE_FILE: {
    about:
      'A certificate with its chain, in PEM: `serve` then speaks HTTPS itself. A new one is served within seconds. Empty: plain HTTP, for a proxy that terminates TLS.',
    default: '',
    parse: filePath,
  },
  WAYBILL_TLS_KEY_FILE: {
    about: 'The private key of the certificate, in PEM, in a file that not everyone can read.',
    default: '',
    parse: filePath,
  },
  WAYBILL_TRUSTED_PROXIES: {
    about: 'Addresses or networks (CIDR) whose X-Forwarded-For is trusted, separated by commas. Empty: none.',
    default: '',
    parse: list,
  },
  WAYBILL_DATABASE_URL: {
    about:
      'PostgreSQL: postgres://USER:PASSWORD@HOST:PORT/DATABASE, or postgres:///DATABASE?host=FOLDER&user=USER for a socket.',
    secret: true,
    parse: address('postgres', 'postgresql'),
  },
  WAYBILL_DATABASE_CONNECTIONS: {
    about: 'The maximum number of connections that a process opens to PostgreSQL. `work` needs at least 7.',
    default: '10',
    parse: integer(2, 1000),
  },
  WAYBILL_REDIS_URL: {
    about: 'Valkey or Redis: redis://HOST:PORT, rediss:// for TLS, or the path of its socket. Not a cluster.',
    secret: true,
    parse: redisAddress,
  },
  WAYBILL_S3_ENDPOINT: { about: 'The S3 server: http(s)://HOST:PORT.', parse: address('http', 'https') },
  WAYBILL_S3_REGION: { about: 'The S3 region.', default: 'us-east-1', parse: text },
  WAYBILL_S3_BUCKET: {
    about: 'The bucket for the sealed bytes. `waybilld setup` creates it if it does not exist.',
    parse: text,
  },
  WAYBILL_S3_ACCESS_KEY_ID: { about: 'The S3 access key.', parse: text },
  WAYBILL_S3_SECRET_ACCESS_KEY: { about: 'The S3 secret key.', secret: true, parse: text },
  WAYBILL_MASTER_KEYS: {
    about:
      'Where the master keys are. file: in WAYBILL_MASTER_KEY_FILE. vault: in HashiCorp Vault or OpenBao, see WAYBILL_VAULT_KEY. aws-kms: in AWS KMS, see WAYBILL_KMS_KEYS.',
    default: 'file',
    parse: oneOf('file', 'vault', 'aws-kms'),
  },
  WAYBILL_MASTER_KEY_FILE: {
    about:
      'A file of master keys, one per line: VERSION:BASE64 OF 32 BYTES. The first is used for sealing; keep the others.',
    default: '',
    parse: filePath,
  },
  WAYBILL_VAULT_KEY: {
    about:
      'The address of a key in Vault’s Transit engine, such as https://vault.example.org:8200/v1/transit/keys/waybill. Its type is aes256-gcm96.',
    default: '',
    parse: (value: string) => (value === '' ? '' : transitKey(value)),
  },
  WAYBILL_VAULT_TOKEN_FILE: {
    about:
      'A file with a token that may read this key, encrypt and decrypt, as Vault’s agent writes it. It is read again for every request.',
    default: '',
    parse: filePath,
  },
  WAYBILL_KMS_KEYS: {
    about:
      'Keys in AWS KMS as VERSION:ARN, separated by commas: 1:arn:aws:kms:eu-north-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab. The first is used for sealing; keep the others. Credentials are found as by every AWS program.',
    default: '',
    parse: kmsKeys,
  },
  WAYBILL_KMS_ENDPOINT: {
    about: 'The address of AWS KMS if it is not the usual one of the region, such as that of a VPC endpoint.',
    default: '',
    parse: (value: string) => (value === '' ? '' : address('http', 'https')(value)),
  },
  WAYBILL_KEY_PEPPER: {
    about:
      'At least 32 bytes in base64, kept outside the database: without it, API keys cannot be checked against a stolen database.',
    secret: true,
    parse: pepper,
  },
  WAYBILL_CLAMD: { about: 'clamd: HOST:PORT or the path of its socket.', default: '127.0.0.1:3310', parse: text },
  WAYBILL_SCAN: {
    about:
      'The virus scan. required: a file that cannot be scanned is refused. best-effort: it is accepted and marked unscanned. off: nothing is scanned.',
    default: 'required',
    parse: oneOf('required', 'best-effort', 'off'),
  },
  WAYBILL_SCAN_SECONDS: {
    about:
      'How long clamd may take to report on a file after its last byte. Must be longer than clamd’s MaxScanTime, which is 120 seconds by default.',
    default: '600',
    parse: integer(1, 86_400),
  },
  WAYBILL_SCAN_MAX_BYTES: {
    about:
      'The maximum size of a file to scan: clamd’s StreamMaxLength, which is 100 MiB by default. With WAYBILL_SCAN=required, a larger file is refused.',
    default: String(100 * 1024 ** 2),
    parse: integer(1, 4 * 1024 ** 3),
  },
  WAYBILL_SCAN_STREAMS: {
    about:
      'The maximum number of files that a process streams to clamd at once. The total for all processes must stay below clamd’s MaxQueue, which is 100 by default.',
    default: '20',
    parse: integer(1, 1000),
  },
  WAYBILL_SMTP_URL: {
    about:
      'The mail server: smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS from the first byte. With ?ignoreTLS=true at the end, TLS is not used, for a mail server on this machine.',
    secret: true,
    parse: address('smtp', 'smtps'),
  },
  WAYBILL_MAIL_FROM: { about: 'The address that mails are sent from: NAME@DOMAIN.', parse: mailAddress },
  WAYBILL_BOUNCE_ADDRESS: {
    about:
      'The address to which undeliverable mails are returned: NAME@DOMAIN, with up to 11 characters before the @. Each mail uses its own form of it, NAME+TOKEN@DOMAIN. Empty: they are returned to WAYBILL_MAIL_FROM, and the sender is not told (docs/mail.md).',
    default: '',
    parse: bounceAddress,
  },
  WAYBILL_BOUNCE_MAILDIR: {
    about:
      'A Maildir to which the mail server delivers mails to WAYBILL_BOUNCE_ADDRESS. `work` reads and removes them. Empty: the mail server runs `waybilld admin mail bounce`.',
    default: '',
    parse: filePath,
  },
  WAYBILL_SECOND_FACTOR: {
    about:
      'What a receiver needs in addition to the link, unless the account has its own setting: a code by sms, a code by mail, or nothing (off). Without a phone number or an SMS gateway, the code is sent by mail.',
    default: 'off',
    parse: oneOf('off', 'sms', 'mail'),
  },
  WAYBILL_MESSAGES_PER_ACCOUNT: {
    about: 'The number of receivers that an account may write to in an hour before it gets 429.',
    default: '10000',
    parse: integer(1, 100_000_000),
  },
  WAYBILL_MESSAGES_PER_RECIPIENT: {
    about: 'The number of drops and grants that an account may send to one address in an hour before it gets 429.',
    default: '1000',
    parse: integer(1, 100_000_000),
  },
  WAYBILL_RECIPIENT_MESSAGES_PER_HOUR: {
    about:
      'The number of mails sent to one address in an hour by all accounts together, not counting codes. Further mails are not lost; they wait in the outbox.',
    default: '2000',
    parse: integer(1, 100_000_000),
  },
  WAYBILL_CODES_PER_RECIPIENT: {
    about:
      'The number of codes sent to one phone number or address in an hour, for all links together. After that, the page says that there were too many.',
    default: '20',
    parse: integer(1, 1_000_000),
  },
  WAYBILL_SMS_URL: {
    about:
      'The SMS gateway, with Kannel’s sendsms interface: http://USER:PASSWORD@HOST:PORT/cgi-bin/sendsms. Empty: no SMS.',
    default: '',
    secret: true,
    parse: smsUrl,
  },
  WAYBILL_SMS_FROM: {
    about: 'The sender of SMS: up to 11 letters (A to Z) and digits, or a number of up to 15 digits.',
    default: 'Waybill',
    parse: smsSender,
  },
  WAYBILL_OPERATOR_NAME: {
    about:
      'The name by which people know the operator of this server, such as “Acme Files”. Shown on every page and in every mail; receivers can report a sender to it.',
    default: 'Waybill',
    parse: operatorName,
  },
  WAYBILL_OPERATOR_LOGO: {
    about:
      'A file with the operator’s logo (SVG or PNG, up to 100 kB), shown at the top of every page. Empty: Waybill’s mark.',
    default: '',
    parse: (value: string) => (value === '' ? undefined : logoFile(value)),
  },
  WAYBILL_OPERATOR_COLOR: {
    about:
      'The colour of buttons and links, as #RRGGBB. If it would be hard to read, a darker or lighter shade of it is used. Empty: Waybill’s green.',
    default: '',
    parse: (value: string) => (value === '' ? undefined : hexColor(value)),
  },
  WAYBILL_SUPPORT_ADDRESS: {
    about:
      'The mail address that people can write to if something does not work. Shown on every page and in every mail.',
    default: '',
    parse: (value: string) => (value === '' ? undefined : mailAddress(value)),
  },
  WAYBILL_IMPRINT_URL: {
    about: 'The web page that says who is responsible for this server, linked from every page.',
    default: '',
    parse: (value: string) => (value === '' ? undefined : webAddress(value)),
  },
  WAYBILL_PRIVACY_URL: {
    about: 'The web page with the privacy policy, linked from every page.',
    default: '',
    parse: (value: string) => (value === '' ? undefined : webAddress(value)),
  },
  WAYBILL_TIME_ZONE: {
    about:
      'The time zone of times in mails, and on pages without JavaScript, such as Europe/Stockholm. With JavaScript, pages use the reader’s own time zone.',
    default: 'UTC',
    parse: timeZone,
  },
  WAYBILL_LANGUAGE: {
    about: 'The language of mails and pages if the receiver’s language is unknown or there are no texts in it.',
    default: 'en',
    parse: text,
  },
  WAYBILL_TEXTS_DIR: {
    about: 'A folder with your own texts: sv.json there replaces individual Swedish texts, nb.json adds Norwegian.',
    default: '',
    parse: filePath,
  },
  WAYBILL_DESTTIME_UNIT: {
    about: 'The unit of desttime and ttl.',
    default: 'days',
    parse: oneOf('seconds', 'minutes', 'hours', 'days'),
  },
  WAYBILL_DESTTIME_MAX: { about: 'The maximum desttime.', default: '30', parse: integer(1, 1_000_000) },
  WAYBILL_DESTTIME_DEFAULT: {
    about: 'The desttime of a request that does not contain one.',
    default: '7',
    parse: integer(1, 1_000_000),
  },
  WAYBILL_CSRF_TTL_SECONDS: {
    about: 'How long a CSRF token is valid after its last use.',
    default: '900',
    parse: integer(1, 86_400),
  },
  WAYBILL_FAILURES_PER_MINUTE: {
    about: 'The number of failed authentications that a client address may make in a minute before it gets 429.',
    default: '300',
    parse: integer(1, 1_000_000),
  },
  WAYBILL_MAX_FILE_BYTES: {
    about: 'The maximum size of a file.',
    default: String(2 * 1024 ** 4),
    parse: integer(1, 64 * 1024 ** 4),
  },
  WAYBILL_ACCOUNT_MAX_BYTES: {
    about:
      'The total size of the files that an account may store, including what contacts send to it, unless the account or its group has its own limit. 0: no limit.',
    default: '0',
    parse: integer(0, 1024 ** 5),
  },
  WAYBILL_DROPS_PER_DAY: {
    about:
      'The number of drops and grants that an account may make from midnight to midnight (UTC), unless the account or its group has its own limit. 0: no limit.',
    default: '0',
    parse: integer(0, 1_000_000_000),
  },
  WAYBILL_MAILS_PER_DAY: {
    about:
      'The number of receivers that an account may write to from midnight to midnight (UTC), unless the account or its group has its own limit. 0: no limit.',
    default: '0',
    parse: integer(0, 1_000_000_000),
  },
  WAYBILL_RECIPIENT_DOMAINS: {
    about:
      'The domains of the addresses that accounts may send to, separated by commas, unless the account or its group has its own list. Empty: all.',
    default: '',
    parse: list,
  },
  WAYBILL_GRANT_MAX_BYTES: {
    about: 'The maximum total size of the files that a contact may send through one link.',
    default: String(1024 ** 4),
    parse: integer(1, 1024 ** 5),
  },
  WAYBILL_INBOX_ATTEMPTS: {
    about:
      'How many times an entry of an inbox can be claimed through /api/v1 without being acknowledged. Then it is parked until it is released.',
    default: '10',
    parse: integer(1, 1000),
  },
  WAYBILL_MIN_BODY_BYTES_PER_SECOND: {
    about: 'The minimum speed of a request body. If a body is slower over 30 seconds, the connection is cut.',
    default: '1024',
    parse: integer(1, 1024 ** 3),
  },
  WAYBILL_UPLOAD_MEMORY_BYTES: {
    about:
      'The memory that a process uses for all its uploads. A fast upload uses up to 40 MiB; a slow one uses 64 KiB when memory is short.',
    default: String(128 * 1024 ** 2),
    parse: integer(8 * 1024 ** 2, 64 * 1024 ** 3),
  },
  WAYBILL_DOWNLOAD_MEMORY_BYTES: {
    about:
      'The memory that a process uses for reading ahead in fast downloads. Every download uses 256 KiB in addition.',
    default: String(128 * 1024 ** 2),
    parse: integer(0, 64 * 1024 ** 3),
  },
  WAYBILL_UPLOAD_LEASE_SECONDS: {
    about: 'How long after its last sign of life an upload is given up if its process has died.',
    default: '60',
    parse: integer(1, 86_400),
  },
  WAYBILL_RESUME_SECONDS: {
    about: 'How long an interrupted upload of a contact, or through /api/v1, can be resumed.',
    default: '86400',
    parse: integer(60, 2_592_000),
  },
  WAYBILL_DRAFT_DAYS: {
    about: 'How long an unused draft, or an unused upload of /api/v1, is kept, with its files.',
    default: '7',
    parse: integer(1, 365),
  },
  WAYBILL_HISTORY_DAYS: {
    about: 'How long ended drops stay in the history, with their receivers, file names and deliveries. 0: forever.',
    default: '365',
    parse: integer(0, 36_500),
  },
  WAYBILL_DELIVERY_DAYS: {
    about:
      'How long after the end of a drop it is recorded what each receiver did: when the link was opened and a code entered, and which files were sent. 0: as long as the drop.',
    default: '0',
    parse: integer(0, 36_500),
  },
  WAYBILL_AUDIT_DAYS: {
    about: 'How long audit log entries and released holds are kept. 0: forever.',
    default: '1095',
    parse: integer(0, 36_500),
  },
  WAYBILL_MESSAGE_DAYS: {
    about:
      'How long records of mails and SMS that were sent or given up are kept, with their recipients. 0: as long as their drop.',
    default: '0',
    parse: integer(0, 36_500),
  },
  WAYBILL_EVENT_DAYS: {
    about:
      'How long events are kept for programs that follow them, with the addresses of receivers and the names of files.',
    default: '30',
    parse: integer(1, 365),
  },
  WAYBILL_WORKER_CONCURRENCY: {
    about: 'The number of jobs that a `work` process runs at once.',
    default: '8',
    parse: integer(1, 1000),
  },
  WAYBILL_CHECKS_AT_ONCE: {
    about:
      'The number of contacts’ uploads that a `work` process reads back and scans at once, in addition to its other jobs.',
    default: '8',
    parse: integer(1, 1000),
  },
  WAYBILL_WEBHOOKS_AT_ONCE: {
    about:
      'The number of webhooks that a `work` process sends events to at once, in addition to its other jobs, with up to 4 requests to each.',
    default: '8',
    parse: integer(1, 1000),
  },
  WAYBILL_WEBHOOK_ALLOW: {
    about:
      'Addresses or networks (CIDR) that webhooks may be sent to although they are not on the Internet, such as 10.1.0.0/16, separated by commas. Every account can send requests there. Empty: none.',
    default: '',
    parse: networks,
  },
  WAYBILL_WEBHOOK_HTTP: {
    about:
      'Whether webhooks may have http:// URLs. Events then go over the network in plain text: `allowed` or `refused`.',
    default: 'refused',
    parse: oneOf('allowed', 'refused'),
  },
  WAYBILL_WEBHOOK_DAYS: {
    about: 'How long the log of requests to webhooks is kept, and what was sent, which can be sent again for as long.',
    default: '30',
    parse: integer(7, 36_500),
  },
  WAYBILL_SCRUB_BYTES_PER_SECOND: {
    about:
      'How fast the `work` processes together read stored files again in order to find damage, once a week at most. 0: not at all.',
    default: String(4 * 1024 ** 2),
    parse: integer(0, 1024 ** 4),
  },
  WAYBILL_STOP_DELAY_SECONDS: {
    about:
      'After SIGTERM, how long `serve` reports on /readyz that it is not ready and keeps serving, so that load balancers can switch to other processes. Must be longer than they take to notice.',
    default: '6',
    parse: integer(0, 3600),
  },
  WAYBILL_STOP_SECONDS: {
    about: 'After that, how long transfers of `serve` and jobs of `work` may take to finish before they are cut.',
    default: '600',
    parse: integer(0, 86_400),
  },
  WAYBILL_LOG_LEVEL: {
    about: 'The minimum level of log messages, which are JSON lines on standard output.',
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
  /** May be given as NAME_FILE, the path of a file that contains it. It is never shown. */
  readonly secret?: true;
  readonly parse: (text: string) => unknown;
}

const environmentFile = 'WAYBILL_ENVIRONMENT_FILE';

/**
 * Not settings. What the command `waybill` reads (docs/client.md) is among them: a shell that sets them for the client may also start the server.
 */
const otherVariables = new Set([
  environmentFile,
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

/** Everything that is wrong with the configuration, and how to fix each problem. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is incomplete or wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** What the job runners of `work` and the statements of their jobs need: with fewer, they would wait for one another. */
export const workConnections = 7;

export function requireWorkConnections({ WAYBILL_DATABASE_CONNECTIONS: connections }: Config): void {
  if (connections >= workConnections) return;
  throw new ConfigError([
    `WAYBILL_DATABASE_CONNECTIONS is ${connections}, and \`work\` needs at least ${workConnections}.`,
  ]);
}

export function readConfig(environment?: NodeJS.ProcessEnv): Config {
  const { values, problems } = inspectConfig(environment);
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values as Config);
}

/** The settings that can be used, and what is wrong with the others. */
export function inspectConfig(settingsGiven?: NodeJS.ProcessEnv): {
  readonly values: Partial<Config>;
  /** Each begins with the name of a setting. */
  readonly problems: readonly string[];
} {
  const { environment, problems, isComplete } = settingsGiven
    ? { environment: settingsGiven, problems: [], isComplete: true }
    : readEnvironment();
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
    if (name.startsWith('WAYBILL_') && !isSetting(name) && !otherVariables.has(name)) {
      problems.push(`${name} is not a setting. Is it misspelt?`);
    }
  }
  const config = values as Values;
  if (problems.length === 0 && config.WAYBILL_DESTTIME_DEFAULT > config.WAYBILL_DESTTIME_MAX) {
    problems.push('WAYBILL_DESTTIME_DEFAULT is larger than WAYBILL_DESTTIME_MAX.');
  }
  if (problems.length === 0 && (config.WAYBILL_TLS_CERTIFICATE_FILE === '') !== (config.WAYBILL_TLS_KEY_FILE === '')) {
    problems.push('WAYBILL_TLS_CERTIFICATE_FILE and WAYBILL_TLS_KEY_FILE are set together, or not at all.');
  }
  if (problems.length === 0 && config.WAYBILL_BOUNCE_MAILDIR !== '' && config.WAYBILL_BOUNCE_ADDRESS === '') {
    problems.push('WAYBILL_BOUNCE_MAILDIR is set, but WAYBILL_BOUNCE_ADDRESS is not.');
  }
  for (const name of needsOfMasterKeys[config.WAYBILL_MASTER_KEYS] ?? []) {
    if (config[name]?.length !== 0) continue;
    problems.push(`${name} is not set. ${configTable[name]?.about}`);
    delete values[name];
  }
  // The others may only be the consequence of the file that cannot be read.
  return { values: config, problems: isComplete ? problems : problems.slice(0, 1) };
}

/**
 * The environment, with what the environment file adds to it: a variable of the process takes precedence. Variables of
 * the libraries, such as AWS_REGION, may be in the file, too.
 */
function readEnvironment(): { environment: NodeJS.ProcessEnv; problems: string[]; isComplete: boolean } {
  const named = process.env[environmentFile];
  if (!named) return { environment: process.env, problems: [], isComplete: true };
  const path = resolveGivenPath(named);
  let content: string;
  try {
    if ((statSync(path).mode & 0o007) !== 0) {
      const problem = `names a file open to every user of this machine. Run: chmod o= ${path}`;
      return { environment: process.env, problems: [`${environmentFile} ${problem}`], isComplete: false };
    }
    content = readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const next = { ENOENT: ' Run: waybilld setup', EACCES: ' Run the command as root, such as with sudo.' }[code] ?? '';
    const problem = `names ${path}, which cannot be read (${code}).${next}`;
    return { environment: process.env, problems: [`${environmentFile} ${problem}`], isComplete: false };
  }
  const problems = findWrongLines(content).map(
    (line) => `${environmentFile}: line ${line} of ${path} is not NAME=VALUE.`,
  );
  const added = Object.entries(parseEnvironment(content)).filter(([name]) => process.env[name] === undefined);
  for (const [name, value] of added.filter(([other]) => !other.startsWith('WAYBILL_'))) {
    if (name === 'NODE_EXTRA_CA_CERTS') addAuthorities(value, problems);
    else if (name === 'NODE_OPTIONS') problems.push(`NODE_OPTIONS has no effect in ${path}: set it for the service.`);
    else process.env[name] = value;
  }
  return { environment: { ...Object.fromEntries(added), ...process.env }, problems, isComplete: true };
}

/** Node itself reads this variable before it runs the program. */
function addAuthorities(path: string, problems: string[]): void {
  try {
    const extra = readFileSync(resolveGivenPath(path), 'utf8');
    setDefaultCACertificates([...new Set([...getCACertificates('default'), extra])]);
  } catch (error) {
    problems.push(`NODE_EXTRA_CA_CERTS names ${path}, which cannot be used: ${(error as Error).message}.`);
  }
}

type MasterKeySetting =
  | 'WAYBILL_MASTER_KEY_FILE'
  | 'WAYBILL_VAULT_KEY'
  | 'WAYBILL_VAULT_TOKEN_FILE'
  | 'WAYBILL_KMS_KEYS';
/** What must be set for each place where master keys can be. */
const needsOfMasterKeys: Partial<Record<string, readonly MasterKeySetting[]>> = {
  file: ['WAYBILL_MASTER_KEY_FILE'],
  vault: ['WAYBILL_VAULT_KEY', 'WAYBILL_VAULT_TOKEN_FILE'],
  'aws-kms': ['WAYBILL_KMS_KEYS'],
};

/** Whether this is the name of a setting, or of the file that contains a secret one. */
export function isSetting(name: string): boolean {
  return name in settings || (name.endsWith('_FILE') && configTable[name.slice(0, -'_FILE'.length)]?.secret === true);
}

/** What systemd tells a service that it starts. */
export interface ServiceEnvironment {
  readonly notifySocket: string | undefined;
  /** After this time without a sign of life, systemd kills the process. */
  readonly watchdogMs: number | undefined;
  readonly runtimeDirectory: string | undefined;
  /** The device and inode of the descriptor that is connected to the journal. */
  readonly journalStream: string | undefined;
}

/** The user who ran a command by `sudo`, which anyone who may run commands can also set. */
export function readSudoUser(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const name = environment['SUDO_USER'] ?? '';
  return /^[^\s\p{C}]{1,64}$/u.test(name) ? name : undefined;
}

export function readServiceEnvironment(environment: NodeJS.ProcessEnv = process.env): ServiceEnvironment {
  return {
    notifySocket: environment['NOTIFY_SOCKET'] || undefined,
    watchdogMs: Number(environment['WATCHDOG_USEC']) / 1000 || undefined,
    runtimeDirectory: environment['RUNTIME_DIRECTORY'] || undefined,
    journalStream: environment['JOURNAL_STREAM'] || undefined,
  };
}

/** The settings of the process as they were given, not parsed, and without the environment file. */
export function givenSettings(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => isSetting(entry[0]) && !!entry[1]),
  );
}

function fromFile(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const path = resolveGivenPath(given);
  try {
    if ((statSync(path).mode & 0o007) === 0) return readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`is to be read from ${path}, which cannot be read (${code}).`, { cause: error });
  }
  throw new Error(`is in a file open to every user of this machine. Run: chmod o= ${path}`);
}

function text(value: string): string {
  return value;
}

/** Empty stays empty: nothing is named. */
function filePath(value: string): string {
  return value === '' ? '' : resolveGivenPath(value);
}

function list(value: string): readonly string[] {
  return value
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');
}

function networks(value: string): readonly string[] {
  const wrong = list(value).find((network) => {
    const [, start = '', prefix = '0'] = /^([^/]+)(?:\/([0-9]{1,3}))?$/.exec(network) ?? [];
    return Number(prefix) > ({ 4: 32, 6: 128 }[isIP(start)] ?? -1);
  });
  if (wrong !== undefined) throw new Error(`is a list of addresses and networks, and "${wrong}" is neither.`);
  return list(value);
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

/** The value is a secret or contains one, so error messages do not repeat it. */
function address(...schemes: readonly string[]) {
  return (value: string): string => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    const scheme = parsed?.protocol.slice(0, -1) ?? '';
    // PostgreSQL's URL may name a socket's directory instead of a host: postgres:///waybill?host=/run/postgresql.
    if (!parsed || !schemes.includes(scheme) || !(parsed.host || scheme.startsWith('postgres'))) {
      throw new Error(`is an address that starts with ${schemes.map((name) => `${name}://`).join(' or ')}.`);
    }
    return value;
  };
}

function transitKey(value: string): string {
  if (!/\/v1\/.+\/keys\/[\w.-]+$/.test(address('http', 'https')(value))) {
    throw new Error('is the address of a key, which ends with /v1/MOUNT/keys/NAME.');
  }
  return value;
}

function kmsKeys(value: string): readonly { readonly version: number; readonly arn: string }[] {
  const keys = value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return keys.map((item) => {
    const [, version, arn] = /^([1-9][0-9]{0,8}):(arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key\/[\w-]+)$/.exec(item) ?? [];
    if (!version || !arn) throw new Error('is a list of VERSION:ARN, with the ARNs of keys.');
    return { version: Number(version), arn };
  });
}

function ratio(value: string): number {
  const number = /^\d(?:\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (!(number <= 1)) throw new Error('is a number from 0 to 1, such as 0.1.');
  return number;
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

function operatorName(value: string): string {
  if (value.trim() !== value || value === '' || value.length > 60 || /[\p{Cc}<>"]/u.test(value)) {
    throw new Error('is a name of up to 60 characters, without quotation marks, < or >.');
  }
  return value;
}

const logoTypes: Readonly<Record<string, 'svg' | 'png'>> = { '.svg': 'svg', '.png': 'png' };
const maxLogoBytes = 100_000;

function logoFile(given: string): { type: 'svg' | 'png'; content: Buffer } {
  const path = resolveGivenPath(given);
  const type = logoTypes[extname(path).toLowerCase()];
  if (!type) throw new Error('is the path of a .svg or .png file.');
  const content = readFileSync(path);
  if (content.length > maxLogoBytes)
    throw new Error(`is a file of up to ${maxLogoBytes / 1000} kB; ${path} is larger.`);
  return { type, content };
}

function hexColor(value: string): string {
  if (!/^#[\da-f]{6}$/i.test(value)) throw new Error('is a colour such as #0b5d63.');
  return value.toLowerCase();
}

function webAddress(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error('is an address such as https://www.example.org/imprint.');
  return url.href;
}

function timeZone(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    throw new Error('is the name of a time zone, such as Europe/Stockholm.');
  }
}

/** Short enough that the address with its token fits into the 64 characters allowed before an @. */
function bounceAddress(value: string): string {
  if (value !== '' && !/^[^+@]{1,11}@/.test(mailAddress(value))) {
    throw new Error('has at most 11 characters before the @, and no +.');
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
  // They are sent in headers, which can hold no other characters.
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
