import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that measure times, which other tests would lengthen: one at a time, with nothing running alongside. */
const alone = [
  'acceptance/faults/{database-trouble,outage,pgbouncer,redis-lost,shutdown,store-trouble,storm}.test.ts',
  'acceptance/sizes/{distant-store,expiry,slow-peers}.test.ts',
];
/** Tests that wait for longer than they work. */
const waits = /\/(?:extended|interrupted-upload|paused-upload|slow-connections|slow-scanner|slow-upload)\.test\.ts$/;
/** Set by tools/acceptance, which runs the two groups one after the other. */
const group = process.env['WAYBILL_ACCEPTANCE_GROUP'];

/** Spreads tests that wait among the others, so that a processor has work meanwhile, and none of them is left for last. */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waiting = sorted.filter(({ moduleId }) => waits.test(moduleId));
    const working = sorted.filter(({ moduleId }) => !waits.test(moduleId));
    const share = Math.ceil(working.length / (waiting.length + 1));
    const part = (index: number) => working.slice(index * share, (index + 1) * share);
    return [...part(0), ...waiting.flatMap((file, index) => [file, ...part(index + 1)])];
  }
}

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    name: 'acceptance',
    include: group === 'alone' ? alone : ['acceptance/{spec,attacks,people,faults,sizes,client}/**/*.test.ts'],
    exclude: group === 'together' ? alone : [],
    globalSetup: ['acceptance/lib/demo.ts'],
    // The demo runs on the same machine; more workers than this only lengthen the queue for everyone.
    maxWorkers: group === 'together' ? 2 : 1,
    sequence: { sequencer: Spread },
    // Long: a machine that is shared may do little for a while, and a test that passes does not wait.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A checker's findings are read in the message of the failed assertion.
    chaiConfig: { truncateThreshold: 0 },
  },
});
