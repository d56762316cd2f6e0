import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The chart's Deployments, run by podman on the engines of this machine. `npm run lab -- chart-test --run` */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: {
    alias: {
      '@waybill/protocol/v1': fileURLToPath(new URL('../../protocol/src/v1/index.ts', import.meta.url)),
      '@waybill/protocol': fileURLToPath(new URL('../../protocol/src/index.ts', import.meta.url)),
    },
  },
  test: {
    name: 'chart',
    include: ['tools/chart/run.ts'],
    globalSetup: ['server/test/global-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
});
