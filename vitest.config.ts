import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { findTestFiles } from './tools/test/kinds.ts';
import type { TestKind } from './tools/test/require-kind.ts';

const files = findTestFiles();
const setUp = { globalSetup: ['server/test/global-setup.ts'] };
const project = (kind: TestKind, options: object) => ({
  extends: true as const,
  test: { name: kind, include: files[kind], env: { WAYBILL_TEST_KIND: kind }, ...options },
});

/** Unit, operation and contract tests. The black box has a configuration of its own, in acceptance/. */
export default defineConfig({
  // The protocol from its source, so that a test never sees an old build of it.
  resolve: {
    alias: {
      '@waybill/protocol/v1': fileURLToPath(new URL('protocol/src/v1/index.ts', import.meta.url)),
      '@waybill/evidence': fileURLToPath(new URL('evidence/src/index.ts', import.meta.url)),
      '@waybill/protocol': fileURLToPath(new URL('protocol/src/index.ts', import.meta.url)),
    },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    // Long: a machine that is shared may do little for a while, and a test that passes does not wait.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One more than there are processors, because many tests wait for an engine or a time limit. Each uses a few dozen of
    // the hundred connections that PostgreSQL allows by default.
    maxWorkers: Math.min(availableParallelism() + 1, 4),
    projects: [
      // Without isolation, a worker evaluates the imports of its files only once.
      project('unit', { isolate: false }),
      project('postgres', { isolate: false, ...setUp }),
      project('engines', { isolate: false, ...setUp }),
    ],
  },
});
