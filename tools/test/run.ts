/**
 * `npm test`: runs the tests of every kind that is possible here, and names the kinds that it leaves out. Arguments are
 * those of vitest. With WAYBILL_TEST_ALL, nothing may be left out.
 */
import { spawnSync } from 'node:child_process';
import { findObstacle } from './find-obstacle.ts';
import { findTestFiles } from './kinds.ts';
import { type TestKind, testKinds } from './require-kind.ts';

const args = process.argv.slice(2);
const isWatching = args.some((arg) => /^(?:--watch|-w)(?:=true)?$/.test(arg));
const mustRunAll = Boolean(process.env['WAYBILL_TEST_ALL']);

const files = findTestFiles();
const kinds: TestKind[] = [];
/** The files that are left out, by the reason: one missing PostgreSQL is the reason for two kinds. */
const filesByReason = new Map<string, string[]>();
let isRefused = false;
for (const kind of testKinds) {
  const obstacle = await findObstacle(kind);
  if (!obstacle) {
    kinds.push(kind);
    continue;
  }
  const reason = `${obstacle.says} (${obstacle.remedy})`;
  const counts = filesByReason.get(reason) ?? [];
  filesByReason.set(reason, [...counts, `${files[kind].length} files of the kind "${kind}"`]);
  if (mustRunAll || !obstacle.isAbsent) isRefused = true;
}

const leftOut = [...filesByReason].map(([reason, counts]) => `${counts.join(' and ')}: ${reason}`);
const summary = `Left out: ${leftOut.join('; ')}.\n`;
if (isRefused) {
  process.stderr.write(summary.replace('Left out', 'Cannot run'));
  process.exit(1);
}
if (isWatching && leftOut.length > 0) process.stdout.write(summary);
const named = args.some((arg) => arg.startsWith('--project')) ? [] : kinds.map((kind) => `--project=${kind}`);
const { status } = spawnSync('vitest', [isWatching ? 'watch' : 'run', ...named, ...args], { stdio: 'inherit' });
if (!isWatching && leftOut.length > 0) process.stdout.write(`\n${summary}`);
process.exit(status ?? 1);
