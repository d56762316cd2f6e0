import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { checkMasterKeys } from './domain/files/check-master-keys.ts';
import { ReadAhead } from './domain/files/read-ahead.ts';
import { sealedSegmentBytes } from './domain/files/sealing.ts';
import type { Checkpoint, Engines, Policy, Random } from './domain/ports/index.ts';
import type { Intake } from './domain/uploads/intake.ts';
import { LiveUploads } from './domain/uploads/live-uploads.ts';
import { MemoryBudget } from './domain/uploads/memory-budget.ts';
import { clamdScanner } from './engines/clamd/scanner.ts';
import { keyfileProvider } from './engines/keyfile/key-provider.ts';
import {
  jobDeadlines,
  migrationDeadlines,
  openDatabase,
  openPool,
  requestDeadlines,
} from './engines/postgres/database.ts';
import { type JobRunner, type JobRunnerOptions, startJobRunner } from './engines/postgres/job-runner.ts';
import { migrate } from './engines/postgres/migrate.ts';
import { postgresStore } from './engines/postgres/store.ts';
import { unlessAway } from './engines/postgres/unavailable.ts';
import { s3ObjectStore } from './engines/s3/object-store.ts';
import { bucketSetupError } from './engines/s3/setup.ts';
import { smsGateway } from './engines/sms/gateway.ts';
import { smtpMailer } from './engines/smtp/mailer.ts';
import { checkValkey } from './engines/valkey/check.ts';
import { connectValkey } from './engines/valkey/connect.ts';
import { valkeyCsrfTokens } from './engines/valkey/csrf-tokens.ts';
import { valkeyFailureLimit } from './engines/valkey/failure-limit.ts';
import { valkeyMessageLimit } from './engines/valkey/message-limit.ts';
import { valkeyRecipientPace } from './engines/valkey/recipient-pace.ts';
import { createLetters } from './views/letters.ts';
import { type AllWords, createWords } from './views/words.ts';

/** All a role is given: the engines, and what only this process has. */
export interface Assembly extends Engines {
  readonly pepper: Buffer;
  readonly intake: Intake;
  readonly words: AllWords;
  startJobRunner(options: Omit<JobRunnerOptions, 'pool' | 'log'>): Promise<JobRunner>;
  migrate(): Promise<string[]>;
  /** By the engine's name: throws when it is out of reach, and a SetupError when its answer shows a wrong setting. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  close(): Promise<void>;
}

const unitSeconds = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

export type Role = 'serve' | 'work' | 'admin';

/** Config → engines. The only file that names concrete ones. */
export function assemble(config: Config, log: Logger, role: Role): Assembly {
  const random: Random = { bytes: randomBytes, uuid: randomUUIDv7 };
  const lostConnection = (engine: string) => (error: Error) =>
    log.warn({ engine, reason: error.message }, 'an engine reported a fault');
  const databaseOptions = { url: config.WAYBILL_DATABASE_URL, onError: lostConnection('postgres') };
  const pool = openPool({
    ...databaseOptions,
    connections: config.WAYBILL_DATABASE_CONNECTIONS,
    deadlines: role === 'serve' ? requestDeadlines : jobDeadlines,
  });
  const store = postgresStore(openDatabase(pool));
  const keys = keyfileProvider(config.WAYBILL_MASTER_KEY_FILE, random);
  const valkey = connectValkey(config.WAYBILL_REDIS_URL, lostConnection('valkey'));
  const objects = s3ObjectStore({
    endpoint: config.WAYBILL_S3_ENDPOINT,
    region: config.WAYBILL_S3_REGION,
    bucket: config.WAYBILL_S3_BUCKET,
    accessKeyId: config.WAYBILL_S3_ACCESS_KEY_ID,
    secretAccessKey: config.WAYBILL_S3_SECRET_ACCESS_KEY,
  });
  const words = createWords({
    fallback: config.WAYBILL_LANGUAGE,
    overridesDir: config.WAYBILL_TEXTS_DIR === '' ? undefined : config.WAYBILL_TEXTS_DIR,
  });
  // Half of a worker's jobs at most: a mail server that hangs leaves the others to SMS and sweeping.
  const mailConnections = Math.max(1, Math.min(4, Math.floor(config.WAYBILL_WORKER_CONCURRENCY / 2)));
  const mailer = smtpMailer({ url: config.WAYBILL_SMTP_URL, connections: mailConnections });

  return {
    store,
    objects,
    keys,
    csrfTokens: valkeyCsrfTokens(valkey, random, { ttlSeconds: config.WAYBILL_CSRF_TTL_SECONDS }),
    failureLimit: valkeyFailureLimit(valkey, { failures: config.WAYBILL_FAILURES_PER_MINUTE, seconds: 60 }),
    messageLimit: valkeyMessageLimit(valkey, {
      perAccount: config.WAYBILL_MESSAGES_PER_ACCOUNT,
      perRecipient: config.WAYBILL_MESSAGES_PER_RECIPIENT,
    }),
    recipientPace: valkeyRecipientPace(valkey, { perHour: config.WAYBILL_RECIPIENT_MESSAGES_PER_HOUR }),
    report: (what, details) => log.warn(details, what),
    scanner: clamdScanner({
      address: config.WAYBILL_CLAMD,
      verdictMs: config.WAYBILL_SCAN_SECONDS * 1000,
      maxBytes: config.WAYBILL_SCAN_MAX_BYTES,
      maxStreams: config.WAYBILL_SCAN_STREAMS,
    }),
    mailer,
    sms:
      config.WAYBILL_SMS_URL &&
      smsGateway({ ...config.WAYBILL_SMS_URL, from: config.WAYBILL_SMS_FROM, timeoutMs: 10_000 }),
    letters: createLetters(words),
    words,
    random,
    checkpoint: checkpointFor(config.WAYBILL_FAILPOINT),
    policy: policyFrom(config),
    pepper: config.WAYBILL_KEY_PEPPER,
    readAhead: new ReadAhead({ bytes: config.WAYBILL_DOWNLOAD_MEMORY_BYTES }),
    intake: {
      memory: new MemoryBudget({
        slabBytes: sealedSegmentBytes,
        bytes: config.WAYBILL_UPLOAD_MEMORY_BYTES,
        waitMs: 8_000,
        maxWaiting: 1_000,
      }),
      live: new LiveUploads(store.uploads, { leaseSeconds: config.WAYBILL_UPLOAD_LEASE_SECONDS }),
    },
    startJobRunner: (jobs) => startJobRunner({ pool, log, ...jobs }),
    async migrate() {
      // A connection that holds the lock, and one for the job runner's own migrations.
      const migrations = openPool({ ...databaseOptions, connections: 2, deadlines: migrationDeadlines });
      try {
        return await unlessAway(() => migrate(migrations));
      } finally {
        await migrations.end();
      }
    },
    checks: {
      postgres: async () => void (await pool.query('select 1')),
      valkey: () => checkValkey(valkey),
      s3: () =>
        objects.ping().catch((error: unknown) => {
          throw bucketSetupError(error, config.WAYBILL_S3_BUCKET) ?? error;
        }),
      masterKeys: () => checkMasterKeys({ store, keys }),
    },
    async close() {
      mailer.close();
      valkey.disconnect();
      objects.close();
      await pool.end();
    },
  };
}

function policyFrom(config: Config): Policy {
  return {
    publicUrl: config.WAYBILL_PUBLIC_URL,
    mailFrom: config.WAYBILL_MAIL_FROM,
    scan: config.WAYBILL_SCAN,
    desttime: {
      unitSeconds: unitSeconds[config.WAYBILL_DESTTIME_UNIT],
      max: config.WAYBILL_DESTTIME_MAX,
      default: config.WAYBILL_DESTTIME_DEFAULT,
    },
    uploadLeaseSeconds: config.WAYBILL_UPLOAD_LEASE_SECONDS,
    maxFileBytes: config.WAYBILL_MAX_FILE_BYTES,
    resumeSeconds: config.WAYBILL_RESUME_SECONDS,
    grantMaxBytes: config.WAYBILL_GRANT_MAX_BYTES,
    secondFactor: config.WAYBILL_SECOND_FACTOR,
    maxCodesPerRecipient: config.WAYBILL_CODES_PER_RECIPIENT,
    keepSeconds: { history: daysOf(config.WAYBILL_HISTORY_DAYS), audit: daysOf(config.WAYBILL_AUDIT_DAYS) },
  };
}

/** In seconds; undefined for 0, which is for ever. */
function daysOf(days: number): number | undefined {
  return days === 0 ? undefined : days * unitSeconds.days;
}

/** SIGKILL, not an exit: nothing may tidy up, as nothing does when the power fails. */
function checkpointFor(failpoint: string): Checkpoint {
  if (failpoint === '') return () => undefined;
  return (name) => {
    if (name === failpoint) process.kill(process.pid, 'SIGKILL');
  };
}
