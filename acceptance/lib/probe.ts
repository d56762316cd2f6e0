/**
 * Requests contacts repeatedly from a separate process: a test that also simulates a thousand clients would measure how
 * long its own thread is busy with them.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from './http/client.ts';
import { demo } from './servers/running-demo.ts';

/** Ends with the test at the latest. */
export interface Probe extends Disposable {
  /** The duration of each request, in milliseconds. Throws if a response was not 200. */
  stop(): Promise<number[]>;
}

export async function startProbe(client: Client): Promise<Probe> {
  const program = fileURLToPath(new URL('probe-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, `${client.baseUrl}/${client.user}/cgi/contacts_read.cgi`], {
    // Headers contain credentials, which do not belong on a command line.
    env: {
      PROBE_HEADERS: JSON.stringify({
        Host: new URL(demo().base_url).host,
        Authorization: client.authorization,
        'CSRF-Token': await client.token(),
      }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = text(child.stdout);
  return {
    async stop() {
      child.kill('SIGTERM');
      const { times, failures } = JSON.parse(await said) as { times: number[]; failures: string[] };
      if (failures.length > 0) throw new Error(`${failures.length} requests failed, the first with ${failures[0]}`);
      return times;
    },
    [Symbol.dispose]() {
      child.kill('SIGKILL');
    },
  };
}

/** Its measurements over this time. */
export async function probed(client: Client, milliseconds: number): Promise<number[]> {
  using probe = await startProbe(client);
  await pause(milliseconds);
  return await probe.stop();
}
