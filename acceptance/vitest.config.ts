import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

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
/** Set by tools/acceptance, which runs the two groups one after the other. */
const group = process.env['WAYBILL_ACCEPTANCE_GROUP'];
const folders = ['spec', 'attacks', 'people', 'faults', 'operation', 'checker', 'lib', 'sizes', 'client'];
// Only .ci/run, and the run of the lab, say what the previous version is.
if (process.env['WAYBILL_PREVIOUS_COMMIT']) folders.push('mixed-versions');

/** Spreads tests that wait among the others, so that a processor has work meanwhile, and none of them is left for last. */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const inOrder = (names: readonly string[]) =>
      names.flatMap((name) => sorted.filter(({ moduleId }) => moduleId.endsWith(name)));
    if (group === 'timed') return inOrder(timed);
    const waiting = inOrder(waits);
    const others = sorted.filter((file) => !waiting.includes(file));
    const working = [
      ...others.filter(({ moduleId }) => long.test(moduleId)),
      ...others.filter(({ moduleId }) => !long.test(moduleId)),
    ];
    const share = Math.ceil(working.length / (waiting.length + 1));
    const part = (index: number) => working.slice(index * share, (index + 1) * share);
    return [...waiting.flatMap((file, index) => [file, ...part(index)]), ...part(waiting.length)];
  }
}

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    name: 'acceptance',
    include: group === 'timed' ? timed : folders.map((folder) => `acceptance/${folder}/**/*.test.ts`),
    exclude: group === 'together' ? timed : [],
    globalSetup: ['acceptance/lib/servers/demo.ts'],
    // For two processors, which the demo also uses: beside three tests that work there is mostly one that waits.
    maxWorkers: group === 'together' ? 4 : group === 'timed' ? 2 : 1,
    // A worker evaluates the imports of its files only once, and starts only once.
    isolate: false,
    sequence: { sequencer: Spread },
    // Long: a machine that is shared may do little for a while, and a test that passes does not wait.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    // A checker's findings are read in the message of the failed assertion.
    chaiConfig: { truncateThreshold: 0 },
  },
});
