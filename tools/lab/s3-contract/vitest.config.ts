import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The requirements of Waybill on an S3 server, tested on the one that WAYBILL_S3_* name. `npm run lab -- s3-contract` */
export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  resolve: {
    alias: {
      '@waybill/protocol/v1': fileURLToPath(new URL('../../../protocol/src/v1/index.ts', import.meta.url)),
      '@waybill/protocol': fileURLToPath(new URL('../../../protocol/src/index.ts', import.meta.url)),
    },
  },
  test: { name: 's3-contract', include: ['tools/lab/s3-contract/s3-contract.ts'], testTimeout: 180_000 },
});
