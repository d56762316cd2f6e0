import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Started extends AsyncDisposable {
  readonly pid: number;
  /** The line of its output that said that it was ready. */
  readonly line: string;
}

/** Starts a program and waits for a line of its output that contains `sign`. */
export async function startProgram(
  command: string,
  args: string[],
  { sign, environment = process.env }: { sign: string; environment?: NodeJS.ProcessEnv },
): Promise<Started> {
  const child = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  return {
    pid: child.pid as number,
    line: await waitForReadyLine(child, sign),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function waitForReadyLine(child: ChildProcess, sign: string): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as Readable })) {
    if (!line.includes(sign)) continue;
    child.stdout?.resume();
    return line;
  }
  throw new Error('a process ended before it was ready');
}
