import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { checkPepper } from '../domain/accounts/check-pepper.ts';
import type { Author } from '../domain/audit/audit-store.ts';
import type { AuditTarget } from '../domain/audit/audit-target.ts';
import type { AuditTargetName } from '../domain/audit/audit-target-store.ts';
import { systemAuthor } from '../domain/audit/author.ts';
import type { BackupPlace, BucketInventory } from '../domain/backup/backup-place.ts';
import type { DatabaseCopies } from '../domain/backup/database-copies.ts';
import { describeCauses, type EngineName } from '../domain/engine-name.ts';
import type { Checkpoint, Engines } from '../domain/engines.ts';
import { requireUnusedBucket } from '../domain/evidence/start-epoch.ts';
import { sealedSegmentBytes } from '../domain/files/sealing.ts';
import type { ConcurrencyLimiter } from '../domain/flow/concurrency-limiter.ts';
import { createDownloadLimits } from '../domain/flow/download-limits.ts';
import { MemoryBudget } from '../domain/flow/memory-budget.ts';
import { checkKeysHourly } from '../domain/keys/check-master-keys.ts';
import { DayKeys } from '../domain/keys/day-keys.ts';
import { migrateSchema } from '../domain/migrate-schema.ts';
import { ReturnPaths } from '../domain/outbox/return-paths.ts';
import type { Policy } from '../domain/policy.ts';
import type { IdentityProviders } from '../domain/ports/identity-provider.ts';
import type { Logger as OperatorLog } from '../domain/ports/logger.ts';
import type { DnsRecords, Mailbox, ProbeMailServer } from '../domain/ports/mailer.ts';
import type { Random } from '../domain/ports/random.ts';
import { SetupError } from '../domain/setup-error.ts';
import { Passwords } from '../domain/sign-in/password.ts';
import { makePersonLinks, makeStopLinks } from '../domain/signed-ids.ts';
import { LiveUploads } from '../domain/uploads/live-uploads.ts';
import type { UploadResources } from '../domain/uploads/upload-resources.ts';
import { WebhookSecrets } from '../domain/webhooks/webhook-secrets.ts';
import { checkClamd, readVersion, toBuildTime } from '../engines/clamd/connection.ts';
import { clamdScanner } from '../engines/clamd/scanner.ts';
import { dnsRecords } from '../engines/dns/records.ts';
import { readReport } from '../engines/dsn/read-report.ts';
import { folderBackupPlace } from '../engines/folder/backup-place.ts';
import { maildir } from '../engines/maildir/mailbox.ts';
import { identityProviders } from '../engines/oidc/identity-providers.ts';
import { askWitnesses } from '../engines/outgoing/ask-witnesses.ts';
import { webhookSender } from '../engines/outgoing/webhook-sender.ts';
import { createReceiptPrinter } from '../engines/pdf/print-receipt.ts';
import { recordPepper } from '../engines/postgres/accounts/accounts.ts';
import { databaseCopies } from '../engines/postgres/backup/copies.ts';
import {
  type AroundStatement,
  closePool,
  jobDeadlines,
  limitConnections,
  migrationDeadlines,
  openDatabase,
  openPool,
  requestDeadlines,
} from '../engines/postgres/database.ts';
import { readBacklog } from '../engines/postgres/jobs/backlog.ts';
import { type JobRunner, type JobRunnerOptions, startJobRunner } from '../engines/postgres/jobs/job-runner.ts';
import { migrate, type PlannedMigration, planMigrations, requireSchema } from '../engines/postgres/migrate.ts';
import { unlessRefused } from '../engines/postgres/setup.ts';
import { postgresStore } from '../engines/postgres/store.ts';
import { translateDatabaseErrors } from '../engines/postgres/unavailable.ts';
import { s3BackupPlace, s3BucketInventory } from '../engines/s3/backup-place.ts';
import { bucketSetupError, createBucket } from '../engines/s3/create-bucket.ts';
import { s3LogObjects } from '../engines/s3/log-objects.ts';
import { s3ObjectStore } from '../engines/s3/object-store.ts';
import { smsGateway } from '../engines/sms/gateway.ts';
import { smtpMailer } from '../engines/smtp/mailer.ts';
import { probeMailServer } from '../engines/smtp/probe.ts';
import { valkeyAttemptLimit } from '../engines/valkey/attempt-limit.ts';
import { checkValkey } from '../engines/valkey/check.ts';
import { connectValkey } from '../engines/valkey/connect.ts';
import { valkeyCsrfTokens } from '../engines/valkey/csrf-tokens.ts';
import { valkeyFailureLimit } from '../engines/valkey/failure-limit.ts';
import { valkeyMessageLimit } from '../engines/valkey/message-limit.ts';
import { valkeyReceiverPace } from '../engines/valkey/receiver-pace.ts';
import { webauthnPasskeys } from '../engines/webauthn/passkeys.ts';
import { toMailLogo } from '../present/mails/mail-logo.ts';
import { createMailTemplates } from '../present/mails/mail-templates.ts';
import type { Operator } from '../present/operator.ts';
import { createReceiptWriter } from '../present/receipt/receipt-pages.ts';
import { createTranslators, type Translators } from '../present/texts/translator.ts';
import { openAuditTargets } from './assemble-audit-targets.ts';
import { openMasterKeys } from './assemble-master-keys.ts';
import { openTimeStampAuthority } from './assemble-time-stamps.ts';

/** Everything a role is given: the engines, and what only this process has. */
export interface Assembly extends Engines {
  readonly pepper: Buffer;
  readonly uploadResources: UploadResources;
  readonly translator: Translators;
  readonly operator: Operator;
  readonly identityProviders: IdentityProviders;
  /** Where returned mails are read from, unless the mail server passes them to us. */
  readonly bounceMailbox: Mailbox | undefined;
  readonly auditTargets: ReadonlyMap<AuditTargetName, AuditTarget>;
  readonly probeMailServer: ProbeMailServer;
  /** Queries the system's DNS servers, or this one. */
  readonly dns: (server: string | undefined) => DnsRecords;
  /** When clamd's signatures were made; undefined if it does not say, or does not respond. */
  readonly signaturesMadeAt: () => Promise<Date | undefined>;
  /** Counts the work that is due and not yet done. */
  readonly backlog: () => ReturnType<typeof readBacklog>;
  /** Resources that are in use at the moment. */
  readonly usage: {
    readonly lanes: Readonly<Record<string, ConcurrencyLimiter>>;
    readonly connections: () => Readonly<Record<'in_use' | 'idle', number>>;
    readonly memory: () => Readonly<
      Record<'heldBytes' | 'limitBytes', Readonly<Record<'upload' | 'download', number>>>
    >;
  };
  readonly database: DatabaseCopies;
  readonly bucket: BucketInventory;
  openBackupPlace(address: BackupAddress): BackupPlace;
  startJobRunner(options: Omit<JobRunnerOptions, 'pool' | 'log'>): Promise<JobRunner>;
  /** Throws a SetupError if the database is empty and the bucket is in use. */
  migrate(author?: Author): Promise<string[]>;
  /** Throws a SetupError if the database is empty. */
  requireSchema(): Promise<void>;
  /** Throws a SetupError if the API keys were made under another pepper. Needs an up-to-date schema. */
  checkPepper(): Promise<void>;
  /** Creates the bucket unless it exists. Returns whether it was created. */
  createBucket(beforeCreation?: () => Promise<void>): Promise<boolean>;
  /** Lists the migrations that `migrate` would apply. */
  planMigrations(): Promise<PlannedMigration[]>;
  /**
   * By the engine's name: throws when the engine is unavailable, and a SetupError when its response shows a wrong
   * setting.
   */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  close(): Promise<void>;
}

/** A directory, or a prefix in a bucket, which is empty or ends with a slash. */
export type BackupAddress = { readonly folder: string } | { readonly bucket: string; readonly prefix: string };

/** Documented in docs/api-v1.md: an entry that was claimed this often without being acknowledged is parked. */
const inboxAttempts = 10;
const unitSeconds = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

/** A restore is a command that may connect to a database that is being restored. */
export type Role = 'serve' | 'work' | 'admin' | 'restore';

/** For tracing: what is called around every statement, and the trace that a job continues. */
export interface Hooks {
  readonly aroundStatement?: AroundStatement;
  readonly traceparent?: () => string | undefined;
  /** Called with the reason whenever an engine does not do its work. */
  readonly engineFailed?: (engine: EngineName, reason: string) => void;
  /** Called while a migration waits, with what it waits for. */
  readonly migrationWaits?: (message: string) => void;
}

/** Config → engines. The only file that names concrete engines. */
export function assemble(config: Config, log: Logger, role: Role, hooks: Hooks = {}): Assembly {
  const random: Random = { bytes: randomBytes, uuid: randomUUIDv7 };
  const lostConnection = (engine: EngineName) => (error: Error) =>
    hooks.engineFailed?.(engine, describeCauses(error) ?? 'the connection was lost');
  const ownSessions = role === 'restore' ? new Set<number>() : undefined;
  const databaseOptions = {
    url: config.WAYBILL_DATABASE_URL,
    name: `waybill ${role}`,
    onError: lostConnection('postgres'),
    ownSessions,
  };
  const pool = openPool({
    ...databaseOptions,
    connections: config.WAYBILL_DATABASE_CONNECTIONS,
    deadlines: role === 'serve' ? requestDeadlines : jobDeadlines,
  });
  const lane = limitConnections(pool);
  const database = openDatabase(pool, { limiter: lane, around: hooks.aroundStatement });
  const store = postgresStore(database, hooks.traceparent);
  const masterKeys = openMasterKeys(config, random);
  const passwords = new Passwords(config.WAYBILL_KEY_PEPPER, random);
  const passphrases = new Passwords(config.WAYBILL_KEY_PEPPER, random, undefined, 'passphrase');
  const valkey = connectValkey(config.WAYBILL_REDIS_URL, lostConnection('valkey'));
  const s3 = {
    endpoint: config.WAYBILL_S3_ENDPOINT,
    region: config.WAYBILL_S3_REGION,
    bucket: config.WAYBILL_S3_BUCKET,
    accessKeyId: config.WAYBILL_S3_ACCESS_KEY_ID,
    secretAccessKey: config.WAYBILL_S3_SECRET_ACCESS_KEY,
  };
  const objects = s3ObjectStore(s3);
  const logObjects = s3LogObjects(s3);
  const dayKeys = new DayKeys({ store, objects, masterKeys, random });
  const downloads = createDownloadLimits(config.WAYBILL_DOWNLOAD_MEMORY_BYTES);
  const memory = new MemoryBudget({
    slabBytes: sealedSegmentBytes,
    bytes: config.WAYBILL_UPLOAD_MEMORY_BYTES,
    waitMs: 8_000,
    maxWaiting: 1_000,
  });
  const bucket = s3BucketInventory(s3);
  const translator = readTranslators({
    fallback: config.WAYBILL_LANGUAGE,
    overridesDir: config.WAYBILL_TEXTS_DIR === '' ? undefined : config.WAYBILL_TEXTS_DIR,
    timeZone: config.WAYBILL_TIME_ZONE,
  });
  // At most half of a worker's jobs, so that a mail server that hangs leaves the other half for SMS and sweeping.
  const mailConnections = Math.max(1, Math.min(4, Math.floor(config.WAYBILL_WORKER_CONCURRENCY / 2)));
  const logger: OperatorLog = {
    warn: (event, details) => log.warn(details, event),
    info: (event, details) => log.info(details, event),
  };
  const requireUnused = () =>
    requireUnusedBucket({ logObjects }, s3.bucket).catch((error: unknown) => {
      throw bucketSetupError(error, s3.bucket) ?? error;
    });
  const mailer = smtpMailer({ url: config.WAYBILL_SMTP_URL, connections: mailConnections });

  return {
    store,
    objects,
    logObjects,
    masterKeys,
    dayKeys,
    csrfTokens: valkeyCsrfTokens(valkey, random, { lifetimeSeconds: config.WAYBILL_CSRF_LIFETIME_SECONDS }),
    failureLimit: valkeyFailureLimit(valkey, { failures: config.WAYBILL_FAILURES_PER_MINUTE, seconds: 60 }),
    attemptLimit: valkeyAttemptLimit(valkey),
    messageLimit: valkeyMessageLimit(valkey, {
      perAccount: config.WAYBILL_MESSAGES_PER_ACCOUNT,
      perReceiver: config.WAYBILL_MESSAGES_PER_RECEIVER,
    }),
    receiverPace: valkeyReceiverPace(valkey, { perHour: config.WAYBILL_RECEIVER_MESSAGES_PER_HOUR }),
    logger,
    scanner: clamdScanner({
      address: config.WAYBILL_CLAMD,
      verdictMs: config.WAYBILL_SCAN_SECONDS * 1000,
      maxBytes: config.WAYBILL_SCAN_MAX_BYTES,
      maxStreams: config.WAYBILL_SCAN_STREAMS,
      onFault: (reason) => hooks.engineFailed?.('clamd', reason),
    }),
    mailer,
    returnPaths:
      config.WAYBILL_BOUNCE_ADDRESS === ''
        ? undefined
        : new ReturnPaths(config.WAYBILL_BOUNCE_ADDRESS, config.WAYBILL_KEY_PEPPER, {
            hasMailbox: config.WAYBILL_BOUNCE_MAILDIR !== '',
          }),
    stopLinks: makeStopLinks(config.WAYBILL_PUBLIC_URL, config.WAYBILL_KEY_PEPPER),
    personLinks: makePersonLinks(config.WAYBILL_PUBLIC_URL, config.WAYBILL_KEY_PEPPER),
    readReport,
    bounceMailbox: config.WAYBILL_BOUNCE_MAILDIR === '' ? undefined : maildir(config.WAYBILL_BOUNCE_MAILDIR),
    sms:
      config.WAYBILL_SMS_URL &&
      smsGateway({ ...config.WAYBILL_SMS_URL, from: config.WAYBILL_SMS_FROM, timeoutMs: 10_000 }),
    mailTemplates: createMailTemplates(translator, toOperator(config)),
    witnesses: askWitnesses(config.WAYBILL_WITNESSES),
    timeStampAuthority: openTimeStampAuthority(config, random),
    receiptPrinter: createReceiptPrinter(
      createReceiptWriter(translator, toOperator(config), config.WAYBILL_PUBLIC_URL),
    ),
    webhookSender: webhookSender({
      allowed: config.WAYBILL_WEBHOOK_ALLOW,
      allowHttp: config.WAYBILL_WEBHOOK_HTTP === 'allowed',
    }),
    webhookSecrets: new WebhookSecrets(config.WAYBILL_KEY_PEPPER),
    passwords,
    passphrases,
    passkeys: webauthnPasskeys(),
    translator,
    operator: toOperator(config),
    identityProviders: identityProviders({
      providers: config.WAYBILL_PROVIDERS_FILE,
      publicUrl: config.WAYBILL_PUBLIC_URL,
      pepper: config.WAYBILL_KEY_PEPPER,
      random,
      logger,
    }),
    random,
    checkpoint: checkpointFor(config.WAYBILL_FAILPOINT),
    policy: toPolicy(config),
    pepper: config.WAYBILL_KEY_PEPPER,
    downloads,
    uploadResources: {
      memory,
      live: new LiveUploads(store.uploads, { leaseSeconds: config.WAYBILL_UPLOAD_LEASE_SECONDS }),
    },
    auditTargets: openAuditTargets(config),
    probeMailServer: () => probeMailServer(config.WAYBILL_SMTP_URL),
    dns: (server) => dnsRecords({ server }),
    signaturesMadeAt: async () =>
      config.WAYBILL_SCAN === 'off' ? undefined : toBuildTime(await readVersion(config.WAYBILL_CLAMD)),
    backlog: () => readBacklog(database, { isStamped: config.WAYBILL_TIMESTAMP_URL !== '' }),
    usage: {
      lanes: {
        postgres: lane,
        s3_reading: objects.limiters.reading,
        s3_writing: objects.limiters.writing,
        s3_deleting: objects.limiters.deleting,
        s3_log: logObjects.limiter,
        passwords: passwords.limiter,
        passphrases: passphrases.limiter,
      },
      connections: () => ({ in_use: pool.totalCount - pool.idleCount, idle: pool.idleCount }),
      memory: () => ({
        heldBytes: { upload: memory.heldBytes, download: downloads.memory.heldBytes },
        limitBytes: { upload: memory.limitBytes, download: downloads.memory.limitBytes },
      }),
    },
    database: databaseCopies({
      url: config.WAYBILL_DATABASE_URL,
      openPool: () => openPool({ ...databaseOptions, connections: 1, deadlines: migrationDeadlines }),
      ...(ownSessions && { ownSessions }),
    }),
    bucket,
    openBackupPlace(address) {
      if ('folder' in address) return folderBackupPlace(address.folder, objects);
      if (address.bucket !== s3.bucket) return s3BackupPlace({ ...s3, place: address });
      throw new SetupError(`${s3.bucket} is the bucket to back up. Use another one for the backup.`);
    },
    startJobRunner: (jobs) => startJobRunner({ pool, log, ...jobs }),
    async migrate(author = systemAuthor('server')) {
      // One connection holds the lock, and one is for the job runner's own migrations.
      const migrations = openPool({ ...databaseOptions, connections: 2, deadlines: migrationDeadlines });
      try {
        return await unlessRefused(() =>
          translateDatabaseErrors(() =>
            migrateSchema(
              { store, random },
              () => migrate(migrations, { onWait: hooks.migrationWaits, beforeCreation: requireUnused }),
              author,
            ),
          ),
        );
      } finally {
        await migrations.end();
      }
    },
    checkPepper: () =>
      translateDatabaseErrors(() =>
        checkPepper((fingerprint) => recordPepper(pool, fingerprint), config.WAYBILL_KEY_PEPPER),
      ),
    requireSchema: () => unlessRefused(() => translateDatabaseErrors(() => requireSchema(pool))),
    createBucket: (beforeCreation) => createBucket(s3, beforeCreation),
    planMigrations: () => unlessRefused(() => translateDatabaseErrors(() => planMigrations(pool))),
    checks: {
      postgres: async () => void (await pool.query('select 1')),
      valkey: () => checkValkey(valkey),
      s3: () =>
        objects.ping().catch((error: unknown) => {
          throw bucketSetupError(error, config.WAYBILL_S3_BUCKET) ?? error;
        }),
      masterKeys: checkKeysHourly({ store, masterKeys, dayKeys }),
      ...(config.WAYBILL_SCAN !== 'off' && { clamd: () => checkClamd(config.WAYBILL_CLAMD) }),
    },
    async close() {
      mailer.close();
      valkey.disconnect();
      objects.close();
      logObjects.close();
      bucket.close();
      const inUse = await closePool(pool);
      if (inUse > 0) log.warn({ inUse }, 'connections to PostgreSQL were still in use at the end');
    },
  };
}

function readTranslators(options: Parameters<typeof createTranslators>[0]): Translators {
  try {
    return createTranslators(options);
  } catch (cause) {
    throw new SetupError(`WAYBILL_LANGUAGE or WAYBILL_TEXTS_DIR cannot be used: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function toOperator(config: Config): Operator {
  return {
    name: config.WAYBILL_OPERATOR_NAME,
    color: config.WAYBILL_OPERATOR_COLOR,
    mailLogo: toMailLogo(config.WAYBILL_OPERATOR_LOGO),
    supportAddress: config.WAYBILL_SUPPORT_ADDRESS,
    imprintUrl: config.WAYBILL_IMPRINT_URL,
    privacyUrl: config.WAYBILL_PRIVACY_URL,
  };
}

function toPolicy(config: Config): Policy {
  return {
    publicUrl: config.WAYBILL_PUBLIC_URL,
    mailFrom: config.WAYBILL_MAIL_FROM,
    operatorName: config.WAYBILL_OPERATOR_NAME,
    supportAddress: config.WAYBILL_SUPPORT_ADDRESS,
    scan: config.WAYBILL_SCAN,
    acceptsEncrypted: config.WAYBILL_SCAN_ENCRYPTED === 'accept',
    lifetime: {
      unitSeconds: unitSeconds[config.WAYBILL_LIFETIME_UNIT],
      min: 1,
      max: config.WAYBILL_LIFETIME_MAX,
      only: null,
      default: config.WAYBILL_LIFETIME_DEFAULT,
    },
    uploadLeaseSeconds: config.WAYBILL_UPLOAD_LEASE_SECONDS,
    maxFileBytes: config.WAYBILL_MAX_FILE_BYTES,
    maxStoredBytes: toLimit(config.WAYBILL_ACCOUNT_MAX_BYTES),
    dropsPerDay: toLimit(config.WAYBILL_DROPS_PER_DAY),
    mailsPerDay: toLimit(config.WAYBILL_MAILS_PER_DAY),
    receiverDomains: config.WAYBILL_RECEIVER_DOMAINS.length === 0 ? null : config.WAYBILL_RECEIVER_DOMAINS,
    resumeSeconds: config.WAYBILL_RESUME_SECONDS,
    requestMaxBytes: config.WAYBILL_REQUEST_MAX_BYTES,
    publicPage: {
      isAllowed: config.WAYBILL_PUBLIC_PAGES === 'allowed',
      mailsPerAddress: config.WAYBILL_PUBLIC_PAGE_MAILS_PER_ADDRESS,
      mailsPerNetwork: config.WAYBILL_PUBLIC_PAGE_MAILS_PER_NETWORK,
      mailsPerPage: config.WAYBILL_PUBLIC_PAGE_MAILS_PER_DAY,
      maxBytes: config.WAYBILL_PUBLIC_PAGE_MAX_BYTES,
    },
    inboxAttempts,
    secondFactor: config.WAYBILL_SECOND_FACTOR,
    sharedLinks: config.WAYBILL_SHARED_LINKS,
    maxCodesPerReceiver: config.WAYBILL_CODES_PER_RECEIVER,
    keepSeconds: {
      drafts: config.WAYBILL_DRAFT_DAYS * unitSeconds.days,
      history: toSeconds(config.WAYBILL_HISTORY_DAYS),
      activity: toSeconds(config.WAYBILL_ACTIVITY_DAYS),
      audit: toSeconds(config.WAYBILL_AUDIT_DAYS),
      evidence: toSeconds(config.WAYBILL_EVIDENCE_DAYS),
      events: config.WAYBILL_EVENT_DAYS * unitSeconds.days,
      messages: toSeconds(config.WAYBILL_MESSAGE_DAYS),
      webhooks: config.WAYBILL_WEBHOOK_DAYS * unitSeconds.days,
    },
  };
}

/** 0 stands for no limit. */
function toLimit(limit: number): number | null {
  return limit === 0 ? null : limit;
}

/** In seconds; undefined for 0, which is forever. */
function toSeconds(days: number): number | undefined {
  return days === 0 ? undefined : days * unitSeconds.days;
}

/** SIGKILL, not an exit: nothing may clean up, just as nothing does when the power fails. */
function checkpointFor(failpoint: string): Checkpoint {
  if (failpoint === '') return () => undefined;
  return (name) => {
    if (name === failpoint) process.kill(process.pid, 'SIGKILL');
  };
}
