import { writeFileSync } from 'node:fs';

/** Bytes or requests per second for each contender; one figure per round. */
export type Rates = Readonly<Record<string, readonly number[]>>;

export interface Result {
  readonly name: string;
  readonly unit: string;
  readonly rates: Rates;
  /** CPU seconds per GiB of the process for each contender; one figure per round. */
  readonly cpu?: Rates;
  /** The peak memory of the process for each contender. */
  readonly memoryMiB?: Readonly<Record<string, number>>;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** The difference between the slowest and the fastest round, relative to the median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

export function printResults(results: readonly Result[], doubts: readonly string[], { json }: { json: boolean }): void {
  if (json) {
    const rows = results.map((result) => ({ ...result, ratios: ratios(result) }));
    process.stdout.write(`${JSON.stringify({ good: doubts.length === 0, doubts, results: rows })}\n`);
    return;
  }
  for (const { name, unit, rates, cpu = {}, memoryMiB = {} } of results) {
    process.stdout.write(`${name}\n`);
    const service = median(rates['service'] as number[]);
    for (const [contender, values] of Object.entries(rates)) {
      const rate = `${median(values).toFixed(0)} ${unit}`.padEnd(16);
      const varied = `± ${Math.round((spread(values) * 100) / 2)} %`.padEnd(8);
      const ratio = contender === 'service' ? '' : `service / ${contender} = ${(service / median(values)).toFixed(2)} `;
      const memory = memoryMiB[contender] ? `peak ${memoryMiB[contender].toFixed(0)} MiB` : '';
      const time = describeCpu(cpu, contender);
      process.stdout.write(`  ${contender.padEnd(20)} ${rate} ${varied} ${time.padEnd(34)} ${ratio}${memory}\n`);
    }
  }
  process.stdout.write(
    doubts.length === 0
      ? 'The machine was quiet and the yardsticks steady.\n'
      : `Do not compare these figures:\n${doubts.map((doubt) => `  ${doubt}\n`).join('')}`,
  );
}

/** The CPU time of a contender, and how much of it the service takes. */
function describeCpu(cpu: Rates, contender: string): string {
  const [own, service] = [cpu[contender], cpu['service']];
  if (!own) return '';
  const time = `${median(own).toFixed(1)} CPU s/GiB`;
  return contender === 'service' || !service
    ? time
    : `${time} (service: ${(median(service) / median(own)).toFixed(2)} of it)`;
}

/** How the service compares with each contender, by median. */
function ratios({ rates }: Result): Record<string, number> {
  const service = median(rates['service'] as number[]);
  const others = Object.entries(rates).filter(([contender]) => contender !== 'service');
  return Object.fromEntries(others.map(([contender, values]) => [contender, service / median(values)]));
}

/** Whether a contender is a Waybill and not a yardstick. */
export function isOurs(contender: string): boolean {
  return /^(?:service|earlier)/.test(contender);
}

/** One bar per ratio; the line marks where the service is as fast as its yardstick. */
export function writePlot(path: string, results: readonly Result[]): void {
  const bars = results.flatMap((result) =>
    Object.entries(ratios(result)).map(([contender, ratio]) => ({ label: `${result.name} / ${contender}`, ratio })),
  );
  const [left, width, step] = [330, 300, 26];
  const scale = width / Math.max(1.2, ...bars.map(({ ratio }) => ratio));
  const height = bars.length * step + 34;
  const rows = bars.map(({ label, ratio }, index) => {
    const y = 10 + index * step;
    return `  <text x="${left - 8}" y="${y + 14}" text-anchor="end">${label}</text>
  <rect x="${left}" y="${y}" width="${(ratio * scale).toFixed(1)}" height="${step - 8}" fill="#2f6f9f"/>
  <text x="${(left + ratio * scale + 6).toFixed(1)}" y="${y + 14}">${ratio.toFixed(2)}</text>`;
  });
  const one = left + scale;
  writeFileSync(
    path,
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 60} ${height}" font-family="sans-serif" font-size="13">
  <title>The service's speed as a part of each yardstick's</title>
  <rect width="100%" height="100%" fill="#fff"/>
${rows.join('\n')}
  <line x1="${one}" x2="${one}" y1="4" y2="${height - 24}" stroke="#999" stroke-dasharray="3 3"/>
  <text x="${one}" y="${height - 8}" text-anchor="middle" fill="#555">1</text>
</svg>
`,
  );
}
