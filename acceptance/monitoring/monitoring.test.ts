// The operator's view in Prometheus while Waybill is in use: every query of the dashboard, and every alert.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { openedLink } from '../lib/people/opened-link.ts';
import { sendFiles } from '../lib/people/receiver.ts';
import { deliver } from '../lib/scenario.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';
import { promtool, type Sample, startPrometheus } from './prometheus.ts';

const project = new URL('../../', import.meta.url);
const instances = () => demo().probes.map((url) => new URL(url).host);
const maxSeriesPerProcess = 3_000;

let prometheus: Awaited<ReturnType<typeof startPrometheus>>;
beforeAll(async () => {
  prometheus = await startPrometheus(instances());
  await eventually('all processes', async () =>
    (await prometheus.query('up == 1')).length === instances().length ? true : undefined,
  );
  await use();
  await eventually(
    'what was done',
    async () => (await prometheus.query('sum(rate(waybill_messages_total{outcome="sent"}[30s])) > 0'))[0],
  );
});
afterAll(() => prometheus[Symbol.asyncDispose]());

/** A few of everything: dispatches, mails, downloads by people and machines, failed logins. */
async function use(): Promise<void> {
  const [sender, machine] = [await freshClient('sender'), await freshClient('machine')];
  for (let round = 0; round < 8; round += 1) {
    const files = [{ name: `file-${round}.bin`, content: randomBytes(500_000) }];
    const { url } = await deliver(sender, machine, files);
    await machine.download(url, `file-${round}.bin`);
    const { link } = await sendFiles(sender, files);
    const { page, headers } = await openedLink(link);
    const [, href = ''] = /href="(files\/[^"]+)"/.exec(await (await fetch(page, { headers })).text()) ?? [];
    await (await fetch(new URL(href, page), { headers })).arrayBuffer();
    await fetch(`${demo().base_url}/${uniqueAddress()}/`, { headers: { authorization: 'Basic bm86bm8=' } });
  }
}

const shown = ({ metric, value: [, value] }: Sample) =>
  `${Object.values(metric).join(' ') || 'all'}: ${Number(Number(value).toPrecision(3))}`;

test('promtool has nothing to say about the metrics of any process', async () => {
  for (const url of demo().probes) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(await promtool(['check', 'metrics'], metrics)).toEqual({ exitCode: 0, output: '' });
  }
});

test('promtool accepts the alerts and their tests', async () => {
  const rules = new URL('deploy/prometheus/', project).pathname;
  for (const args of [
    ['check', 'rules', `${rules}alerts.yml`],
    ['check', 'config', `${rules}prometheus.yml`],
    ['test', 'rules', `${rules}alerts.test.yml`],
  ]) {
    const { exitCode, output } = await promtool(args);
    expect({ exitCode, output: exitCode === 0 ? '' : output }).toEqual({ exitCode: 0, output: '' });
  }
});

test('every query of the dashboard has a result', async () => {
  const { panels } = JSON.parse(readFileSync(new URL('deploy/grafana/waybill.json', project), 'utf8')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
  expect(queries.length).toBeGreaterThan(30);
  const empty: string[] = [];
  for (const { title, expr } of queries) {
    const samples = await prometheus.query(expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m'));
    process.stdout.write(`${title}\n${samples.map((sample) => `    ${shown(sample)}\n`).join('')}`);
    // A panel that hides zeros may be empty.
    if (samples.length === 0 && !expr.endsWith('> 0')) empty.push(`${title}: ${expr}`);
  }
  expect(empty).toEqual([]);
});

test('every rule can be evaluated, and nothing is wrong', async () => {
  const { groups } = await prometheus.api<{ groups: { rules: { name: string; health: string; state: string }[] }[] }>(
    'rules',
  );
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(10);
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  expect(rules.filter(({ state }) => state === 'firing').map(({ name }) => name)).toEqual([]);
});

test('the number of series is bounded', async () => {
  const counts = await prometheus.query('count by (instance) ({job="waybill"})');
  process.stdout.write(`Series\n${counts.map((count) => `    ${shown(count)}\n`).join('')}`);
  expect(counts).toHaveLength(instances().length);
  for (const { value } of counts) expect(Number(value[1])).toBeLessThan(maxSeriesPerProcess);
});
