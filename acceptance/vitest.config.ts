import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    name: 'acceptance',
    include: ['acceptance/{spec,attacks,people,faults,sizes,client}/**/*.test.ts'],
    globalSetup: ['acceptance/lib/demo.ts'],
    // The demo runs on the same machine; more workers than this only lengthen everybody's queue.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 180_000,
  },
});
