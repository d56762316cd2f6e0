import type { UnscannedReason } from '../../domain/files/file-store.ts';
/** The result of the scan of a file: nothing was found, or it was not scanned. */
export type ScanState = 'clean' | 'unscanned';

export interface Scanned {
  readonly scan: ScanState;
  readonly unscannedReason?: UnscannedReason | null | undefined;
}

/** A server that scans nothing has no reason to give. */
const reasons = {
  too_large: 'scan.unscanned.too_large',
  encrypted: 'scan.unscanned.encrypted',
  unavailable: 'scan.unscanned.unavailable',
  off: 'scan.unscanned',
} as const;

export function findScanText({ scan, unscannedReason }: Partial<Scanned>): string {
  return scan === 'clean' ? 'scan.clean' : reasons[unscannedReason ?? 'off'];
}

/** The result that all files share. */
export const commonTexts = { clean: 'scan.cleanAll', unscanned: 'scan.unscannedAll' } as const;

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
