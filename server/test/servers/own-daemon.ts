import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { requireKind } from '../../../tools/test/require-kind.ts';

requireKind('engines');

const startWithinMs = 20_000;

export interface Daemon extends AsyncDisposable {
  /** For signals that make it stand still and continue. */
  readonly pid: number;
}

/** A real daemon for one test, ready when its port accepts connections. */
export async function startDaemon(port: number, command: string, ...args: readonly string[]): Promise<Daemon> {
  // The kernel kills it when this process ends.
  const daemon = spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args], { stdio: 'ignore' });
  const exited = once(daemon, 'exit');
  const stop = async () => {
    daemon.kill('SIGKILL');
    await exited;
  };
  const deadline = performance.now() + startWithinMs;
  while (!(await accepts(port))) {
    if (performance.now() > deadline || daemon.exitCode !== null) {
      await stop();
      throw new Error(`${command} did not start`);
    }
    await setTimeout(20);
  }
  return { pid: daemon.pid as number, [Symbol.asyncDispose]: stop };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
