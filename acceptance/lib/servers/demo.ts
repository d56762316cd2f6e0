import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import type { DemoPerson } from '../../../tools/demo/people.ts';
import { programEnvironment } from './admin.ts';

/** The single line that the demo prints when it is ready. */
export interface Demo {
  base_url: string;
  accounts: { user: string; api_key: string }[];
  /** Each with a link that opens once. */
  people: DemoPerson[];
  admin_url: string;
  /** Of every process of Waybill. */
  probes: string[];
  mail_dir: string;
  sms_log: string;
  pids: Record<string, number>;
}

declare module 'vitest' {
  export interface ProvidedContext {
    demo: Demo;
    /** The URL of tools/demo/account-maker.ts. */
    accountMaker: string;
  }
}

const repositoryRoot = new URL('../../..', import.meta.url).pathname;
const readyWithinMs = 170_000;
const stoppedWithinMs = 60_000;

/**
 * Called once for the whole suite: uses a demo that is already running, or starts one, and starts what makes accounts in
 * it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started: ChildProcess[] = [];
  const stopAll = async () => {
    for (const child of started.toReversed()) await stop(child);
  };
  try {
    const running = process.env['WAYBILL_DEMO_JSON'] || (await startDemo(started));
    project.provide('demo', JSON.parse(running) as Demo);
    project.provide('accountMaker', await startAccountMaker(started));
  } catch (error) {
    await stopAll().catch(() => {});
    throw error;
  }
  return stopAll;
}

async function startDemo(started: ChildProcess[]): Promise<string> {
  // Tests damage objects on purpose, and add rows without any; reading all of them would only slow others down.
  const environment = { ...process.env, WAYBILL_SCRUB_BYTES_PER_SECOND: '0' };
  return await start(started, 'the demo', [process.execPath, 'tools/demo/demo.ts'], environment, /^{.*/);
}

async function startAccountMaker(started: ChildProcess[]): Promise<string> {
  const command = [process.execPath, 'tools/demo/account-maker.ts'];
  return await start(started, 'the account maker', command, programEnvironment(), /^http:.*/);
}

/** Returns the line that says that it is ready. */
async function start(
  started: ChildProcess[],
  name: string,
  command: string[],
  env: NodeJS.ProcessEnv,
  sign: RegExp,
): Promise<string> {
  // In its own process group, so that a demo that does not stop can be ended together with everything it started. If we
  // are killed, the kernel tells it to stop: otherwise its worker would run the jobs of the next demo's database.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...command], {
    cwd: repositoryRoot,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  started.push(child);
  const lines = createInterface({ input: child.stdout });
  const signal = AbortSignal.timeout(readyWithinMs);
  return await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      if (sign.test(line)) resolve(line);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready`)));
    signal.addEventListener('abort', () => reject(new Error(`${name} was not ready in ${readyWithinMs} ms`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(stoppedWithinMs) });
  child.kill('SIGTERM');
  try {
    await exited;
  } catch {
    process.kill(-child.pid, 'SIGKILL');
    throw new Error(`${child.spawnargs.at(-1)} did not stop within ${stoppedWithinMs} ms of SIGTERM`);
  }
}
