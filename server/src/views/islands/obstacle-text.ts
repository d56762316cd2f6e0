import type { ViewTranslator } from '../components/translator-context.ts';
import type { Obstacle } from './upload-entry.ts';

/** Which limit a file reaches first: see FileSizeReason of the server. */
export type SizeReason = 'file' | 'storage' | 'link' | 'scan';

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

const tooLarge: Readonly<Record<SizeReason, string>> = {
  file: 'island.tooLarge.file',
  storage: 'island.tooLarge.storage',
  link: 'island.tooLarge.link',
  scan: 'island.tooLarge.scan',
};

/** Says why a file cannot be sent, and what helps. */
export function obstacleText(
  translator: ViewTranslator,
  obstacle: Obstacle = 'unknown',
  limit: { readonly maxFileBytes: number; readonly sizeReason: SizeReason },
): string {
  if (obstacle !== 'too_large') return translator.t(texts[obstacle]);
  return translator.t(tooLarge[limit.sizeReason], { size: translator.formatSize(limit.maxFileBytes) });
}
