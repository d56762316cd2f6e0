/**
 * The costs of the service, as ratios within one run: transfers compared with a bare pipe in Node and with the AWS SDK on
 * the same bucket, their CPU time with that of a pipe that hashes and encrypts, contacts_read.cgi with a bare Fastify
 * route that runs the same select.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectDir } from '../../demo/environment.ts';
import { watchMachine } from './machine.ts';
import { checkOut, type Release, startRelease } from './release.ts';
import { isOurs, median, printResults, type Result, spread, writePlot } from './report.ts';
import { measureRequests } from './requests.ts';
import { measureTransfers } from './transfers.ts';

const exitCodes = { failed: 1, busy: 2, usage: 64 };
/** A yardstick that differs by more than this between rounds is not reliable. */
const maxSpread = 0.3;

const { values: options } = parseArgs({
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    plot: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const isOnly = options.only === undefined || ['transfers', 'requests'].includes(options.only);
if (!(rounds > 0) || !isOnly) {
  process.stderr.write('benchmark: unknown --rounds or --only; see npm run lab -- benchmark --help\n');
  process.exit(exitCodes.usage);
}

const folder = mkdtempSync(join(tmpdir(), 'waybill-benchmark-'));
const releases: Release[] = [];
let earlier: AsyncDisposable | undefined;
try {
  const machine = await watchMachine();
  releases.push(await startRelease('service', projectDir));
  if (options.against) {
    progress(`building ${options.against}`);
    const checkedOut = await checkOut(options.against);
    earlier = checkedOut;
    releases.push(await startRelease('earlier', checkedOut.folder));
  }
  const measured: Result[] = [
    ...(options.only === 'requests' ? [] : await measureTransfers(releases, { folder, rounds, progress })),
    ...(options.only === 'transfers' ? [] : await measureRequests(releases, { rounds, progress })),
  ];
  const doubts = [...machine.doubts(), ...findUnsteady(measured)];
  if (options.plot) writePlot(options.plot, measured);
  printResults(measured, doubts, { json: options.json });
  if (doubts.length > 0) process.exitCode = exitCodes.busy;
} catch (error) {
  process.stderr.write(`benchmark: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = exitCodes.failed;
} finally {
  for (const release of releases) await release[Symbol.asyncDispose]();
  await earlier?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}

function findUnsteady(results: Result[]): string[] {
  return results.flatMap(({ name, rates }) =>
    Object.entries(rates)
      .filter(([contender, values]) => !isOurs(contender) && spread(values) > maxSpread)
      .map(([contender, values]) => {
        const percent = Math.round(spread(values) * 100);
        return `${name}: ${contender} varied by ${percent} % around ${median(values).toFixed(0)}`;
      }),
  );
}

function progress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`benchmark: ${what}\n`);
}
