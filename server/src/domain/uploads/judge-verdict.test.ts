import { expect, test } from 'vitest';
import type { Policy } from '../policy.ts';
import type { Verdict } from '../ports/scanner.ts';
import { judgeVerdict } from './file-inspection.ts';

const clean = { outcome: 'accept', scan: 'clean', unscannedReason: null };
const accepted = (unscannedReason: string) => ({ outcome: 'accept', scan: 'unscanned', unscannedReason });
const refused = (refusal: string) => ({ outcome: 'refuse', refusal });
const unscanned = (why: (Verdict & { result: 'unscanned' })['why']): Verdict => ({ result: 'unscanned', why });

test.each<[Verdict, Policy['scan'], unknown]>([
  [{ result: 'clean' }, 'required', clean],
  [{ result: 'clean' }, 'best-effort', clean],
  [{ result: 'infected', signature: 'x' }, 'required', refused('infected')],
  [{ result: 'infected', signature: 'x' }, 'best-effort', refused('infected')],
  [unscanned('too_large'), 'required', refused('too_large_to_scan')],
  [unscanned('too_large'), 'best-effort', accepted('too_large')],
  [unscanned('encrypted'), 'required', refused('encrypted')],
  [unscanned('encrypted'), 'best-effort', accepted('encrypted')],
  [unscanned('interrupted'), 'required', { outcome: 'scan-again' }],
  [unscanned('interrupted'), 'best-effort', { outcome: 'scan-again' }],
  [unscanned('unavailable'), 'required', { outcome: 'wait' }],
  [unscanned('unavailable'), 'best-effort', accepted('unavailable')],
])('%j under "%s" is %j', (verdict, scan, judgement) => {
  expect(judgeVerdict(verdict, { scan, acceptsEncrypted: false })).toEqual(judgement);
});

test('only encrypted files are accepted unscanned although a scan is required, if the operator says so', () => {
  const policy = { scan: 'required', acceptsEncrypted: true } as const;
  expect(judgeVerdict(unscanned('encrypted'), policy)).toEqual(accepted('encrypted'));
  expect(judgeVerdict(unscanned('too_large'), policy)).toEqual(refused('too_large_to_scan'));
  expect(judgeVerdict(unscanned('unavailable'), policy)).toEqual({ outcome: 'wait' });
  expect(judgeVerdict({ result: 'infected', signature: 'x' }, policy)).toEqual(refused('infected'));
});
