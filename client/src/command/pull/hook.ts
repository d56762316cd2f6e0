import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { defaultRuntime } from '../../runtime.ts';
import type { Environment } from '../terminal/terminal.ts';

export interface ReceivedFile {
  path: string;
  name: string;
  sender: string;
  entry: string;
  sha256: string;
  size: number;
  attempt: number;
}

/** How long a hook may take to end by itself. It is less than a command may take after a signal. */
const graceMs = 3_000;
const pollMs = 20;
/** Windows has no process groups; there, only the shell is ended. */
const hasGroups = process.platform !== 'win32';

/**
 * Runs a command for a received file, and returns whether it succeeded. The details are passed in its environment, so
 * that a name never becomes part of a command line. Its output goes to our standard error. If the signal is aborted, the
 * command is ended together with everything that it has started.
 */
export async function runHook(
  command: string,
  arrival: ReceivedFile,
  environment: Environment,
  signal: AbortSignal,
): Promise<boolean> {
  const child = spawn(command, {
    shell: true,
    detached: hasGroups,
    stdio: ['ignore', 2, 2],
    env: {
      ...omitKey(environment),
      WAYBILL_FILE: arrival.path,
      WAYBILL_NAME: arrival.name,
      WAYBILL_SENDER: arrival.sender,
      WAYBILL_DROP: arrival.entry,
      WAYBILL_SHA256: arrival.sha256,
      WAYBILL_SIZE: String(arrival.size),
      WAYBILL_ATTEMPT: String(arrival.attempt),
    },
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping = hasGroups && child.pid !== undefined ? endGroup(child.pid) : void child.kill('SIGTERM');
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const [code] = await exited;
    return code === 0;
  } finally {
    signal.removeEventListener('abort', stop);
    await stopping;
  }
}

/** Ends the processes of a group, and those that do not end by themselves by force. */
async function endGroup(leader: number): Promise<void> {
  const end = Date.now() + graceMs;
  signalGroup(leader, 'SIGTERM');
  while (signalGroup(leader, 0)) {
    if (Date.now() >= end) {
      signalGroup(leader, 'SIGKILL');
      return;
    }
    await defaultRuntime.sleep(pollMs);
  }
}

/** Returns false if no process of the group is left. */
function signalGroup(leader: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, name);
  } catch (error) {
    // A process of another user cannot be ended.
    if (['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** A hook handles files; it does not need the account's key. */
function omitKey(environment: Environment): NodeJS.ProcessEnv {
  const { WAYBILL_API_KEY: _key, WAYBILL_API_KEY_FILE: _file, ...rest } = environment;
  return rest;
}
