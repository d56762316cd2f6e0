import { type Logger, pino } from 'pino';
import { type Assembly, assemble } from '../assemble/assemble.ts';
import type { Config } from '../config/config.ts';
import { toEngineAddresses } from '../config/engine-addresses.ts';
import { readServiceEnvironment } from '../config/service-environment.ts';
import { version } from '../config/version.ts';
import { SetupError } from '../domain/setup-error.ts';
import { type InheritedSockets, listenOn } from '../host/hand-over.ts';
import { openJournal } from '../host/journal.ts';
import { connectServiceManager } from '../host/service-manager.ts';
import { buildProbes, type ProcessStatus } from '../http/probes/server.ts';
import { type EngineWatch, watchEngines } from '../http/probes/watch-engines.ts';
import { jobFields } from '../observe/jobs.ts';
import { createMetrics } from '../observe/metrics.ts';
import { type Observation, observeEngines, scanCall } from '../observe/observe-engines.ts';
import { Outages } from '../observe/outages.ts';
import { startTracing } from '../observe/tracing.ts';
import { waitForEngines } from './wait-for-engines.ts';

/** How long a process that met an unexpected error may finish requests, and how long its last steps may take. */
export const crashGraceMs = 30_000;

const probesSettings = { serve: 'WAYBILL_PROBES_LISTEN', work: 'WAYBILL_WORK_PROBES_LISTEN' } as const;

/** The engines of a service, observed, after their first check, and the probe port, which responds before. */
export async function startService(config: Config, role: 'serve' | 'work', inherited: InheritedSockets = new Map()) {
  const about = { role, version };
  const tracing = await startTracing({ ...about, url: config.WAYBILL_OTLP_URL, ratio: config.WAYBILL_TRACE_RATIO });
  const outages = new Outages(toEngineAddresses(config));
  const observation = { metrics: createMetrics(about), tracing, outages } satisfies Observation;
  const logging = {
    level: config.WAYBILL_LOG_LEVEL,
    mixin: () => ({ ...jobFields(), ...tracing.logFields() }),
    hooks: outages.hooks,
  };
  const journal = openJournal(readServiceEnvironment().journalStream);
  const log = journal ? pino(logging, journal) : pino(logging);
  outages.writeTo(log);
  const assembly = assemble(config, log, role, {
    aroundStatement: (text, call) => tracing.step('postgres statement', { 'db.query.text': text }, call),
    traceparent: tracing.traceparent,
    // Of clamd, this is the failure of a scan; of the others, of a connection.
    engineFailed: (engine, reason) => outages.failed(engine, reason, engine === 'clamd' ? scanCall : undefined),
    migrationWaits: (reason) => log.warn({ engine: 'postgres', reason }, 'a migration is waiting'),
  });
  const probes = await openProbes(config, probesSettings[role], { log, observation, inherited });
  await waitForEngines(assembly, { failed: (engine, reason) => outages.failed(engine, reason) });
  const engines = observeEngines(assembly, observation);
  probes.watch(engines);
  const manager = connectServiceManager(readServiceEnvironment(), log);
  return { log, observation, engines, probes, manager };
}

/** The probe port, and what it reports. A supervisor can tell a process that waits from one that is dead. */
async function openProbes(
  config: Config,
  setting: (typeof probesSettings)[keyof typeof probesSettings],
  {
    log,
    observation,
    inherited,
  }: { readonly log: Logger; readonly observation: Required<Observation>; readonly inherited: InheritedSockets },
) {
  const { metrics, outages } = observation;
  const { registry, sources } = metrics;
  let status: ProcessStatus = 'starting';
  let watch: EngineWatch | undefined;
  const server = buildProbes({
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
    watch({ checks, usage, signaturesMadeAt }: Pick<Assembly, 'checks' | 'usage' | 'signaturesMadeAt'>) {
      watch = watchEngines(checks, { report: outages });
      Object.assign(sources.lanes, usage.lanes);
      sources.connections = usage.connections;
      sources.memory = usage.memory;
      sources.enginesUp = watch.areUp;
      sources.signaturesMadeAt = signaturesMadeAt;
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

export function cannotListen(setting: string): (error: NodeJS.ErrnoException) => never {
  return (cause) => {
    if (cause.code !== 'EACCES') throw new Error(`${setting} cannot be used: ${cause.message}.`, { cause });
    throw new SetupError(
      `${setting} cannot be used: a port below 1024 needs a right that this user does not have. Use a port such as 8080 behind a proxy, or run \`systemctl edit waybill-serve\` and add these lines: [Service], AmbientCapabilities=CAP_NET_BIND_SERVICE, CapabilityBoundingSet=CAP_NET_BIND_SERVICE, PrivateUsers=no.`,
      { cause },
    );
  };
}

/** When a stopping process is killed whatever it is still doing: some time after everything was told to end. */
export function stopLimitMs(config: Config): number {
  return (config.WAYBILL_STOP_DELAY_SECONDS + config.WAYBILL_STOP_SECONDS) * 1000 + crashGraceMs;
}
