import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMetrics } from '../../server/src/observe/metrics.ts';
import { describeMetrics, renderMonitoringDocument } from '../generate/monitoring-docs.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const alerts = read('deploy/prometheus/alerts.yml');
const alertNames = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

test('docs/monitoring.md lists the metrics that there are', async () => {
  expect(read('docs/monitoring.md')).toBe(await renderMonitoringDocument());
});

test.each([
  'deploy/grafana/waybill.json',
  'deploy/prometheus/alerts.yml',
  'deploy/prometheus/alerts.test.yml',
  'docs/monitoring.md',
])('%s names only metrics that exist', async (path) => {
  const known = new Set(
    (await describeMetrics()).flatMap(({ name, type }) =>
      type === 'histogram' ? [name, ...['_bucket', '_count', '_sum'].map((suffix) => name + suffix)] : [name],
    ),
  );
  const named = [...read(path).matchAll(/\b(?:waybill|nodejs|process)_[a-z0-9_]*[a-z0-9](?![*\w])/g)].map(
    ([name]) => name,
  );
  expect(named.length).toBeGreaterThan(10);
  expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([]);
});

test('every metric of ours is on the dashboard', () => {
  const dashboard = read('deploy/grafana/waybill.json');
  const missing = createMetrics({ role: 'serve', version: '0' })
    .registry.getMetricsAsArray()
    .map(({ name }) => name)
    .filter((name) => name.startsWith('waybill_') && !dashboard.includes(name));
  expect(missing).toEqual([]);
});

test('every alert is tested, and docs/monitoring.md says what to do about it', () => {
  const tested = [...read('deploy/prometheus/alerts.test.yml').matchAll(/\{alertname="(\w+)"\}/g)].map(
    ([, name]) => name,
  );
  const documented = [...read('docs/monitoring.md').matchAll(/^\| `(Waybill\w+)` \|/gm)].map(([, name]) => name);
  expect(alertNames.length).toBeGreaterThan(10);
  expect(tested).toEqual(alertNames);
  expect(documented).toEqual(alertNames);
});

/** The rules of `promtool check metrics` for names, which is run by npm run lab -- monitoring. */
test('metrics are named as Prometheus expects', async () => {
  const wrong = (await describeMetrics()).filter(({ name, type, help, labelNames }) => {
    const isCounter = name.endsWith('_total');
    return (
      isCounter !== (type === 'counter') ||
      help === '' ||
      /_(?:milliseconds|ms|minutes|kilobytes|percent)\b/.test(name) ||
      labelNames.some((label) => ['job', 'instance', 'le', 'quantile'].includes(label))
    );
  });
  expect(wrong).toEqual([]);
});
