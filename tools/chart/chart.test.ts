// Checks the Helm chart without Helm; npm run lab -- chart-test does the rest.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { configTable } from '../../server/src/config/config.ts';

const chart = (path: string) => readFileSync(new URL(`../../deploy/helm/waybill/${path}`, import.meta.url), 'utf8');
const names = (text: string) => [...new Set([...text.matchAll(/\bWAYBILL_\w+/g)].map(([name]) => name))];
const isSetting = (name: string) => name in configTable || configTable[name.replace(/_FILE$/, '')]?.secret === true;

test('every setting that the chart names exists', () => {
  const files = ['values.yaml', 'values.schema.json', 'templates/settings.yaml', 'examples/existing-secret.yaml'];
  expect(files.flatMap((path) => names(chart(path))).filter((name) => !isSetting(name))).toEqual([]);
});

test('a secret cannot be a value', () => {
  const { properties } = JSON.parse(chart('values.schema.json')) as {
    properties: { settings: { propertyNames: { not: { enum: string[] } } } };
  };
  const secrets = Object.keys(configTable).filter((name) => configTable[name]?.secret);
  expect(properties.settings.propertyNames.not.enum).toEqual(expect.arrayContaining(secrets));
});

test('every setting without a default is required, or is a file of the Secret', () => {
  const { properties } = JSON.parse(chart('values.schema.json')) as {
    properties: { settings: { required: string[] } };
  };
  const files = names(chart('values.yaml').split(/^ {2}files:$/m)[1] ?? '');
  const given = new Set([...properties.settings.required, ...files]);
  const needed = Object.entries(configTable).filter(([, setting]) => setting.default === undefined);
  expect(needed.map(([name]) => name).filter((name) => !given.has(name) && !given.has(`${name}_FILE`))).toEqual([]);
});

test('the chart has the program’s version', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(chart('Chart.yaml')).toContain(`appVersion: ${version}\n`);
});

test('the autoscaler adds a pod when a processor is as busy as docs/scaling.md allows', () => {
  const { serve } = parse(chart('values.yaml')) as {
    serve: { autoscaling: { targetCPUUtilizationPercentage: number }; resources: { requests: { cpu: string } } };
  };
  const scaling = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8').replace(/\s+/g, ' ');
  const [, busyPercent] = /processors should be busy for at most (\d+) %/.exec(scaling) ?? [];
  // The percentage is of the request, and a process uses one processor.
  expect(serve.resources.requests.cpu).toBe('1');
  expect(serve.autoscaling.targetCPUUtilizationPercentage).toBe(Number(busyPercent));
});

test('pods start on nodes that allow no unsafe sysctl', () => {
  expect((parse(chart('values.yaml')) as { serve: { sysctls: unknown } }).serve.sysctls).toEqual([]);
});
