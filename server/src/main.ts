#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import closeWithGrace from 'close-with-grace';
import { Command } from 'commander';
import { pino } from 'pino';
import { accountCommands } from './admin/accounts.ts';
import type { WithEngines } from './admin/command.ts';
import { contactCommands } from './admin/contacts.ts';
import { dropCommands } from './admin/drops.ts';
import { keyCommands } from './admin/keys.ts';
import { migrateCommand } from './admin/migrate.ts';
import { outboxCommands } from './admin/outbox.ts';
import { sweepCommand } from './admin/sweep.ts';
import { assemble } from './assemble.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { ExchangeError } from './domain/exchange-error.ts';
import { buildConsole } from './http/console/server.ts';
import { watchEngines } from './http/console/watch-engines.ts';
import { drain } from './http/drain.ts';
import { readAssets } from './http/pages/assets.ts';
import { buildServer } from './http/server.ts';
import { longTasks, tasks } from './jobs/jobs.ts';
import { startSweeping } from './jobs/sweep.ts';
import { startUp } from './start-up.ts';

/** Connections that may wait to be accepted: many clients come at once after a restart. The kernel may allow less. */
const backlog = 4_096;
/** Exit codes: 0 done, 1 refused or failed, 2 used wrongly, 78 not configured. */
const exitCodes = { failed: 1, usage: 2, configuration: 78 };

/** How long a process that met an unexpected error finishes requests, and how long its last steps may take. */
const crashGraceMs = 30_000;

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('waybilld')
  .description(
    'Secure file exchange for machines and people. Settings come from the environment: docs/configuration.md.',
  )
  .version(version, '--version', 'print the version')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : exitCodes.usage));

program.command('serve').description('answer HTTP').action(serve);
program.command('work').description('run jobs: mails, deadlines, sweeping').action(work);
const admin = program.command('admin').description('commands for administrators');
for (const add of [
  accountCommands,
  keyCommands,
  contactCommands,
  dropCommands,
  outboxCommands,
  sweepCommand,
  migrateCommand,
])
  add(admin, withEngines);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`waybilld: ${explain(error)}\n`);
  process.exit(error instanceof ConfigError ? exitCodes.configuration : exitCodes.failed);
}

async function serve(): Promise<void> {
  const config = readConfig();
  const log = pino({ level: config.WAYBILL_LOG_LEVEL });
  const engines = assemble(config, log, 'serve');
  await startUp(engines, { log });
  const processTag = randomBytes(3).toString('hex');
  const server = buildServer(engines, {
    log,
    processTag,
    publicUrl: config.WAYBILL_PUBLIC_URL,
    allowedHosts: config.WAYBILL_ALLOWED_HOSTS,
    trustedProxies: config.WAYBILL_TRUSTED_PROXIES,
    paceLimits: { minBodyBytesPerSecond: config.WAYBILL_MIN_BODY_BYTES_PER_SECOND },
    pages: {
      words: engines.words,
      assets: readAssets(new URL('./assets/', import.meta.url)),
      secureCookies: config.WAYBILL_PUBLIC_URL.startsWith('https:'),
    },
  });
  const watch = watchEngines(engines.checks, { log });
  let stopping = false;
  const adminConsole = buildConsole({ log, isStopping: () => stopping, engines: watch.states });

  closeWithGrace({ delay: stopLimitMs(config), logger: log }, async ({ err }) => {
    if (err) log.fatal({ err }, 'an unexpected error ends this process');
    // First no new work, then the work in progress, then the engines.
    stopping = true;
    log.info('stopping: not ready for new requests, finishing those in progress');
    const cut = await drain(server, {
      delayMs: err ? 0 : config.WAYBILL_STOP_DELAY_SECONDS * 1000,
      graceMs: err ? crashGraceMs : config.WAYBILL_STOP_SECONDS * 1000,
    });
    if (cut > 0) log.warn({ cut }, 'connections were cut: their requests took too long to end');
    watch.stop();
    await adminConsole.close();
    await engines.close();
  });

  if (config.WAYBILL_CONSOLE_LISTEN) await adminConsole.listen(config.WAYBILL_CONSOLE_LISTEN);
  const listening = await server.listen({ ...config.WAYBILL_LISTEN, backlog });
  log.info({ listening, processTag }, 'serving');
}

async function work(): Promise<void> {
  const config = readConfig();
  const log = pino({ level: config.WAYBILL_LOG_LEVEL });
  const engines = assemble(config, log, 'work');
  await startUp(engines, { log });
  const watch = watchEngines(engines.checks, { log });
  const stopMs = config.WAYBILL_STOP_SECONDS * 1000;
  const runners = await Promise.all([
    engines.startJobRunner({ concurrency: config.WAYBILL_WORKER_CONCURRENCY, tasks: tasks(engines), stopMs }),
    engines.startJobRunner({ concurrency: config.WAYBILL_CHECKS_AT_ONCE, tasks: longTasks(engines), stopMs }),
  ]);
  log.info({ working: true }, 'working');
  const sweeping = startSweeping(engines, {
    onFailure: (err) => log.warn({ err }, 'a sweep failed; the next one continues it'),
  });
  closeWithGrace({ delay: stopLimitMs(config), logger: log }, async ({ err }) => {
    if (err) log.fatal({ err }, 'an unexpected error ends this process');
    watch.stop();
    await Promise.all([sweeping, ...runners].map((part) => part.stop()));
    await engines.close();
  });
  await Promise.race(runners.map((runner) => runner.ended));
}

/** When a process that stops is ended whatever it still does: a while after everything was told to end. */
function stopLimitMs(config: Config): number {
  return (config.WAYBILL_STOP_DELAY_SECONDS + config.WAYBILL_STOP_SECONDS) * 1000 + crashGraceMs;
}

async function withEngines(...[command, options]: Parameters<WithEngines>): Promise<void> {
  const engines = assemble(readConfig(), pino({ level: 'silent' }), 'admin');
  try {
    if (options?.migrateFirst !== false) await engines.migrate();
    await command({ engines });
  } finally {
    await engines.close();
  }
}

function explain(error: unknown): string {
  if (error instanceof ExchangeError) {
    const cause = error.cause instanceof Error ? ` (${error.cause.message || error.cause.name})` : '';
    // The text for callers of the API speaks of a header that is not here.
    return error.code === 'unavailable'
      ? `An engine is out of reach${cause}. Check that it runs, and its address in the settings.`
      : `${error.message}${cause}`;
  }
  return error instanceof Error ? error.message : String(error);
}
