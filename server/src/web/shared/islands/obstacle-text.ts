import type { FileSizeReason } from '../../../domain/uploads/find-file-size-limit.ts';
import type { ViewTranslator } from '../../../present/texts/translator-context.ts';
import type { Obstacle } from './upload-entry.ts';

const texts: Readonly<Record<Exclude<Obstacle, 'too_large'>, string>> = {
  link_full: 'island.why.link_full',
  too_large_to_scan: 'island.why.too_large_to_scan',
  infected: 'island.why.infected',
  encrypted: 'island.why.encrypted',
  damaged: 'island.why.damaged',
  unchecked: 'island.why.unchecked',
  invalid_name: 'island.why.invalid_name',
  storage_full: 'island.why.storage_full',
  unreadable: 'island.why.unreadable',
  unknown: 'island.why.unknown',
};

const tooLarge: Readonly<Record<FileSizeReason, string>> = {
  file: 'island.tooLarge.file',
  storage: 'island.tooLarge.storage',
  link: 'island.tooLarge.link',
  scan: 'island.tooLarge.scan',
};

/** The same to someone whose own account the files are in, and not that of the receiver. */
const ownTexts: Partial<typeof texts> = {
  link_full: 'composerFiles.why.too_large',
  storage_full: 'composerFiles.why.storage_full',
};
const ownTooLarge: Partial<typeof tooLarge> = { storage: 'composerFiles.tooLarge.storage' };

export interface SizeLimit {
  readonly maxFileBytes: number;
  /** Which limit a file of more bytes exceeds. */
  readonly sizeReason: FileSizeReason;
  /** Whether the files are in an account of the person who sends them. */
  readonly isOwn?: boolean;
}

/** Says why a file cannot be sent, and what helps. */
export function obstacleText(
  translator: ViewTranslator,
  obstacle: Obstacle = 'unknown',
  { maxFileBytes, sizeReason, isOwn = false }: SizeLimit,
): string {
  if (obstacle !== 'too_large') return translator.t((isOwn && ownTexts[obstacle]) || texts[obstacle]);
  const text = (isOwn && ownTooLarge[sizeReason]) || tooLarge[sizeReason];
  return translator.t(text, { size: translator.formatSize(maxFileBytes) });
}
