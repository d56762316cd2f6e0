import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The requirements of Waybill on AWS KMS, tested on the one that WAYBILL_KMS_ENDPOINT names. `npm run lab -- kms-contract` */
export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  resolve: {
    alias: {
      '@waybill/protocol/v1': fileURLToPath(new URL('../../../protocol/src/v1/index.ts', import.meta.url)),
      '@waybill/protocol': fileURLToPath(new URL('../../../protocol/src/index.ts', import.meta.url)),
    },
  },
  test: { name: 'kms-contract', include: ['tools/lab/kms-contract/kms-contract.ts'], testTimeout: 60_000 },
});
