import type { ViewTranslator } from '../../../present/texts/translator-context.ts';

/** How much a contact can send. */
export interface UploadLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** Whether files can be sent only once. */
  readonly once: boolean;
}

export function limitsText(translator: ViewTranslator, { maxFiles, maxFileBytes, once }: UploadLimits): string {
  const limits = translator.t('upload.limits', { count: maxFiles, size: translator.formatSize(maxFileBytes) });
  return once ? `${limits} ${translator.t('upload.once')}` : limits;
}
