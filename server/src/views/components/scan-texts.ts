/** The result of the scan of a file: nothing was found, or it was not scanned. */
export type ScanState = 'clean' | 'unscanned';

export interface Scanned {
  readonly scan: ScanState;
}

export const scanTexts = { clean: 'scan.clean', unscanned: 'scan.unscanned' } as const;

/** The scan result of most files, to be said once, and the files that differ from it. */
export interface ScanSummary<F extends Scanned> {
  readonly common: ScanState;
  readonly different: readonly F[];
  readonly differs: (file: F) => boolean;
}

/** If only some files were scanned, those that were not are the exception, however many they are. */
export function summarizeScans<F extends Scanned>(files: readonly F[]): ScanSummary<F> {
  const common = files.some(({ scan }) => scan === 'clean') ? 'clean' : 'unscanned';
  const differs = (file: F) => file.scan !== common;
  return { common, different: files.filter(differs), differs };
}
