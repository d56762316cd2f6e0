import type { UnscannedReason } from '../files/file-store.ts';
import type { Policy } from '../policy.ts';
import type { Verdict } from '../ports/scanner.ts';
import type { Refusal } from './upload-store.ts';

/** The outcome of a file's scan under a policy. */
export type Judgement =
  | { readonly outcome: 'accept'; readonly scan: 'clean'; readonly unscannedReason: null }
  | { readonly outcome: 'accept'; readonly scan: 'unscanned'; readonly unscannedReason: UnscannedReason }
  | { readonly outcome: 'refuse'; readonly refusal: Extract<Refusal, 'infected' | 'too_large_to_scan' | 'encrypted'> }
  /** The stored bytes must be read back and scanned before the file is available to anyone. */
  | { readonly outcome: 'scan-again' }
  /** A scan is required but not possible now. */
  | { readonly outcome: 'wait' };

export type ScanPolicy = Pick<Policy, 'scan' | 'acceptsEncrypted'>;

/** Whether a file is scanned never depends on how its uploader sends it: an interrupted scan is repeated. */
export function judgeVerdict(verdict: Verdict, { scan, acceptsEncrypted }: ScanPolicy): Judgement {
  if (verdict.result === 'clean') return { outcome: 'accept', scan: 'clean', unscannedReason: null };
  if (verdict.result === 'infected') return { outcome: 'refuse', refusal: 'infected' };
  if (verdict.why === 'interrupted') return { outcome: 'scan-again' };
  if (scan !== 'required' || (verdict.why === 'encrypted' && acceptsEncrypted))
    return { outcome: 'accept', scan: 'unscanned', unscannedReason: verdict.why };
  if (verdict.why === 'too_large') return { outcome: 'refuse', refusal: 'too_large_to_scan' };
  if (verdict.why === 'encrypted') return { outcome: 'refuse', refusal: 'encrypted' };
  return { outcome: 'wait' };
}
