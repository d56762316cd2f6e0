import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedPort } from '../../tools/shared/tcp.ts';
import { eventually } from '../lib/wait.ts';

const programs = new URL('../../.tools/prometheus/usr/bin/', import.meta.url).pathname;
const deploy = new URL('../../deploy/prometheus/', import.meta.url).pathname;

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: [time: number, value: string];
}

/** A Prometheus of its own, with our configuration, that asks these processes every second. */
export async function startPrometheus(targets: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-prometheus-'));
  const config = readFileSync(join(deploy, 'prometheus.yml'), 'utf8')
    .replace(/targets: \[.*\]/, `targets: ${JSON.stringify(targets)}`)
    .replace('scrape_interval: 15s', 'scrape_interval: 1s')
    .replace('- alerts.yml', `- ${join(deploy, 'alerts.yml')}`);
  writeFileSync(join(folder, 'prometheus.yml'), `global: { evaluation_interval: 1s }\n${config}`);
  const address = `127.0.0.1:${await closedPort()}`;
  const child = spawn(
    join(programs, 'prometheus'),
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const said: string[] = [];
  child.stderr.on('data', (bytes: Buffer) => said.push(String(bytes)));
  const exited = once(child, 'exit');
  await eventually('Prometheus', async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended:\n${said.join('')}`);
    return (await fetch(`http://${address}/-/ready`).catch(() => undefined))?.ok ? true : undefined;
  });
  const api = async <Data>(path: string): Promise<Data> => {
    const response = (await (await fetch(`http://${address}/api/v1/${path}`)).json()) as { data: Data; error?: string };
    if (response.error !== undefined) throw new Error(`${path}: ${response.error}`);
    return response.data;
  };
  return {
    api,
    query: async (expression: string) =>
      (await api<{ result: Sample[] }>(`query?query=${encodeURIComponent(expression)}`)).result,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Runs promtool, and returns what it reports. */
export function promtool(args: readonly string[], input = ''): Promise<{ exitCode: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(join(programs, 'promtool'), args, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
    child.stdin?.end(input);
  });
}
