import { defineConfig } from 'vitest/config';

/** Tests that measure, or that start engines and many processes of their own: one at a time, with nothing beside them. */
const alone = [
  'acceptance/faults/{clock,database-trouble,outage,redis-lost,shutdown,slow-scanner,store-trouble,storm}.test.ts',
  'acceptance/sizes/{expiry,slow-peers}.test.ts',
];
/** Set by tools/acceptance, which runs the two groups one after the other. */
const group = process.env['WAYBILL_ACCEPTANCE_GROUP'];

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    name: 'acceptance',
    include: group === 'alone' ? alone : ['acceptance/{spec,attacks,people,faults,sizes,client}/**/*.test.ts'],
    exclude: group === 'together' ? alone : [],
    globalSetup: ['acceptance/lib/demo.ts'],
    // The demo runs on the same machine; more workers than this only lengthen everybody's queue.
    maxWorkers: group === 'together' ? 2 : 1,
    testTimeout: 60_000,
    hookTimeout: 180_000,
  },
});
