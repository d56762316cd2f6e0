import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';

/** The one line the demo prints when it is ready. */
export interface Demo {
  base_url: string;
  accounts: { user: string; api_key: string }[];
  admin_url: string;
  mail_dir: string;
  sms_log: string;
  pids: Record<string, number>;
}

declare module 'vitest' {
  export interface ProvidedContext {
    demo: Demo;
  }
}

const repositoryRoot = new URL('../..', import.meta.url).pathname;
const readyWithinMs = 170_000;
const stoppedWithinMs = 60_000;

/** Runs once for the whole suite: a demo that is already up, or one of our own. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const running = process.env['WAYBILL_DEMO_JSON'];
  if (running !== undefined && running !== '') {
    project.provide('demo', JSON.parse(running) as Demo);
    return undefined;
  }
  // A process group of its own, so that a demo that will not stop can be ended with all it started. When we are killed,
  // the kernel tells it to stop: left behind, its worker would do the jobs of the next one's database.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', 'npm', 'run', '--silent', 'demo'], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  try {
    project.provide('demo', await readyLine(child));
  } catch (error) {
    await stop(child).catch(() => {});
    throw error;
  }
  return () => stop(child);
}

async function readyLine(child: ChildProcess): Promise<Demo> {
  if (child.stdout === null) throw new Error('the demo has no stdout');
  const lines = createInterface({ input: child.stdout });
  const signal = AbortSignal.timeout(readyWithinMs);
  return await new Promise<Demo>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.startsWith('{')) resolve(JSON.parse(line) as Demo);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the demo ended with ${code} before it was ready`)));
    signal.addEventListener('abort', () => reject(new Error(`the demo was not ready in ${readyWithinMs} ms`)));
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
    throw new Error(`the demo did not stop within ${stoppedWithinMs} ms of SIGTERM`);
  }
}
