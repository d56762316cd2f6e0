// What the doctor advises is carried out here to the letter, after which it is content.
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { shippedProxy } from '../../tools/shared/shipped-proxies.ts';
import { closedPort } from '../../tools/shared/tcp.ts';
import type { Finding } from './domain/doctor/finding.ts';
import { examineKeyfile } from './engines/keyfile/examine.ts';
import { examinePostgres } from './engines/postgres/examine.ts';
import { migrate } from './engines/postgres/migrate.ts';
import { createBucket } from './engines/s3/create-bucket.ts';
import { examineS3 } from './engines/s3/examine.ts';
import { examineTls } from './http/examine-tls.ts';
import { makeCertificate } from './testing/carriers.ts';
import { createEmptyDatabase, openTestPool } from './testing/database.ts';
import { engineAddresses } from './testing/engine-addresses.ts';
import { examineBehind, examinePublic, startServe } from './testing/examine-behind.ts';
import { collectFindings } from './testing/findings.ts';
import { bucketNameForTest, removeBucket } from './testing/object-store.ts';
import { runAdmin } from './testing/run-admin.ts';

interface Case {
  readonly examine: () => Promise<Finding[]>;
  /** Makes the doctor find the fault. */
  readonly spoil: () => unknown;
  /** Does what the remedy says. */
  readonly carryOut: (remedy: string) => unknown;
}

let folder: string;
let bucket: string;
let database: ({ url: string } & AsyncDisposable) | undefined;
/** What a case changes in the environment of `serve`. */
let environment: Record<string, string>;
const usualAuthorities = getCACertificates();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-remedies-'));
  bucket = bucketNameForTest();
  environment = {};
});
afterEach(async () => {
  setDefaultCACertificates(usualAuthorities);
  rmSync(folder, { recursive: true });
  await removeBucket(bucket);
  await database?.[Symbol.asyncDispose]();
  database = undefined;
});

const at = (name: string) => join(folder, name);
const random = { bytes: randomBytes, uuid: randomUUIDv7 };
const s3 = () => ({ ...engineAddresses.s3, bucket });
const examineBucket = () => collectFindings(examineS3(s3()));

/** The part of the remedy that the pattern finds. */
function read(remedy: string, pattern: RegExp): string {
  const found = pattern.exec(remedy)?.[1];
  if (found === undefined) throw new Error(`“${remedy}” has nothing like ${pattern}.`);
  return found;
}

/** Runs the `waybilld admin …` of a remedy with these engines. */
const runCommand = (remedy: string, engines: Readonly<Record<string, unknown>>) =>
  runAdmin({ engines: engines as never }, ...read(remedy, /waybilld admin ([a-z -]+)/).split(' '));

/** The other half of the command needs root and the group of the package. */
const changeMode = (remedy: string) => execFileSync('sh', ['-c', read(remedy, /&& (chmod .+)$/)]);

const findDatabaseUrl = () => database?.url ?? '';

async function migrateDatabase(): Promise<string[]> {
  const pool = openTestPool(findDatabaseUrl());
  try {
    return await migrate(pool);
  } finally {
    await pool.end();
  }
}

/** Writes the certificate of a private authority, which only signs, and one of a server that it signed. */
function issueCertificate() {
  const ca = makeCertificate('Own authority', { days: 30 });
  for (const [name, text] of Object.entries({
    'ca.crt': ca.cert,
    'ca.key': ca.key,
    ext: 'subjectAltName=DNS:localhost\n',
  })) {
    writeFileSync(at(name), text, { mode: 0o600 });
  }
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'pipe', cwd: folder });
  openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'own.key', '-out', 'own.csr', '-subj', '/CN=localhost');
  const signing = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '30', '-extfile', 'ext'];
  openssl('x509', '-req', '-in', 'own.csr', ...signing, '-out', 'own.crt');
}

async function examineHttps(): Promise<Finding[]> {
  const named = environment['NODE_EXTRA_CA_CERTS'];
  if (named) setDefaultCACertificates([...usualAuthorities, readFileSync(named, 'utf8')]);
  const port = await closedPort();
  const publicUrl = `https://localhost:${port}`;
  const certificate = { cert: readFileSync(at('own.crt'), 'utf8'), key: readFileSync(at('own.key'), 'utf8') };
  await using _ = await startServe({ publicUrl, certificate }, port);
  return await examinePublic(publicUrl);
}

const cases: Readonly<Record<string, Case>> = {
  's3.bucket': {
    examine: examineBucket,
    spoil: () => undefined,
    carryOut: (remedy) => runCommand(remedy, { createBucket: () => createBucket(s3()) }),
  },
  'postgres.schema': {
    examine: () => collectFindings(examinePostgres({ url: findDatabaseUrl(), connections: 20 })),
    async spoil() {
      database = await createEmptyDatabase();
    },
    carryOut: (remedy) => runCommand(remedy, { migrate: migrateDatabase }),
  },
  'keys.file': {
    examine: () => collectFindings(examineKeyfile({ path: at('master-keys'), random })),
    spoil: () => writeFileSync(at('master-keys'), `1:${randomBytes(32).toString('base64')}\n`, { mode: 0o644 }),
    carryOut: changeMode,
  },
  'tls.files': {
    examine: () =>
      collectFindings(
        examineTls({ files: { certificate: at('cert'), key: at('key') }, publicUrl: 'https://files.example.org' }),
      ),
    spoil() {
      const { cert, key } = makeCertificate('files.example.org', { days: 90 });
      writeFileSync(at('cert'), cert);
      writeFileSync(at('key'), key);
      chmodSync(at('key'), 0o644);
    },
    carryOut: changeMode,
  },
  'proxy.client': {
    examine: () =>
      examineBehind((place) => shippedProxy('nginx.conf', place), {
        trusted: environment['WAYBILL_TRUSTED_PROXIES']?.split(',') ?? [],
      }),
    spoil: () => undefined,
    carryOut: (remedy) => (environment['WAYBILL_TRUSTED_PROXIES'] = read(remedy, /WAYBILL_TRUSTED_PROXIES=([^,]+),/)),
  },
  'proxy.certificate': {
    examine: examineHttps,
    spoil: () => issueCertificate(),
    carryOut: (remedy) => (environment[read(remedy, /in (NODE_EXTRA_CA_CERTS)/)] = at('ca.crt')),
  },
};

test.each(Object.keys(cases))('the remedy of %s helps', async (check) => {
  const { examine, spoil, carryOut } = cases[check] as Case;
  await spoil();
  const found = (await examine()).find((finding) => finding.check === check);
  expect(found).toMatchObject({ check, status: expect.stringMatching(/fault|warning/) });
  await carryOut(found?.remedy ?? '');
  const left = (await examine()).filter(({ status }) => status === 'fault' || status === 'warning');
  expect(left).toEqual([]);
});

/** Remedies that the tests of their subject carry out. */
const carriedOutElsewhere: Readonly<Record<string, string>> = {
  'keys.days': 'domain/keys/expired-files.test.ts',
  'log.published': 'admin/log.test.ts',
  'log.name': 'admin/log.test.ts',
};

/** Why the remedies of these parts are not carried out. */
const notCarriedOut: Readonly<Record<string, string>> = {
  configuration: 'It refers to docs/configuration.md.',
  machine: 'It needs a larger machine, or another setting of its kernel.',
  work: 'It needs another process, or more of them.',
  valkey: 'It needs other settings of the server, with each of which engines/valkey/examine.test.ts examines one.',
  clamd: 'It needs other settings of clamd, and signatures from the Internet.',
  mail: 'It needs another mail server, or changes of DNS.',
  bounces: 'It needs root, to change the owner of a folder.',
  sms: 'It needs another password of the gateway.',
  providers: 'It needs changes at the provider.',
  audit: 'It needs another target.',
};

test('every part of the doctor has a remedy that is carried out, or it is said why it has none', () => {
  const rows = readFileSync(new URL('../../docs/doctor.md', import.meta.url), 'utf8').matchAll(/^\| (`[^|]+) \|/gm);
  const checks = [...rows].flatMap(([, names = '']) => [...names.matchAll(/`([a-z0-9.]+)`/g)].map(([, name]) => name));
  const carriedOut = [...Object.keys(cases), ...Object.keys(carriedOutElsewhere)];
  expect(carriedOut.filter((check) => !checks.includes(check))).toEqual([]);
  const toPart = (check = '') => check.split('.')[0] ?? '';
  const known = [...new Set(carriedOut.map(toPart)), ...Object.keys(notCarriedOut)];
  expect(new Set(known)).toEqual(new Set(checks.map(toPart)));
  expect(known).toHaveLength(new Set(known).size);
  for (const [check, path] of Object.entries(carriedOutElsewhere)) {
    expect(readFileSync(new URL(path, import.meta.url), 'utf8'), check).toMatch(/remedy/);
  }
});
