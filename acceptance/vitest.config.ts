import { defineConfig } from 'vitest/config';

/** Runs the tests whose paths are given, one after the other; whole.vitest.config.ts runs all of them. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    name: 'acceptance',
    include: ['acceptance/**/*.test.ts'],
    globalSetup: ['acceptance/lib/servers/demo.ts'],
    maxWorkers: 1,
    // A worker evaluates the imports of its files only once, and starts only once.
    isolate: false,
    // Long: a machine that is shared may do little for a while, and a test that passes does not wait.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    // A checker's findings are read in the message of the failed assertion.
    chaiConfig: { truncateThreshold: 0 },
  },
});
