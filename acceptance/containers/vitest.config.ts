import { defineConfig } from 'vitest/config';

/** The shipped image and compose.yaml, in the Docker that tools/lab/runs/container-test starts. `npm run lab -- container-test` */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    name: 'containers',
    include: ['acceptance/containers/**/*.test.ts'],
    testTimeout: 300_000,
    // The image is built on the way.
    hookTimeout: 1_200_000,
    maxWorkers: 1,
  },
});
