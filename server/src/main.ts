#!/usr/bin/env node
import './leave-start-directory.ts';

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import closeWithGrace from 'close-with-grace';
import { type Logger, pino } from 'pino';
import type { WithEngines } from './admin/command.ts';
import type { Diagnose } from './admin/doctor.ts';
import { type Assembly, assemble } from './assemble.ts';
import { assembleExaminations } from './assemble-examinations.ts';
import {
  type Config,
  givenSettings,
  inspectConfig,
  readConfig,
  readServiceEnvironment,
  requireWorkConnections,
} from './config.ts';
import { diagnose } from './domain/doctor/diagnose.ts';
import { SetupError } from './domain/setup-error.ts';
import { exitCodes, failureOf, failureText } from './failure.ts';
import { closeUnused, type InheritedSockets, listenOn, offerHandOver, parseSockets } from './hand-over.ts';
import { buildConsole, type ProcessStatus } from './http/console/server.ts';
import { type EngineWatch, watchEngines } from './http/console/watch-engines.ts';
import { drain } from './http/drain.ts';
import { branded, readAssets } from './http/pages/assets.ts';
import { buildServer } from './http/server.ts';
import { type CertificateFiles, readCertificate, reloadCertificate } from './http/tls.ts';
import { longTasks, tasks, webhookTasks } from './jobs/jobs.ts';
import { startReadingBounces } from './jobs/read-bounces.ts';
import { startScrubbing } from './jobs/scrub.ts';
import { startSweeping } from './jobs/sweep.ts';
import { openJournal } from './journal.ts';
import { aroundJobs, aroundSweeps, jobFields } from './observe/jobs.ts';
import { createMetrics } from './observe/metrics.ts';
import { type Observation, observedEngines } from './observe/observed.ts';
import { startTracing } from './observe/tracing.ts';
import { makeProgram, UsageError } from './program.ts';
import { connectServiceManager } from './service-manager.ts';
import { askOnTerminal } from './setup/ask-on-terminal.ts';
import { becomeServicesUser } from './setup/become-services-user.ts';
import type { SetUp } from './setup/command.ts';
import { setUp } from './setup/setup.ts';
import { databaseIsAway, startUp } from './start-up.ts';

/**
 * Connections that may wait to be accepted, because many clients connect at once after a restart. The kernel may allow
 * fewer.
 */
const backlog = 4_096;
/** How long a process that met an unexpected error may finish requests, and how long its last steps may take. */
const crashGraceMs = 30_000;

const consoleSettings = { serve: 'WAYBILL_CONSOLE_LISTEN', work: 'WAYBILL_WORK_CONSOLE_LISTEN' } as const;

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** A service outlives the reader of its output; a command has no one left to work for. */
let isService = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isService) return;
    // The reader has seen enough, as `head` does.
    if (error.code === 'EPIPE') process.exit(exitCodes.done);
    if (stream === process.stdout) process.stderr.write(`waybilld: The output cannot be written: ${error.message}.\n`);
    process.exit(exitCodes.failed);
  });
}

try {
  await makeProgram({ serve, work, withEngines, diagnose: diagnoseParts, setUp: setUpHere }, version).parseAsync();
} catch (error) {
  if (error instanceof UsageError && error.isHelp) process.exit(exitCodes.done);
  const failure = failureOf(error);
  if (failure) process.stderr.write(failureText(failure, process.argv.includes('--json')));
  process.exit(failure?.exitCode ?? exitCodes.usage);
}

async function serve({ sockets }: { readonly sockets: string }): Promise<void> {
  isService = true;
  const config = readConfig();
  const inherited = parseSockets(sockets);
  closeUnused(inherited, [config.WAYBILL_LISTEN, config.WAYBILL_CONSOLE_LISTEN]);
  const tls = certificateFiles(config);
  const certificate = tls && readCertificate(tls);
  const { log, observation, engines, adminConsole, manager } = await start(config, 'serve', inherited);
  const processTag = randomBytes(3).toString('hex');
  const server = buildServer(engines, {
    log,
    // Random: a counter would tell anyone how many requests the server gets.
    makeRequestId: () => `${processTag}-${randomBytes(8).toString('hex')}`,
    publicUrl: config.WAYBILL_PUBLIC_URL,
    allowedHosts: config.WAYBILL_ALLOWED_HOSTS,
    trustedProxies: config.WAYBILL_TRUSTED_PROXIES,
    certificate,
    paceLimits: { minBodyBytesPerSecond: config.WAYBILL_MIN_BODY_BYTES_PER_SECOND },
    pages: {
      words: engines.words,
      assets: branded(readAssets(new URL('./assets/', import.meta.url)), {
        color: config.WAYBILL_OPERATOR_COLOR,
        logo: config.WAYBILL_OPERATOR_LOGO,
      }),
      operator: engines.operator,
      secureCookies: config.WAYBILL_PUBLIC_URL.startsWith('https:'),
    },
    observation,
  });
  const reloading = tls && certificate && reloadCertificate(server.server, tls, { served: certificate, log });

  // Once: a process that was replaced may also be told to stop.
  let drained: Promise<number> | undefined;
  const stopServing = (options: { readonly isReplaced?: boolean; readonly err?: Error | undefined }) => {
    drained ??= drain(server, {
      delayMs: options.err ? 0 : config.WAYBILL_STOP_DELAY_SECONDS * 1000,
      graceMs: options.err ? crashGraceMs : config.WAYBILL_STOP_SECONDS * 1000,
      isReplaced: options.isReplaced ?? false,
    });
    return drained;
  };
  const ending = closeWithGrace({ delay: stopLimitMs(config), logger: log }, async ({ err }) => {
    if (err) log.fatal({ err }, 'an unexpected error ends this process');
    // First no new work, then the work in progress, then the engines.
    adminConsole.stopping();
    if (!drained) {
      log.info('stopping: not ready for new requests, finishing those in progress');
      await manager.stopping();
    }
    const cut = await stopServing({ err });
    if (cut > 0) log.warn({ cut }, 'connections were cut: their requests took too long to end');
    reloading?.stop();
    await adminConsole.close();
    await engines.close();
    await observation.tracing.stop();
  });

  const listening = await listenOn(server, config.WAYBILL_LISTEN, { backlog, inherited }).catch(
    cannotListen('WAYBILL_LISTEN'),
  );
  await adminConsole.started();
  log.info({ listening, processTag }, 'serving');
  const { runtimeDirectory } = readServiceEnvironment();
  if (runtimeDirectory !== undefined) {
    await offerHandOver({
      directory: runtimeDirectory,
      log,
      listening: [{ address: config.WAYBILL_LISTEN, server: server.server }, ...adminConsole.listening()],
      onReplaced: () => {
        log.info('replaced: finishing the requests in progress');
        manager.endWatch();
        void adminConsole.close();
        void stopServing({ isReplaced: true }).then(() => ending.close());
      },
    });
  }
  await manager.ready();
  // To the process that this one replaces.
  process.send?.('ready');
  process.disconnect?.();
}

function certificateFiles(config: Config): CertificateFiles | undefined {
  const { WAYBILL_TLS_CERTIFICATE_FILE: certificate, WAYBILL_TLS_KEY_FILE: key } = config;
  return certificate === '' ? undefined : { certificate, key };
}

/** The engines of a service, observed, after their first check, and the administrator's port, which answers before. */
async function start(config: Config, role: 'serve' | 'work', inherited: InheritedSockets = new Map()) {
  const about = { role, version };
  const tracing = await startTracing({ ...about, url: config.WAYBILL_OTLP_URL, ratio: config.WAYBILL_TRACE_RATIO });
  const observation: Observation = { metrics: createMetrics(about), tracing };
  const logging = {
    level: config.WAYBILL_LOG_LEVEL,
    mixin: () => ({ ...jobFields(), ...tracing.logFields() }),
  };
  const journal = openJournal(readServiceEnvironment().journalStream);
  const log = journal ? pino(logging, journal) : pino(logging);
  const assembly = assemble(config, log, role, {
    aroundStatement: (text, call) => tracing.step('postgres statement', { 'db.query.text': text }, call),
    traceparent: tracing.traceparent,
  });
  const adminConsole = await openConsole(config, consoleSettings[role], { log, observation, inherited });
  await startUp(assembly, { log });
  const engines = observedEngines(assembly, observation);
  adminConsole.watch(engines);
  const manager = connectServiceManager(readServiceEnvironment(), log);
  return { log, observation, engines, adminConsole, manager };
}

/** The administrator's port, and what it reports. A supervisor can tell a process that waits from one that is dead. */
async function openConsole(
  config: Config,
  setting: (typeof consoleSettings)[keyof typeof consoleSettings],
  {
    log,
    observation,
    inherited,
  }: { readonly log: Logger; readonly observation: Observation; readonly inherited: InheritedSockets },
) {
  const { registry, sources } = observation.metrics;
  let status: ProcessStatus = 'starting';
  let watch: EngineWatch | undefined;
  const server = buildConsole({
    log,
    status: () => status,
    engines: () => watch?.states() ?? {},
    allowedHosts: config.WAYBILL_ALLOWED_HOSTS,
    metrics: registry,
  });
  const address = config[setting];
  const open = async () => {
    if (address) await listenOn(server, address, { inherited }).catch(cannotListen(setting));
  };
  // Until this process has replaced the other one, that one reports.
  const opensLate = inherited.size > 0;
  if (!opensLate) await open();
  return {
    listening: () => (address ? [{ address, server: server.server }] : []),
    watch({ checks, usage }: Pick<Assembly, 'checks' | 'usage'>) {
      watch = watchEngines(checks, { log });
      Object.assign(sources.lanes, usage.lanes);
      sources.connections = usage.connections;
      sources.memory = usage.memory;
      sources.enginesUp = watch.areUp;
    },
    async started() {
      if (status === 'starting') status = 'ok';
      if (opensLate) await open();
    },
    stopping() {
      status = 'stopping';
    },
    async close() {
      watch?.stop();
      await server.close();
    },
  };
}

function cannotListen(setting: string): (error: NodeJS.ErrnoException) => never {
  return (cause) => {
    if (cause.code !== 'EACCES') throw new Error(`${setting} cannot be used: ${cause.message}.`, { cause });
    throw new SetupError(
      `${setting} cannot be used: a port below 1024 needs a right that this user does not have. Use a port such as 8080 behind a proxy, or give the service the right: AmbientCapabilities=CAP_NET_BIND_SERVICE in its unit.`,
      { cause },
    );
  };
}

async function work(): Promise<void> {
  isService = true;
  const config = readConfig();
  requireWorkConnections(config);
  const { log, observation, engines, adminConsole, manager } = await start(config, 'work');
  observation.metrics.sources.backlog = engines.backlog;
  const options = { stopMs: config.WAYBILL_STOP_SECONDS * 1000, around: aroundJobs(observation, log) };
  const runners = await Promise.all([
    engines.startJobRunner({ ...options, concurrency: config.WAYBILL_WORKER_CONCURRENCY, tasks: tasks(engines) }),
    engines.startJobRunner({ ...options, concurrency: config.WAYBILL_CHECKS_AT_ONCE, tasks: longTasks(engines) }),
    engines.startJobRunner({ ...options, concurrency: config.WAYBILL_WEBHOOKS_AT_ONCE, tasks: webhookTasks(engines) }),
  ]);
  await adminConsole.started();
  await manager.ready();
  log.info({ working: true }, 'working');
  const sweeping = startSweeping(engines, {
    around: aroundSweeps(observation),
    onFailure: (err) => log.warn({ err }, 'a sweep failed; the next one continues it'),
  });
  const bounces =
    engines.bounceMailbox &&
    startReadingBounces(engines, engines.bounceMailbox, {
      onFailure: (err) => log.warn({ err }, 'mails that came back could not be read; they are tried again'),
    });
  const bytesPerSecond = config.WAYBILL_SCRUB_BYTES_PER_SECOND;
  const scrubbing =
    bytesPerSecond > 0 &&
    startScrubbing(engines, {
      bytesPerSecond,
      onFailure: (err) => log.warn({ err }, 'reading stored files again failed; it is continued'),
    });
  closeWithGrace({ delay: stopLimitMs(config), logger: log }, async ({ err }) => {
    if (err) log.fatal({ err }, 'an unexpected error ends this process');
    adminConsole.stopping();
    await manager.stopping();
    const parts = [sweeping, bounces, scrubbing, ...runners].filter((part) => part !== false && part !== undefined);
    await Promise.all(parts.map((part) => part.stop()));
    await adminConsole.close();
    await engines.close();
    await observation.tracing.stop();
  });
  await Promise.race(runners.map((runner) => runner.ended));
}

/** When a stopping process is killed whatever it is still doing: some time after everything was told to end. */
function stopLimitMs(config: Config): number {
  return (config.WAYBILL_STOP_DELAY_SECONDS + config.WAYBILL_STOP_SECONDS) * 1000 + crashGraceMs;
}

async function withEngines(...[command, options]: Parameters<WithEngines>): Promise<void> {
  const engines = assemble(readConfig(), pino({ level: 'silent' }), options?.role ?? 'admin');
  try {
    if (options?.migrateFirst !== false) {
      await engines.migrate().catch(databaseIsAway);
      await engines.checkPepper().catch(databaseIsAway);
    }
    await command({ engines });
  } finally {
    await engines.close();
  }
}

function diagnoseParts(...[{ parts, dnsServer }]: Parameters<Diagnose>): ReturnType<Diagnose> {
  const examinations = Object.entries(assembleExaminations(inspectConfig(), { dnsServer }));
  return diagnose(Object.fromEntries(examinations.filter(([name]) => parts.includes(name))));
}

function setUpHere(...[{ mayAsk, ...options }]: Parameters<SetUp>): ReturnType<SetUp> {
  // Only for the variables of libraries in the environment file: the settings there are read by the set-up itself.
  inspectConfig();
  return setUp(options, {
    given: givenSettings(),
    ask: mayAsk ? askOnTerminal : undefined,
    open: (config) => {
      // All files are written, which needed root.
      becomeServicesUser();
      const engines = assemble(config, pino({ level: 'silent' }), 'admin');
      const prepareDatabase = async () => {
        const applied = await engines.migrate();
        await engines.checkPepper();
        return applied;
      };
      return { ...engines, migrate: () => prepareDatabase().catch(databaseIsAway) };
    },
    diagnose: (settings) => {
      // No `serve` is running yet that could answer through the proxy.
      const { proxy: _, ...examinations } = assembleExaminations(inspectConfig(settings));
      return diagnose(examinations);
    },
  });
}
