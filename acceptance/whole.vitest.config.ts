import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import acceptance from './vitest.config.ts';

/**
 * Tests that measure times, which busy tests would lengthen, or in which no request may get 503. They run after the
 * others, two at a time, in this order: beside each other they do little harm, because they wait for longer than they
 * work, and the one at the end, which compares times of requests, is almost alone.
 */
const timed = [
  'acceptance/sizes/slow-peers.test.ts',
  'acceptance/sizes/distant-store.test.ts',
  'acceptance/faults/outage.test.ts',
  'acceptance/faults/store-trouble.test.ts',
  'acceptance/operation/shutdown.test.ts',
  'acceptance/faults/redis-lost.test.ts',
  'acceptance/sizes/expiry.test.ts',
];
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
    const [last, waiting] = [inOrder(timed), inOrder(waits)];
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
  exclude: timed,
  maxWorkers: 4,
  sequence: { groupOrder: 0 },
};

/** All tests, in two groups, with one demo. */
export default defineConfig({
  root,
  test: {
    globalSetup: globalSetup ?? [],
    sequence: { sequencer: Spread },
    projects: [
      { root, test: together },
      {
        root,
        test: { ...together, name: 'timed', include: timed, exclude: [], maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
