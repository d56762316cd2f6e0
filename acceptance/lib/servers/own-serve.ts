import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { demoEnvironment } from '../../../tools/demo/environment.ts';
import { closedPort } from '../../../tools/shared/tcp.ts';
import { programEnvironment, programPath } from './admin.ts';

export interface OwnProcess {
  pid: number;
  /** The signal that ended it, or its exit code. */
  ended: Promise<NodeJS.Signals | number | null>;
  /** Every line of its output so far. */
  said: readonly string[];
  /** SIGKILL: nothing is cleaned up. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}
export interface OwnServe extends OwnProcess {
  baseUrl: string;
}

/** A built `waybilld`, and the settings that it shares with the demo. */
export interface Program {
  readonly waybilld: string;
  readonly environment: Record<string, string>;
  /** Where it is started; otherwise in the repository. */
  readonly folder?: string;
}

const readyWithinMs = 60_000;
const stoppedWithinMs = 20_000;

/** A `serve` process in addition to the demo's, on the same engines, with its own settings. */
export async function ownServe(overrides: Record<string, string>, program = thisProgram()): Promise<OwnServe> {
  const sign = /"listening":"(http:\/\/127\.0\.0\.1:\d+)"/;
  const { found, ...started } = await start(program, 'serve', { WAYBILL_LISTEN: '127.0.0.1:0', ...overrides }, sign);
  return { ...started, baseUrl: found };
}

/** A `work` process in addition to the demo's; it also runs the demo's jobs, unless it has its own database. */
export async function ownWorker(overrides: Record<string, string>, program = thisProgram()): Promise<OwnProcess> {
  return start(program, 'work', overrides, /"working":(true)/);
}

export function thisProgram(): Program {
  return { waybilld: programPath, environment: programEnvironment() };
}

async function start(
  { waybilld, environment, folder = new URL('../../..', import.meta.url).pathname }: Program,
  role: 'serve' | 'work',
  overrides: Record<string, string>,
  sign: RegExp,
): Promise<OwnProcess & { found: string }> {
  const child = spawn(process.execPath, [waybilld, role], {
    cwd: folder,
    // The line that says that it is ready is logged at this level.
    env: { ...environment, WAYBILL_LOG_LEVEL: 'info', ...overrides },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
  const said: string[] = [];
  try {
    return {
      found: await waitForSign(child, sign, said),
      pid: child.pid ?? 0,
      ended,
      said,
      async kill() {
        child.kill('SIGKILL');
        await ended;
      },
      stop: () => stop(child, role, said),
    };
  } catch (error) {
    await stop(child, role, said).catch(() => {});
    throw error;
  }
}

/** Like the demo's WAYBILL_CLAMD, but at an address where nothing listens. */
export async function clamdThatIsAway(): Promise<string> {
  const address = demoEnvironment()['WAYBILL_CLAMD'];
  if (address === undefined) throw new Error('the demo names no WAYBILL_CLAMD');
  return /:\d+$/.test(address) ? address.replace(/:\d+$/, `:${await closedPort()}`) : `${address}.away`;
}

function waitForSign(child: ChildProcess, sign: RegExp, said: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}; it said:\n${said.slice(-20).join('\n')}`));
    // Both streams are read to the end, because a full pipe would stop the process.
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line);
        const found = sign.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
    child.once('error', reject);
    child.once('exit', (code) => fail(`it ended with ${code} before it was up`));
    AbortSignal.timeout(readyWithinMs).addEventListener('abort', () => fail('it was not up in time'));
  });
}

async function stop(child: ChildProcess, role: string, said: readonly string[]): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(stoppedWithinMs) });
  child.kill('SIGTERM');
  try {
    await exited;
  } catch {
    child.kill('SIGKILL');
    throw new Error(`\`${role}\` did not stop on SIGTERM; it said:\n${said.slice(-20).join('\n')}`);
  }
}
