/**
 * The health check of a container or a supervisor that runs a command instead of sending a request. Asks the `serve` and
 * `work` processes of this machine whether they are ready, and exits with 1 if one of them is not. It is a program of its
 * own, because it runs every few seconds and needs nothing of the rest.
 */
import { type Config, readConfig } from '../config/config.ts';

const deadlineMs = 10_000;

type Addresses = Pick<Config, 'WAYBILL_PROBES_LISTEN' | 'WAYBILL_WORK_PROBES_LISTEN'>;

/** One line for each process that was asked, and whether all of them are ready. */
export async function askHealth(config: Addresses): Promise<{ ready: boolean; lines: string[] }> {
  const set = [config.WAYBILL_PROBES_LISTEN, config.WAYBILL_WORK_PROBES_LISTEN].filter((one) => one !== undefined);
  const responses = await Promise.all([...new Set(set.map(toUrl))].map(ask));
  if (responses.length === 0) {
    return {
      ready: false,
      lines: ['Set WAYBILL_PROBES_LISTEN or WAYBILL_WORK_PROBES_LISTEN: there is no one to ask.'],
    };
  }
  return {
    ready: responses.every(({ ready }) => ready),
    lines: responses.map(({ url, state }) => `${url}  ${state}`),
  };
}

/** A process that listens on every address of the machine is asked on its loopback address. */
function toUrl({ host, port }: { host: string; port: number }): string {
  const asked = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${asked.includes(':') ? `[${asked}]` : asked}:${port}/readyz`;
}

async function ask(url: string): Promise<{ url: string; ready: boolean; state: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs) });
    const { status } = (await response.json()) as { status: string };
    return { url, ready: response.ok, state: response.ok ? 'ready' : status };
  } catch {
    return { url, ready: false, state: 'does not respond' };
  }
}

if (import.meta.main) {
  const { ready, lines } = await askHealth(readConfig());
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = ready ? 0 : 1;
}
