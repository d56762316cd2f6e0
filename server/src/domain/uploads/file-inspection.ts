import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { UnscannedReason } from '../files/file-store.ts';
import type { Policy } from '../policy.ts';
import type { Scan, ScanSource, Verdict } from '../ports/scanner.ts';
import type { CompleteUpload, DeclaredDigests, Refusal } from './upload-store.ts';

export type InspectionNeeds = Pick<Engines, 'scanner' | 'policy'>;

/** `unavailable`: the policy requires a scan, but there is no verdict yet. */
export type Rejection =
  | Extract<Refusal, 'infected' | 'too_large_to_scan' | 'encrypted' | 'digest_mismatch'>
  | 'unavailable';

export type InspectionResult =
  | { readonly rejection: Rejection }
  | {
      readonly rejection?: undefined;
      readonly facts: Pick<CompleteUpload, 'sha256' | 'crc32' | 'scan' | 'unscannedReason'>;
    };

/**
 * Computes the checksums of a file as its bytes pass, compares them with the declared digests, and has the bytes
 * scanned. The same for bytes that arrive and for bytes that are read back: how a file was sent never changes the result.
 */
export class FileInspection {
  readonly #engines: InspectionNeeds;
  readonly #declared: DeclaredDigests;
  readonly #scan: Scan | undefined;
  readonly #sha256 = createHash('sha256');
  /** Only computed if one is declared. */
  readonly #sha512: Hash | undefined;
  #crc32 = 0;
  #rejection: Rejection | undefined;
  /** Asked for already. */
  #verdict: Promise<Verdict> | undefined;

  constructor(engines: InspectionNeeds, source: ScanSource, declared: DeclaredDigests) {
    this.#engines = engines;
    this.#declared = declared;
    this.#scan = beginScan(engines, source);
    this.#sha512 = declared.sha512 ? createHash('sha512') : undefined;
  }

  /** Returns the rejection as soon as later bytes cannot change it; they are then ignored. */
  async update(bytes: Buffer): Promise<Rejection | undefined> {
    if (this.#rejection) return this.#rejection;
    this.#sha256.update(bytes);
    this.#sha512?.update(bytes);
    this.#crc32 = crc32(bytes, this.#crc32);
    await this.#scan?.write(bytes);
    if (this.#scan?.early) this.#rejection = toRejection(judgeVerdict(this.#scan.early, this.#engines.policy));
    return this.#rejection;
  }

  /**
   * Call this once, after the last byte. If the scanner could not follow, because the sender paused or was slow, the
   * stored bytes are scanned; without `readBack`, the result is then `unavailable`.
   */
  async finish(readBack?: () => AsyncIterable<Buffer>): Promise<InspectionResult> {
    if (this.#rejection) return { rejection: this.#rejection };
    const { policy } = this.#engines;
    let judgement: Judgement = this.#scan
      ? judgeVerdict(await (this.#verdict ?? this.#scan.verdict()), policy)
      : { outcome: 'accept', scan: 'unscanned', unscannedReason: 'off' };
    if (judgement.outcome === 'scan-again' && readBack) judgement = await scanStored(this.#engines, readBack());
    if (judgement.outcome !== 'accept') return { rejection: toRejection(judgement) ?? 'unavailable' };
    const sha256 = this.#sha256.digest();
    const declared = this.#declared;
    const isAsDeclared =
      (declared.sha256?.equals(sha256) ?? true) && (declared.sha512?.equals((this.#sha512 as Hash).digest()) ?? true);
    if (!isAsDeclared) return { rejection: 'digest_mismatch' };
    const { scan, unscannedReason } = judgement;
    return { facts: { sha256, crc32: this.#crc32, scan, unscannedReason } };
  }

  /** Lets the scanner begin its verdict, which may take longer than all that remains to be done with the bytes. */
  end(): void {
    if (!this.#rejection) this.#verdict ??= this.#scan?.verdict();
  }

  /** Must be called however the upload ended. */
  abandon(): void {
    this.#scan?.abandon();
  }
}

/** Scans bytes that are read back, up to the first that decides. */
async function scanStored(engines: InspectionNeeds, bytes: AsyncIterable<Buffer>): Promise<Judgement> {
  const scan = engines.scanner.begin('stored');
  try {
    for await (const piece of bytes) {
      await scan.write(piece);
      if (scan.early && judgeVerdict(scan.early, engines.policy).outcome !== 'accept') break;
    }
    return judgeVerdict(await scan.verdict(), engines.policy);
  } finally {
    scan.abandon();
  }
}

/** Undefined unless no further byte and no further scan can change the judgement. */
function toRejection(judgement: Judgement): Rejection | undefined {
  if (judgement.outcome === 'refuse') return judgement.refusal;
  return judgement.outcome === 'wait' ? 'unavailable' : undefined;
}

function beginScan({ scanner, policy }: InspectionNeeds, source: ScanSource): Scan | undefined {
  return policy.scan === 'off' ? undefined : scanner.begin(source);
}

/** The reason why clamd is unavailable is known where it was called. */
export function toScanError(rejection: Rejection): ExchangeError {
  return new ExchangeError(rejection, undefined, rejection === 'unavailable' ? { engine: 'clamd' } : {});
}

/** The outcome of a file's scan under a policy. */
type Judgement =
  | { readonly outcome: 'accept'; readonly scan: 'clean'; readonly unscannedReason: null }
  | { readonly outcome: 'accept'; readonly scan: 'unscanned'; readonly unscannedReason: UnscannedReason }
  | { readonly outcome: 'refuse'; readonly refusal: Extract<Refusal, 'infected' | 'too_large_to_scan' | 'encrypted'> }
  /** The stored bytes must be read back and scanned before the file is available to anyone. */
  | { readonly outcome: 'scan-again' }
  /** A scan is required but not possible now. */
  | { readonly outcome: 'wait' };

type ScanPolicy = Pick<Policy, 'scan' | 'acceptsEncrypted'>;

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
