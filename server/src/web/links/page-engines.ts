import type { Engines } from '../../domain/engines.ts';
import type { UploadResources } from '../../domain/uploads/upload-resources.ts';

/** The engines that the pages of receivers and contacts need. */
export type PageEngines = Pick<
  Engines,
  | 'store'
  | 'logObjects'
  | 'witnesses'
  | 'objects'
  | 'dayKeys'
  | 'downloads'
  | 'random'
  | 'policy'
  | 'sms'
  | 'attemptLimit'
  | 'passphrases'
  | 'failureLimit'
  | 'messageLimit'
  | 'scanner'
  | 'checkpoint'
  | 'stopLinks'
  | 'receiptPrinter'
> & { readonly uploadResources: UploadResources };
