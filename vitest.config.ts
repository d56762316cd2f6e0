import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { testKinds } from './tools/test-kinds.ts';

const { unit, engines } = testKinds();

/** Unit, operation and contract tests. The black box has a configuration of its own, in acceptance/. */
export default defineConfig({
  // The protocol from its source, so that a test never sees an old build of it.
  resolve: {
    alias: {
      '@waybill/protocol/v1': fileURLToPath(new URL('protocol/src/v1/index.ts', import.meta.url)),
      '@waybill/protocol': fileURLToPath(new URL('protocol/src/index.ts', import.meta.url)),
    },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    // Long: a machine that is shared may do little for a while, and a test that passes does not wait.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      // These share nothing that outlives a test, so each worker can evaluate their imports once.
      { extends: true, test: { name: 'unit', include: unit, isolate: false } },
      {
        extends: true,
        test: {
          name: 'engines',
          include: engines,
          globalSetup: ['server/src/testing/global-setup.ts'],
          setupFiles: ['server/src/testing/engines-answer.ts'],
        },
      },
    ],
  },
});
