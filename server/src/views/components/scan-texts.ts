/** The result of the scan of a file: nothing was found, or it was not scanned. */
export type ScanState = 'clean' | 'unscanned';

export const scanTexts = { clean: 'scan.clean', unscanned: 'scan.unscanned' } as const;
