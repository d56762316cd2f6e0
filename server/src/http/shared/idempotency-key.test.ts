import { limits } from '@waybill/protocol';
import { describe, expect, test } from 'vitest';
import { readIdempotencyKey } from './idempotency-key.ts';

const sent = (name: string, value: string | undefined) => ({ headers: { [name]: value } });
const malformed = expect.objectContaining({ code: 'malformed_request' });

describe('Idempotency-Key', () => {
  test.each([
    undefined,
    'a',
    '8e03978e-40d5-43e8-bc93-6894a57f9324',
    '"quoted key"',
    '~'.repeat(limits.idempotencyKeyLength),
  ])('%s is taken as it is', (value) => {
    expect(readIdempotencyKey(sent('idempotency-key', value))).toBe(value);
  });

  test.each(['', 'ä', 'a\tb', 'x\0', 'a'.repeat(limits.idempotencyKeyLength + 1), 'a'.repeat(16_000)])(
    '%j is refused',
    (value) => {
      expect(() => readIdempotencyKey(sent('idempotency-key', value))).toThrow(malformed);
    },
  );
});
