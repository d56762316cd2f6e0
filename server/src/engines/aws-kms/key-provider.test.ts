import { expect, test } from 'vitest';
import { expectTrouble } from '../../../test/findings.ts';
import { examineKms } from './examine.ts';
import { kmsKeyProvider } from './key-provider.ts';

const arn = 'arn:aws:kms:eu-north-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const options = { keys: [{ version: 1, arn }], endpoint: 'http://127.0.0.1:9', timeoutMs: 300 };

test('keys out of reach are unavailable, and an unknown version is named', async () => {
  const keys = kmsKeyProvider(options);
  await expect(keys.wrap(Buffer.alloc(32), 'file')).rejects.toMatchObject({ code: 'unavailable' });
  await expect(keys.unwrap(Buffer.alloc(32), 1, 'file')).rejects.toMatchObject({ code: 'unavailable' });
  await expect(keys.unwrap(Buffer.alloc(32), 2, 'file')).rejects.toThrow('no master key of version 2');
});

test('the doctor names KMS that cannot be reached', async () => {
  await expectTrouble(examineKms(options), 'fault keys.kms');
});
