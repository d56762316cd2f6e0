import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import acceptance from './vitest.config.ts';

/**
 * Tests that measure times, which busy tests would lengthen, in this order. They run after the others, three at a time:
 * beside each other they do little harm, because they wait for longer than they work.
 */
const timed = [
  'acceptance/sizes/slow-peers.test.ts',
  'acceptance/faults/store-trouble.test.ts',
  'acceptance/faults/outage.test.ts',
  'acceptance/sizes/distant-store.test.ts',
];
/**
 * Tests in which no request may get 503, or which compare the times of requests, in this order. They run at the end, two
 * at a time, so that the last one is almost alone.
 */
const quiet = [
  'acceptance/operation/shutdown.test.ts',
  'acceptance/faults/redis-lost.test.ts',
  'acceptance/sizes/expiry.test.ts',
];
const later = [...timed, ...quiet];
/** Other tests that wait for longer than they work, the longest first. */
const waits = [
  'database-trouble',
  'slow-connections',
  'storm',
  'interrupted-upload',
  'pgbouncer',
  'extended',
  'slow-scanner',
  'paused-upload',
  'slow-upload',
].map((name) => `/${name}.test.ts`);
/** Tests that take longest, begun first, so that none of them is left at the end with one processor idle. */
const long = /\/(?:backup|contribute|crash-points|jobs|large-file|long-history|mixed-versions|operating)\.test\.ts$/;
const folders = ['spec', 'attacks', 'people', 'faults', 'operation', 'checker', 'lib', 'sizes', 'client'];
// Only .ci/run, and the run of the lab, say what the previous version is.
if (process.env['WAYBILL_PREVIOUS_COMMIT']) folders.push('mixed-versions');

/** Spreads tests that wait among the others, so that a processor has work meanwhile, and none of them is left for last. */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const inOrder = (names: readonly string[]) =>
      names.flatMap((name) => sorted.filter(({ moduleId }) => moduleId.endsWith(name)));
    const [last, waiting] = [inOrder(later), inOrder(waits)];
    const others = sorted.filter((file) => !waiting.includes(file) && !last.includes(file));
    const working = [
      ...others.filter(({ moduleId }) => long.test(moduleId)),
      ...others.filter(({ moduleId }) => !long.test(moduleId)),
    ];
    const share = Math.ceil(working.length / (waiting.length + 1));
    const part = (index: number) => working.slice(index * share, (index + 1) * share);
    return [...waiting.flatMap((file, index) => [file, ...part(index)]), ...part(waiting.length), ...last];
  }
}

const { globalSetup, ...options } = acceptance.test ?? {};
const root = acceptance.root ?? '';
/** For two processors, which the demo also uses: beside three tests that work there is mostly one that waits. */
const together = {
  ...options,
  name: 'together',
  include: folders.map((folder) => `acceptance/${folder}/**/*.test.ts`),
  exclude: later,
  maxWorkers: 4,
  sequence: { groupOrder: 0 },
};

const after = (groupOrder: number, name: string, include: string[], maxWorkers: number) => ({
  root,
  test: { ...together, name, include, exclude: [], maxWorkers, sequence: { groupOrder } },
});

/** All tests, in three groups, with one demo. */
export default defineConfig({
  root,
  test: {
    globalSetup: globalSetup ?? [],
    sequence: { sequencer: Spread },
    projects: [{ root, test: together }, after(1, 'timed', timed, 3), after(2, 'quiet', quiet, 2)],
  },
});
