import type { Policy, Refusal, Verdict } from '../ports/index.ts';

/** What becomes of a file after its scan. */
export type Judgement =
  | { readonly outcome: 'accept'; readonly scan: 'clean' | 'unscanned' }
  | { readonly outcome: 'refuse'; readonly refusal: Exclude<Refusal, 'damaged' | 'unchecked'> }
  /** The stored bytes are to be read back and scanned, before anybody can have them. */
  | { readonly outcome: 'scan-again' }
  /** A scan is required and cannot be had now. */
  | { readonly outcome: 'wait' };

/** Whether a file is scanned never depends on how its uploader sends it: an interrupted scan is made again. */
export function judge(verdict: Verdict, policy: Policy['scan']): Judgement {
  if (verdict.result === 'clean') return { outcome: 'accept', scan: 'clean' };
  if (verdict.result === 'infected') return { outcome: 'refuse', refusal: 'infected' };
  if (verdict.why === 'interrupted') return { outcome: 'scan-again' };
  if (policy !== 'required') return { outcome: 'accept', scan: 'unscanned' };
  if (verdict.why === 'too_large') return { outcome: 'refuse', refusal: 'too_large_to_scan' };
  if (verdict.why === 'encrypted') return { outcome: 'refuse', refusal: 'encrypted' };
  return { outcome: 'wait' };
}
