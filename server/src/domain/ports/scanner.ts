/**
 * Why a file was not scanned:
 * - `too_large`: the scanner did not inspect all of it, because of its size or depth.
 * - `encrypted`: the scanner cannot inspect it.
 * - `interrupted`: the scanner was reached, but the scan did not finish. The file gets a verdict when it is scanned
 *   again from the stored bytes; without that, nothing is known about it under any policy.
 * - `unavailable`: the scanner cannot be reached, or takes longer than it may.
 */
export type Unscanned = 'too_large' | 'encrypted' | 'interrupted' | 'unavailable';

export type Verdict =
  | { readonly result: 'clean' }
  | { readonly result: 'infected'; readonly signature: string }
  | { readonly result: 'unscanned'; readonly why: Unscanned };

/** One scan receives the plaintext as it passes. It never throws: what it cannot scan is "unscanned". */
export interface Scan {
  /** Resolves when the scanner needs the bytes no longer: the caller may then free them. */
  write(bytes: Buffer): Promise<void>;
  /**
   * Set as soon as later bytes can no longer change the verdict, so that an upload that will be rejected ends early.
   */
  readonly early: Verdict | undefined;
  verdict(): Promise<Verdict>;
  abandon(): void;
}

/**
 * Bytes that are `arriving` come at the uploader's speed: such a scan is interrupted when the scanner is needed for
 * faster ones. Bytes that are `stored` are read back at our own speed: such a scan waits for its turn and is never
 * `interrupted`.
 */
export type ScanSource = 'arriving' | 'stored';

export interface Scanner {
  /** A larger file is not scanned. */
  readonly maxBytes: number;
  begin(source: ScanSource): Scan;
}
