/** What is known about a file: a scanner found nothing in it, or it was not scanned. */
export type ScanState = 'clean' | 'unscanned';

export const scanTexts = { clean: 'scan.clean', unscanned: 'scan.unscanned' } as const;
