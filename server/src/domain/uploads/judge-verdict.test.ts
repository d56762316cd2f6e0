import { expect, test } from 'vitest';
import type { Policy } from '../policy.ts';
import type { Verdict } from '../ports/scanner.ts';
import { judgeVerdict } from './judge-verdict.ts';

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
])('%j under "%s" is %j', (verdict, policy, judgement) => {
  expect(judgeVerdict(verdict, policy)).toEqual(judgement);
});
