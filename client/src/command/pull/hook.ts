import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

/**
 * Runs a command for a received file, and returns whether it succeeded. The details are passed in its environment, so
 * that a name never becomes part of a command line. Its output goes to our standard error.
 */
export async function runHook(
  command: string,
  arrival: ReceivedFile,
  environment: Environment,
  signal: AbortSignal,
): Promise<boolean> {
  const child = spawn(command, {
    shell: true,
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
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A hook handles files; it does not need the account's key. */
function omitKey(environment: Environment): NodeJS.ProcessEnv {
  const { WAYBILL_API_KEY: _key, WAYBILL_API_KEY_FILE: _file, ...rest } = environment;
  return rest;
}
