// Remedies of the doctor are carried out here to the letter, after which it is content.
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { shippedProxy } from '../../tools/shared/shipped-proxies.ts';
import { closedPort } from '../../tools/shared/tcp.ts';
import { examinePepper } from '../src/domain/accounts/check-pepper.ts';
import { fingerprint } from '../src/domain/backup/key-fingerprints.ts';
import type { Finding } from '../src/domain/doctor/finding.ts';
import { examineKeyfile } from '../src/engines/keyfile/examine.ts';
import { examinePostgres } from '../src/engines/postgres/examine.ts';
import { migrate } from '../src/engines/postgres/migrate.ts';
import { createBucket } from '../src/engines/s3/create-bucket.ts';
import { examineS3 } from '../src/engines/s3/examine.ts';
import { examineTls } from '../src/http/server/examine-tls.ts';
import { createEmptyDatabase, openTestPool } from './database.ts';
import { engineAddresses } from './engine-addresses.ts';
import { examineBehind, examinePublic, startServe } from './examine-behind.ts';
import { carryOutRemedy, collectFindings, readRemedy } from './findings.ts';
import { bucketNameForTest, removeBucket } from './object-store.ts';
import { runAdmin } from './run-admin.ts';
import { makeCertificate } from './transports.ts';

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
/** Changes of a case to the environment of `serve`. */
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
const pepper = randomBytes(32);
const random = { bytes: randomBytes, uuid: randomUUIDv7 };
const s3 = () => ({ ...engineAddresses.s3, bucket });
const examineBucket = () => collectFindings(examineS3(s3()));

/** Runs the `waybilld admin …` of a remedy with these engines. */
const runCommand = (remedy: string, engines: Readonly<Record<string, unknown>>) =>
  runAdmin({ engines: engines as never }, ...readRemedy(remedy, /waybilld admin ([a-z -]+)/).split(' '));

/** The other half of the command needs root and the group of the package. */
const changeMode = (remedy: string) => execFileSync('sh', ['-c', readRemedy(remedy, /&& (chmod .+)$/)]);

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
    carryOut: (remedy) => {
      expect(remedy).toMatch(/^Correct WAYBILL_S3_BUCKET/);
      const store = { dayKeys: { list: async () => [] }, evidenceLog: { list: async () => [] } };
      return runCommand(remedy, { store, createBucket: () => createBucket(s3()) });
    },
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
  'keys.pepper': {
    examine: async () => [examinePepper(fingerprint(pepper), readFileSync(at('pepper')))],
    spoil: () => writeFileSync(at('pepper'), randomBytes(32)),
    carryOut(remedy) {
      readRemedy(remedy, /(Put the right one in place)/);
      writeFileSync(at('pepper'), pepper);
    },
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
    carryOut: (remedy) =>
      (environment['WAYBILL_TRUSTED_PROXIES'] = readRemedy(remedy, /WAYBILL_TRUSTED_PROXIES=([^,]+),/)),
  },
  'proxy.certificate': {
    examine: examineHttps,
    spoil: () => issueCertificate(),
    carryOut: (remedy) => (environment[readRemedy(remedy, /in (NODE_EXTRA_CA_CERTS)/)] = at('ca.crt')),
  },
};

test.each(Object.keys(cases))('the remedy of %s helps', async (check) => {
  const { examine, spoil, carryOut } = cases[check] as Case;
  await spoil();
  await carryOutRemedy(check, examine, carryOut);
});

/** Remedies that other tests carry out, where what they need is at hand. */
const carriedOutElsewhere: readonly string[] = ['keys.days', 'log.published', 'log.name'];

const otherVersion = 'It needs another version of the engine, which cannot be installed here.';
const clock = 'It needs another clock of the machine.';
const elsewhere = 'It asks somebody else for a change.';
/** Why the remedies of these checks are not carried out. */
const notCarriedOut: Readonly<Record<string, string>> = {
  'machine.load': 'It asks for the cause.',
  'keys.vault.address': 'It needs a Vault on another machine.',
  'keys.kms': 'KMS cannot be run here.',
  'postgres.version': otherVersion,
  'postgres.clock': clock,
  'valkey.version': otherVersion,
  'valkey.clock': clock,
  's3.clock': clock,
  's3.undeleted': 'It needs a repair of the object store.',
  'log.keys': otherVersion,
  'log.witnesses': elsewhere,
  'clamd.version': otherVersion,
  'clamd.signatures': 'It needs signatures from the Internet.',
  'clamd.detection': 'It needs signatures from the Internet.',
  'mail.encryption': 'It needs a mail server on another machine.',
  'mail.dkim': elsewhere,
  'audit.reachable': elsewhere,
  'audit.delivery': elsewhere,
};

test('every remedy of the doctor is carried out, or it is said why not', () => {
  const rows = readFileSync(new URL('../../docs/doctor.md', import.meta.url), 'utf8').matchAll(/^\| (`[^|]+) \|/gm);
  const checks = [...rows].flatMap(([, names = '']) => [...names.matchAll(/`([a-z0-9.]+)`/g)].map(([, name]) => name));
  const texts = globSync('{src,test}/**/*.test.ts', { cwd: join(import.meta.dirname, '..') }).map((path) =>
    readFileSync(join(import.meta.dirname, '..', path), 'utf8'),
  );
  const calls = texts.flatMap((text) =>
    [...text.matchAll(/carryOutRemedy\(\s*'([a-z0-9.]+)'/g)].map(([, name]) => name),
  );
  const carriedOut = [...new Set([...Object.keys(cases), ...calls, ...carriedOutElsewhere])];
  const explained = Object.keys(notCarriedOut);
  expect(explained.filter((check) => carriedOut.includes(check))).toEqual([]);
  expect(new Set([...carriedOut, ...explained])).toEqual(new Set(checks));
  expect(carriedOut.length + explained.length).toBe(checks.length);
});
