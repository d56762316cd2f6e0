/** What is known of a file: a scanner found nothing in it, or none has looked. */
export type ScanState = 'clean' | 'unscanned';

export const scanTexts = { clean: 'scan.clean', unscanned: 'scan.unscanned' } as const;
