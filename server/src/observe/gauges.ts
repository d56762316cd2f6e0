import { Counter, Gauge, type Registry } from 'prom-client';

/** Calls that are limited in number: those being made and those that wait. */
export interface Lane {
  readonly limit: number;
  readonly inUse: number;
  readonly waiting: number;
}

/** Due work in the database. Counting stops at 10,000. */
export interface Backlog {
  readonly jobs: readonly {
    readonly job: string;
    readonly priority: 'high' | 'normal' | 'low';
    readonly ready: number;
    readonly oldestSeconds: number;
  }[];
  readonly messages: Readonly<Record<'waiting' | 'due' | 'abandoned', number>>;
  readonly stored: {
    readonly damagedFiles: number;
    readonly lastBackupSeconds: number | null;
    readonly lastBackupFailureSeconds: number | null;
  };
  readonly evidence: {
    readonly waiting: number;
    readonly lagSeconds: number;
    readonly checkpointSeconds: number | null;
    readonly cosignedSeconds: number | null;
    readonly unstampedSeconds: number | null;
    readonly refusal: string | null;
  };
}

type PerDirection = Readonly<Record<'upload' | 'download', number>>;

/** Values read on scrape; each component registers its own. */
export interface Sources {
  lanes: Record<string, Lane>;
  connections?: () => Readonly<Record<'in_use' | 'idle', number>>;
  memory?: () => { readonly heldBytes: PerDirection; readonly limitBytes: PerDirection };
  transfers?: () => PerDirection;
  traffic?: () => { readonly connections: number; readonly receivedBytes: number; readonly sentBytes: number };
  /** Whether each engine responded to its last check; undefined before the first. */
  enginesUp?: () => Readonly<Record<string, boolean | undefined>>;
  /** Of the certificate with which this process terminates TLS. */
  certificateExpiresAt?: () => Date;
  /** When clamd's signatures were made; undefined if it does not say. */
  signaturesMadeAt?: () => Promise<Date | undefined>;
  backlog?: () => Promise<Backlog>;
  /** The last result of each witness, in the process that writes the evidence log. */
  witnesses?: () => Readonly<Record<string, 'cosigned' | 'failed' | 'refused'>>;
  /** The age of the oldest audit entry that each target does not have. */
  auditWaitingSeconds?: () => Promise<Readonly<Record<string, number>>>;
}

export function addGauges(registry: Registry, sources: Sources): void {
  const registers = [registry];
  type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | undefined];
  const addSampledGauge = (name: string, help: string, labelNames: string[], read: () => Promise<readonly Sample[]>) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const samples = await read();
        this.reset();
        // A gauge without labels is reset to 0, not removed.
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of samples) if (value !== undefined) this.set(labels, value);
      },
    });
  type Values = Readonly<Record<string, number | undefined>> | undefined;
  /** One sample for each value of the label. */
  const gauge = (name: string, help: string, label: string, read: () => Values | Promise<Values>) =>
    addSampledGauge(name, help, [label], async () =>
      Object.entries((await read()) ?? {}).map(([key, value]) => [{ [label]: key }, value]),
    );
  const lanes = (value: (lane: Lane) => number) => () =>
    Object.fromEntries(Object.entries(sources.lanes).map(([name, lane]) => [name, value(lane)]));
  gauge(
    'waybill_lane_size',
    'How many calls of a kind may be made at once.',
    'lane',
    lanes((lane) => lane.limit),
  );
  gauge(
    'waybill_lane_in_use',
    'Calls of a kind that are being made.',
    'lane',
    lanes((lane) => lane.inUse),
  );
  gauge(
    'waybill_lane_waiting',
    'Calls of a kind that wait for their turn.',
    'lane',
    lanes((lane) => lane.waiting),
  );
  gauge('waybill_postgres_connections', 'Open connections to PostgreSQL.', 'state', () => sources.connections?.());
  gauge('waybill_transfers_in_progress', 'Files being received or sent.', 'direction', () => sources.transfers?.());
  gauge(
    'waybill_transfer_memory_bytes',
    'Memory that transfers hold.',
    'direction',
    () => sources.memory?.().heldBytes,
  );
  gauge(
    'waybill_transfer_memory_limit_bytes',
    'Memory that transfers may hold: WAYBILL_UPLOAD_MEMORY_BYTES and WAYBILL_DOWNLOAD_MEMORY_BYTES.',
    'direction',
    () => sources.memory?.().limitBytes,
  );
  gauge(
    'waybill_engine_up',
    '1 if the engine responded to its last check, otherwise 0. Checks are made every 5 seconds.',
    'engine',
    () =>
      Object.fromEntries(
        Object.entries(sources.enginesUp?.() ?? {}).map(([engine, up]) => [engine, up === undefined ? up : Number(up)]),
      ),
  );

  addSampledGauge(
    'waybill_certificate_expiry_timestamp_seconds',
    'When the certificate expires with which serve terminates TLS itself; absent behind a proxy.',
    [],
    async () => [[{}, toSeconds(sources.certificateExpiresAt?.())]],
  );
  const signaturesMadeAt = cacheBriefly(async () => sources.signaturesMadeAt?.());
  addSampledGauge(
    'waybill_virus_signatures_timestamp_seconds',
    'When the newest of clamd’s signatures were made; absent while clamd does not respond, or has no official ones.',
    [],
    async () => [[{}, toSeconds(await signaturesMadeAt())]],
  );

  const backlog = cacheBriefly(async () => sources.backlog?.());
  const addJobGauge = (name: string, help: string, value: (job: Backlog['jobs'][number]) => number) =>
    addSampledGauge(name, help, ['task', 'priority'], async () =>
      ((await backlog())?.jobs ?? []).map((job) => [{ task: job.job, priority: job.priority }, value(job)]),
    );
  addJobGauge(
    'waybill_jobs_ready',
    'Jobs that are due and not running, up to 10,000. Codes have the priority high, webhooks that fail have low. Only in work.',
    ({ ready }) => ready,
  );
  addJobGauge(
    'waybill_jobs_oldest_age_seconds',
    'How long the oldest of them has been due. Only in work.',
    ({ oldestSeconds }) => oldestSeconds,
  );
  gauge(
    'waybill_outbox_messages',
    'Mails and SMS that wait, those of them that are due, and those that were abandoned; each up to 10,000. Only in work.',
    'state',
    async () => (await backlog())?.messages,
  );

  addSampledGauge(
    'waybill_damaged_files',
    'Stored files that are known to be damaged, missing or unreadable, up to 10,000. Only in work.',
    [],
    async () => [[{}, (await backlog())?.stored.damagedFiles]],
  );
  addSampledGauge(
    'waybill_last_backup_timestamp_seconds',
    'The moment of the database in the last backup that was completed; absent before the first. Only in work.',
    [],
    async () => [[{}, (await backlog())?.stored.lastBackupSeconds ?? undefined]],
  );
  addSampledGauge(
    'waybill_last_backup_failure_timestamp_seconds',
    'When waybilld admin backup failed for the last time; absent if it never did. Only in work.',
    [],
    async () => [[{}, (await backlog())?.stored.lastBackupFailureSeconds ?? undefined]],
  );

  const addLogGauge = (name: string, help: string, read: (evidence: Backlog['evidence']) => number | null) =>
    addSampledGauge(name, `${help} Only in work.`, [], async () => {
      const evidence = (await backlog())?.evidence;
      return [[{}, (evidence && read(evidence)) ?? undefined]];
    });
  addLogGauge(
    'waybill_log_waiting_entries',
    'Entries of the evidence log that no published checkpoint covers, up to 10,000.',
    ({ waiting }) => waiting,
  );
  addLogGauge(
    'waybill_log_lag_seconds',
    'How long the oldest of them has been waiting.',
    ({ lagSeconds }) => lagSeconds,
  );
  addLogGauge(
    'waybill_log_checkpoint_age_seconds',
    'Since a checkpoint of the evidence log was last published; it grows while nothing happens.',
    ({ checkpointSeconds }) => checkpointSeconds,
  );
  addLogGauge(
    'waybill_log_cosigned_age_seconds',
    'Since a witness last cosigned a checkpoint; absent before the first.',
    ({ cosignedSeconds }) => cosignedSeconds,
  );
  addLogGauge(
    'waybill_log_unstamped_seconds',
    'The age of the oldest published entry that no time stamp covers; 0 if there is none. Absent without WAYBILL_TIMESTAMP_URL.',
    ({ unstampedSeconds }) => unstampedSeconds,
  );
  addLogGauge(
    'waybill_log_refusing',
    '1 while the evidence log refuses to sign, because the bucket and the database do not fit together, otherwise 0.',
    ({ refusal }) => Number(refusal !== null),
  );
  addSampledGauge(
    'waybill_log_witnesses',
    'What each witness did with the last checkpoint that it was asked to cosign: 1 for the result cosigned, failed or refused. Only in the work process that writes the log.',
    ['witness', 'result'],
    async () => Object.entries(sources.witnesses?.() ?? {}).map(([witness, result]) => [{ witness, result }, 1]),
  );
  gauge(
    'waybill_audit_waiting_seconds',
    'The age of the oldest audit entry that the target does not have; 0 if it has all. Only in work.',
    'target',
    cacheBriefly(async () => sources.auditWaitingSeconds?.()),
  );

  registry.registerMetric(
    new Gauge({
      name: 'waybill_http_connections',
      help: 'Open connections of clients or proxies.',
      registers: [],
      collect() {
        this.set(sources.traffic?.().connections ?? 0);
      },
    }),
  );
  const bytes = (name: string, help: string, read: () => number | undefined) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read() ?? 0);
      },
    });
  bytes(
    'waybill_http_received_bytes_total',
    'Bytes received from clients or proxies.',
    () => sources.traffic?.().receivedBytes,
  );
  bytes('waybill_http_sent_bytes_total', 'Bytes sent to clients or proxies.', () => sources.traffic?.().sentBytes);
}

const toSeconds = (time: Date | undefined) => time && time.getTime() / 1000;

/** However often and by however many a process is asked, the database is queried this often. */
const defaultMaxAgeMs = 15_000;
/** The database may be unavailable, and that is when everything else is wanted most. */
const defaultPatienceMs = 2_000;

/**
 * Loads at most one result at a time, for everyone who asks until it is old. Undefined when there is none in time, or
 * loading it failed.
 */
export function cacheBriefly<Result>(
  load: () => Promise<Result>,
  { maxAgeMs = defaultMaxAgeMs, patienceMs = defaultPatienceMs, now = () => performance.now() } = {},
): () => Promise<Result | undefined> {
  let loading: Promise<Result | undefined> | undefined;
  let staleAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() >= staleAt) {
      // While it loads, however long that takes, no second one is loaded beside it.
      staleAt = Number.POSITIVE_INFINITY;
      loading = load()
        .catch(() => undefined)
        .finally(() => {
          staleAt = now() + maxAgeMs;
        });
    }
    const timeout = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => timeout.resolve(undefined), patienceMs);
    try {
      return await Promise.race([loading, timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
