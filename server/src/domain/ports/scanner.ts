/**
 * Why a file was not scanned:
 * - `too_large`: the scanner did not look into all of it, because of its size or depth.
 * - `encrypted`: the scanner cannot look into it.
 * - `interrupted`: the scanner was reached but the scan did not come to its end. Scanned again from the stored
 *   bytes, the file gets a verdict; without that, nothing is known about it under any policy.
 * - `unavailable`: the scanner is out of reach, or takes longer than it may.
 */
export type Unscanned = 'too_large' | 'encrypted' | 'interrupted' | 'unavailable';

export type Verdict =
  | { readonly result: 'clean' }
  | { readonly result: 'infected'; readonly signature: string }
  | { readonly result: 'unscanned'; readonly why: Unscanned };

/** One scan takes the plaintext as it passes by. It never throws: what it cannot scan is "unscanned". */
export interface Scan {
  /** The bytes must not change afterwards. */
  write(bytes: Buffer): Promise<void>;
  /** Set as soon as the verdict no longer depends on what follows, so that a hopeless upload ends early. */
  readonly early: Verdict | undefined;
  verdict(): Promise<Verdict>;
  abandon(): void;
}

/**
 * Bytes `arriving` come at the uploader's pace: such a scan is interrupted when the scanner is needed for faster ones.
 * Bytes that are `stored` are read back at our pace: such a scan waits for its turn, and is never `interrupted`.
 */
export type ScanSource = 'arriving' | 'stored';

export interface Scanner {
  /** A larger file is not scanned. */
  readonly maxBytes: number;
  begin(source: ScanSource): Scan;
}
