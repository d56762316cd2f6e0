/**
 * Waybill on this machine: the engines, two `serve` processes behind one address, a worker, two API accounts and three people. Prints
 * one JSON line when everything is ready, stays in the foreground, and on SIGTERM or SIGINT stops what it started.
 * Everything is new at each start; nothing is kept from an earlier demo.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createBucket, purgeBucket } from './bucket.ts';
import {
  demoBucket,
  demoDatabase,
  demoDir,
  demoEnvironment,
  engineEnvironment,
  enginesDir,
  projectDir,
  waybilld,
} from './environment.ts';
import { countSessions, createAccount, recreateDatabase } from './fresh.ts';
import { createPeople } from './people.ts';

const run = promisify(execFile);
const engines = (...args: string[]) => run(`${projectDir}/tools/engines/engines`, args);

const words = process.argv.slice(2);
if (words[0] === '--help') {
  process.stdout.write(`Usage: npm run demo [-- COMMAND]

Starts a complete Waybill on this machine and prints one JSON line about it. Press Ctrl-C to stop it. With a COMMAND,
runs it with the settings of the demo that is running:

  npm run demo -- admin doctor
`);
  process.exit(0);
}
if (words.length > 0) {
  const env = { PATH: process.env['PATH'], ...demoEnvironment() };
  process.exit(spawnSync(process.execPath, [waybilld, ...words], { env, stdio: 'inherit' }).status ?? 1);
}

const children: { name: string; process: ChildProcess }[] = [];
let startedEngines: string[] = [];
/** Whether the settings beside the database are this demo's, not those of another that is running. */
let hasDatabase = false;
let stopping: Promise<never> | undefined;
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void (stopping ??= stop(0)));

try {
  await start();
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  stopping ??= stop(1);
}

async function start(): Promise<void> {
  startedEngines = await findStoppedEngines();
  await engines('up');
  await refuseSecondDemo();
  hasDatabase = true;
  await recreateDatabase(demoDatabase);
  await emptyBucket();

  const port = await freePort(8080);
  const baseUrl = `http://127.0.0.1:${port}`;
  const environment = { ...engineEnvironment(baseUrl), WAYBILL_ALLOWED_HOSTS: `localhost:${port}` };
  mkdirSync(demoDir, { recursive: true });
  writeFileSync(`${demoDir}/environment.json`, JSON.stringify(environment), { mode: 0o600 });

  const serves = await Promise.all([startServe('serve-1', environment), startServe('serve-2', environment)]);
  const workProbes = `127.0.0.1:${await freePort(0)}`;
  const work = { ...environment, WAYBILL_WORK_PROBES_LISTEN: workProbes };
  const worker = await startWaybilld('worker', ['work'], work, 'working');
  const proxy = await startProxy(
    port,
    serves.map((serve) => serve.listening),
  );
  const [people, ...accounts] = await Promise.all([
    createPeople(environment, `http://localhost:${port}`),
    createAccount({ waybilld, environment }, { email: 'alpha@machines.test', number: '46700000001' }),
    createAccount({ waybilld, environment }, { email: 'beta@machines.test', number: '46700000002' }),
  ]);
  const line = {
    base_url: baseUrl,
    accounts,
    people,
    admin_url: serves[0]?.probes,
    probes: [...serves.map((serve) => serve.probes), `http://${workProbes}`],
    mail_dir: `${enginesDir}/postfix/mail/all/new`,
    sms_log: `${enginesDir}/kannel/sms.log`,
    pids: { 'serve-1': serves[0]?.pid, 'serve-2': serves[1]?.pid, worker: worker.pid, proxy: proxy.pid },
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function stop(code: number): Promise<never> {
  // In reverse order: first the proxy, then the processes behind it.
  for (const { process: child } of children.toReversed()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }
  if (hasDatabase) rmSync(`${demoDir}/environment.json`, { force: true });
  if (startedEngines.length > 0) await engines('down', ...startedEngines);
  process.exit(code);
}

/** Each demo begins with an empty database, so a second one would take the first one's away. */
async function refuseSecondDemo(): Promise<void> {
  // Sessions of a demo that has just been stopped may end a moment later.
  for (let look = 0; look < 20; look += 1) {
    if ((await countSessions(demoDatabase)) === 0) return;
    await sleep(100);
  }
  throw new Error(
    `Another demo is running on these engines: ${demoDatabase} has open sessions. Stop it first, with Ctrl-C in its terminal.`,
  );
}

async function findStoppedEngines(): Promise<string[]> {
  const { stdout } = await engines('status', '--json').catch((error: { stdout: string }) => error);
  const status = JSON.parse(stdout) as { engines: Record<string, { state: string }> };
  return Object.entries(status.engines).flatMap(([name, { state }]) => (state === 'running' ? [] : [name]));
}

async function emptyBucket(): Promise<void> {
  await purgeBucket(demoBucket).catch(() => undefined); // there was none
  await createBucket(demoBucket);
}

async function startServe(name: string, environment: Record<string, string>) {
  const probes = `127.0.0.1:${await freePort(0)}`;
  return {
    ...(await startWaybilld(
      name,
      ['serve'],
      { ...environment, WAYBILL_LISTEN: '127.0.0.1:0', WAYBILL_PROBES_LISTEN: probes, WAYBILL_LOG_LEVEL: 'info' },
      'listening',
    )),
    probes: `http://${probes}`,
  };
}

/**
 * Starts waybilld and waits for the log line that says it is ready; its log goes to a file next to the engines' logs.
 */
async function startWaybilld(name: string, args: string[], environment: Record<string, string>, sign: string) {
  const log = openSync(`${demoDir}/${name}.log`, 'w');
  const child = spawn(process.execPath, [waybilld, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...environment, WAYBILL_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', log],
  });
  children.push({ name, process: child });
  const lines = createInterface({ input: child.stdout as Readable });
  const up = new Promise<Record<string, unknown>>((resolve, reject) => {
    lines.on('line', (line) => {
      writeFileSync(log, `${line}\n`);
      const entry = line.startsWith('{') ? (JSON.parse(line) as Record<string, unknown>) : {};
      if (entry[sign] !== undefined) resolve(entry);
    });
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}; see ${demoDir}/${name}.log`)));
  });
  const { listening } = await up;
  child.removeAllListeners('exit');
  child.once('exit', (code, signal) => {
    if (!stopping) process.stderr.write(`demo: ${name} ended (${signal ?? code}); see ${demoDir}/${name}.log\n`);
  });
  return { pid: child.pid, listening: String(listening) };
}

/** TCP, not HTTP: every byte reaches Waybill as it was sent. Connections go to the processes in turn. */
async function startProxy(port: number, targets: string[]) {
  const config = `${demoDir}/haproxy.cfg`;
  const servers = targets.map((url, index) => `  server serve-${index + 1} ${new URL(url).host} check inter 500ms`);
  writeFileSync(
    config,
    [
      'defaults',
      '  mode tcp',
      '  timeout connect 5s',
      '  timeout client 1h',
      '  timeout server 1h',
      '  option redispatch',
      '  retries 3',
      'listen waybill',
      `  bind 127.0.0.1:${port}`,
      '  balance roundrobin',
      ...servers,
      '',
    ].join('\n'),
  );
  const log = openSync(`${demoDir}/proxy.log`, 'w');
  const child = spawn('/usr/sbin/haproxy', ['-db', '-f', config], { stdio: ['ignore', log, log] });
  children.push({ name: 'proxy', process: child });
  for (const deadline = Date.now() + 20_000; ; ) {
    const isReachable = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isReachable) return { pid: child.pid };
    if (Date.now() > deadline) throw new Error(`the proxy does not respond; see ${demoDir}/proxy.log`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The preferred port if it is free, otherwise any. */
async function freePort(preferred: number): Promise<number> {
  const server = createServer();
  const taken = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(true));
    server.listen(preferred, '127.0.0.1', () => resolve(false));
  });
  if (taken) return freePort(0);
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
