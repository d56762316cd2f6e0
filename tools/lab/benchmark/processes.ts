import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Of Linux, in /proc, on every architecture. */
const ticksPerSecond = 100;

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

/** The CPU time that all threads of a process have used so far. */
export function readCpuSeconds(pid: number): number {
  // The name of the program, in parentheses, may contain spaces.
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = rest.split(' ').slice(11, 13).map(Number) as [number, number];
  return (user + system) / ticksPerSecond;
}

async function waitForReadyLine(child: ChildProcess, sign: string): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as Readable })) {
    if (!line.includes(sign)) continue;
    child.stdout?.resume();
    return line;
  }
  throw new Error('a process ended before it was ready');
}
