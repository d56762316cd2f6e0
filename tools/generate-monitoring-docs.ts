/**
 * Writes the table of metrics in docs/monitoring.md from the program's registry. With --check it writes nothing, and
 * exits with 1 if the table is out of date.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createMetrics } from '../server/src/observe/metrics.ts';
import { writeOrCheck } from './generated-document.ts';

const path = fileURLToPath(new URL('../docs/monitoring.md', import.meta.url));
const begin = '<!-- Written by tools/generate-monitoring-docs.ts from server/src/observe/. Do not edit. -->\n';
const end = '<!-- End of what is written. -->\n';

export interface DescribedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

/** Every metric that a process has. */
export async function describedMetrics(): Promise<DescribedMetric[]> {
  const { registry } = createMetrics({ role: 'serve', version: '0' });
  const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
  return registry.getMetricsAsArray().map((metric) => {
    const { name, help, labelNames } = metric as unknown as Omit<DescribedMetric, 'type'>;
    return { name, help, labelNames, type: types.get(name) ?? '' };
  });
}

export async function monitoringDocument(): Promise<string> {
  const own = (await describedMetrics()).filter(({ name }) => name.startsWith('waybill_'));
  const rows = own
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, type, labelNames, help }) => [
      `\`${name}\``,
      type,
      labelNames.map((label) => `\`${label}\``).join(', '),
      help,
    ]);
  const table = [['Name', 'Type', 'Labels', 'Meaning'], ['---', '---', '---', '---'], ...rows];
  const written = table.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  const [before = '', rest = ''] = readFileSync(path, 'utf8').split(begin);
  return `${before}${begin}\n${written}\n${end}${rest.split(end)[1] ?? ''}`;
}

if (import.meta.main)
  writeOrCheck('docs/monitoring.md', await monitoringDocument(), 'node tools/generate-monitoring-docs.ts');
