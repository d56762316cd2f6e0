import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { type Config, type inspectConfig, workConnections } from '../config/config.ts';
import { examinePepper } from '../domain/accounts/check-pepper.ts';
import { examineAuditTargets } from '../domain/audit/examine-audit-targets.ts';
import type { Examine, Finding } from '../domain/doctor/finding.ts';
import { fault, ok, skipped } from '../domain/doctor/finding.ts';
import { examineLog } from '../domain/evidence/examine-log.ts';
import { DayKeys } from '../domain/keys/day-keys.ts';
import { examineDayKeys } from '../domain/keys/examine-day-keys.ts';
import { examineMail } from '../domain/outbox/test-mail.ts';
import { examineKms } from '../engines/aws-kms/examine.ts';
import { examineClamd } from '../engines/clamd/examine.ts';
import { dnsRecords } from '../engines/dns/records.ts';
import { examineKeyfile } from '../engines/keyfile/examine.ts';
import { examineMachine } from '../engines/machine/examine.ts';
import { examineMaildir } from '../engines/maildir/examine.ts';
import { examineProviders } from '../engines/oidc/examine.ts';
import { askWitnesses } from '../engines/outgoing/ask-witnesses.ts';
import { readPepper } from '../engines/postgres/accounts/accounts.ts';
import { openDatabase, openPool, requestDeadlines } from '../engines/postgres/database.ts';
import { examinePostgres } from '../engines/postgres/examine.ts';
import { postgresStore } from '../engines/postgres/store.ts';
import { examinePublicUrl } from '../engines/public-url/examine.ts';
import { examineS3 } from '../engines/s3/examine.ts';
import { s3LogObjects } from '../engines/s3/log-objects.ts';
import { s3ObjectStore } from '../engines/s3/object-store.ts';
import { examineSms } from '../engines/sms/examine.ts';
import { probeMailServer } from '../engines/smtp/probe.ts';
import { examineValkey } from '../engines/valkey/examine.ts';
import { examineVault } from '../engines/vault/examine.ts';
import { examineTls } from '../http/server/examine-tls.ts';
import { type AuditTargetConfig, auditTargetSettings, openAuditTargets } from './assemble-audit-targets.ts';
import {
  kmsOptions,
  type MasterKeyConfig,
  masterKeySettings,
  openMasterKeys,
  vaultOptions,
} from './assemble-master-keys.ts';
import { openTimeStampAuthority, type TimeStampConfig, timeStampSettings } from './assemble-time-stamps.ts';
import type { ExaminedPart } from './examined-parts.ts';

const random = { bytes: randomBytes, uuid: randomUUIDv7 };

type Inspected = ReturnType<typeof inspectConfig>;

/** Settings, however incomplete → an examination of everything they name. With assemble.ts, all that names engines. */
export function assembleExaminations(
  { values, problems }: Inspected,
  { dnsServer }: { readonly dnsServer?: string | undefined } = {},
): Readonly<Record<ExaminedPart, Examine>> {
  /** An examination that is left out when a setting it needs cannot be used. */
  const given =
    <Name extends keyof Config>(
      check: ExaminedPart,
      needs: readonly Name[],
      examine: (config: Pick<Config, Name>) => AsyncIterable<Finding>,
    ): Examine =>
    () => {
      const missing = needs.filter((name) => !(name in values));
      return missing.length === 0
        ? examine(values as Pick<Config, Name>)
        : only(skipped(check, `Not examined, because of ${missing.join(', ')}.`));
    };

  return {
    configuration: () => examineConfiguration(problems),
    machine: given(
      'machine',
      ['WAYBILL_UPLOAD_MEMORY_BYTES', 'WAYBILL_DOWNLOAD_MEMORY_BYTES'],
      ({ WAYBILL_UPLOAD_MEMORY_BYTES, WAYBILL_DOWNLOAD_MEMORY_BYTES }) =>
        examineMachine({ transferBytes: WAYBILL_UPLOAD_MEMORY_BYTES + WAYBILL_DOWNLOAD_MEMORY_BYTES }),
    ),
    keys: given('keys', masterKeySettings, (config) => examineKeys(config, values)),
    postgres: given('postgres', ['WAYBILL_DATABASE_URL', 'WAYBILL_DATABASE_CONNECTIONS'], (config) =>
      examinePostgres({
        url: config.WAYBILL_DATABASE_URL,
        connections: config.WAYBILL_DATABASE_CONNECTIONS,
        workConnections,
      }),
    ),
    valkey: given('valkey', ['WAYBILL_REDIS_URL'], (config) => examineValkey({ url: config.WAYBILL_REDIS_URL })),
    s3: given('s3', s3Settings, (config) => examineS3(toS3Options(config))),
    log: given(
      'log',
      ['WAYBILL_DATABASE_URL', 'WAYBILL_WITNESSES', 'WAYBILL_PUBLIC_URL', ...timeStampSettings, ...s3Settings],
      examineEvidenceLog,
    ),
    clamd: given('clamd', ['WAYBILL_CLAMD', 'WAYBILL_SCAN', 'WAYBILL_SCAN_MAX_BYTES'], (config) =>
      config.WAYBILL_SCAN === 'off'
        ? only(skipped('clamd', 'WAYBILL_SCAN is off.'))
        : examineClamd({ address: config.WAYBILL_CLAMD, maxBytes: config.WAYBILL_SCAN_MAX_BYTES }),
    ),
    mail: given('mail', ['WAYBILL_SMTP_URL', 'WAYBILL_MAIL_FROM', 'WAYBILL_BOUNCE_ADDRESS'], (config) =>
      examineMail(() => probeMailServer(config.WAYBILL_SMTP_URL), dnsRecords({ server: dnsServer }), {
        from: config.WAYBILL_MAIL_FROM,
        bounces: config.WAYBILL_BOUNCE_ADDRESS || undefined,
      }),
    ),
    bounces: given('bounces', ['WAYBILL_BOUNCE_MAILDIR'], ({ WAYBILL_BOUNCE_MAILDIR: folder }) =>
      folder === '' ? only(skipped('bounces', 'WAYBILL_BOUNCE_MAILDIR is not set.')) : examineMaildir(folder),
    ),
    sms: given(
      'sms',
      ['WAYBILL_SMS_URL', 'WAYBILL_SMS_FROM'],
      ({ WAYBILL_SMS_URL: gateway, WAYBILL_SMS_FROM: from }) =>
        gateway
          ? examineSms({ ...gateway, from, timeoutMs: 5_000 })
          : only(skipped('sms', 'WAYBILL_SMS_URL is not set.')),
    ),
    providers: given('providers', ['WAYBILL_PROVIDERS_FILE'], ({ WAYBILL_PROVIDERS_FILE: providers }) =>
      providers.length === 0
        ? only(skipped('providers', 'WAYBILL_PROVIDERS_FILE is not set.'))
        : examineProviders({ providers, timeoutMs: 5_000 }),
    ),
    audit: given('audit', [...auditTargetSettings, 'WAYBILL_DATABASE_URL'], (config) =>
      config.WAYBILL_AUDIT_SYSLOG_URL || config.WAYBILL_AUDIT_HTTPS_URL !== ''
        ? examineAudit(config, config.WAYBILL_DATABASE_URL)
        : only(skipped('audit', 'WAYBILL_AUDIT_SYSLOG_URL and WAYBILL_AUDIT_HTTPS_URL are not set.')),
    ),
    tls: given(
      'tls',
      ['WAYBILL_TLS_CERTIFICATE_FILE', 'WAYBILL_TLS_KEY_FILE', 'WAYBILL_PUBLIC_URL'],
      ({ WAYBILL_TLS_CERTIFICATE_FILE: certificate, WAYBILL_TLS_KEY_FILE: key, WAYBILL_PUBLIC_URL: publicUrl }) =>
        certificate === ''
          ? only(skipped('tls', 'WAYBILL_TLS_CERTIFICATE_FILE is not set.'))
          : examineTls({ files: { certificate, key }, publicUrl }),
    ),
    proxy: given('proxy', ['WAYBILL_PUBLIC_URL', 'WAYBILL_KEY_PEPPER', 'WAYBILL_MAX_FILE_BYTES'], (config) =>
      examinePublicUrl({
        publicUrl: config.WAYBILL_PUBLIC_URL,
        pepper: config.WAYBILL_KEY_PEPPER,
        maxFileBytes: config.WAYBILL_MAX_FILE_BYTES,
        random,
      }),
    ),
  };
}

async function* only(finding: Finding): AsyncGenerator<Finding> {
  yield finding;
}

async function* examineConfiguration(problems: readonly string[]): AsyncGenerator<Finding> {
  if (problems.length === 0) yield ok('configuration', 'All settings can be used.');
  for (const problem of problems) {
    yield fault(
      'configuration',
      problem,
      'Correct it in the environment file, and restart `serve` and `work`: docs/configuration.md lists all settings.',
    );
  }
}

async function* examineEvidenceLog(
  config: TimeStampConfig &
    Pick<Config, 'WAYBILL_DATABASE_URL' | 'WAYBILL_WITNESSES' | 'WAYBILL_PUBLIC_URL' | (typeof s3Settings)[number]>,
): AsyncGenerator<Finding> {
  const url = config.WAYBILL_DATABASE_URL;
  const pool = openPool({ url, connections: 1, deadlines: requestDeadlines, onError: () => undefined });
  const logObjects = s3LogObjects(toS3Options(config));
  try {
    const witnesses = askWitnesses(config.WAYBILL_WITNESSES);
    const timeStampAuthority = openTimeStampAuthority(config, random);
    const policy = { publicUrl: config.WAYBILL_PUBLIC_URL };
    yield* examineLog({ store: postgresStore(openDatabase(pool)), logObjects, witnesses, timeStampAuthority, policy });
  } finally {
    logObjects.close();
    await pool.end();
  }
}

async function* examineAudit(config: AuditTargetConfig, url: string): AsyncGenerator<Finding> {
  const pool = openPool({ url, connections: 1, deadlines: requestDeadlines, onError: () => undefined });
  try {
    // Without a database or a schema, `postgres` says so.
    const states = await postgresStore(openDatabase(pool))
      .auditTargets.list()
      .catch(() => undefined);
    yield* examineAuditTargets(openAuditTargets(config), states);
  } finally {
    await pool.end();
  }
}

async function* examineKeys(config: MasterKeyConfig, values: Inspected['values']): AsyncGenerator<Finding> {
  const url = values.WAYBILL_DATABASE_URL;
  if (url === undefined) {
    yield* examineMasterKeys(config);
    return;
  }
  const pool = openPool({ url, connections: 1, deadlines: requestDeadlines, onError: () => undefined });
  try {
    const store = postgresStore(openDatabase(pool));
    let isUsable = true;
    for await (const finding of examineMasterKeys(config)) {
      if (finding.status === 'fault') isUsable = false;
      yield finding;
    }
    if (values.WAYBILL_KEY_PEPPER) {
      // Without a schema, `postgres.schema` says so.
      const recorded = await readPepper(pool).catch(() => undefined);
      yield examinePepper(recorded, values.WAYBILL_KEY_PEPPER);
    }
    if (!isUsable || s3Settings.some((name) => !(name in values))) return;
    const objects = s3ObjectStore(toS3Options(values as Pick<Config, (typeof s3Settings)[number]>));
    const masterKeys = openMasterKeys(config, random);
    yield* examineDayKeys({ store, masterKeys, dayKeys: new DayKeys({ store, objects, masterKeys, random }) });
    objects.close();
  } finally {
    await pool.end();
  }
}

function examineMasterKeys(config: MasterKeyConfig): AsyncIterable<Finding> {
  const examinations = {
    file: () => examineKeyfile({ path: config.WAYBILL_MASTER_KEY_FILE, random }),
    vault: () => examineVault(vaultOptions(config)),
    'aws-kms': () => examineKms(kmsOptions(config)),
  };
  return examinations[config.WAYBILL_MASTER_KEYS]();
}

const s3Settings = [
  'WAYBILL_S3_ENDPOINT',
  'WAYBILL_S3_REGION',
  'WAYBILL_S3_BUCKET',
  'WAYBILL_S3_ACCESS_KEY_ID',
  'WAYBILL_S3_SECRET_ACCESS_KEY',
] as const;

function toS3Options(config: Pick<Config, (typeof s3Settings)[number]>) {
  return {
    endpoint: config.WAYBILL_S3_ENDPOINT,
    region: config.WAYBILL_S3_REGION,
    bucket: config.WAYBILL_S3_BUCKET,
    accessKeyId: config.WAYBILL_S3_ACCESS_KEY_ID,
    secretAccessKey: config.WAYBILL_S3_SECRET_ACCESS_KEY,
  };
}
