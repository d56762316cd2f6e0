import type { SharedLinkInput } from '../../../domain/drops/write-shared-link.ts';

/** The people or links that get what is sent, as the form has it. */
export interface SharedLinkValues {
  readonly who: 'people' | 'anybody';
  /** After how many downloads a link for anybody ends; empty: any number. */
  readonly maxDownloads: string;
  /** Whether the people get one link for all of them. */
  readonly isForAll: boolean;
}

export function readSharedLinkValues(fields: URLSearchParams): SharedLinkValues {
  return {
    who: fields.get('who') === 'anybody' ? 'anybody' : 'people',
    maxDownloads: (fields.get('max_downloads') ?? '').trim().slice(0, 10),
    isForAll: fields.get('notify') === 'shared',
  };
}

/** The link to make, if any. A kind that is not allowed is refused when the drop is made. */
export function toSharedLink({ who, maxDownloads, isForAll }: SharedLinkValues): SharedLinkInput | undefined {
  if (who === 'people') return isForAll ? { kind: 'named', maxDownloads: null } : undefined;
  return { kind: 'anybody', maxDownloads: /^[1-9]\d{0,5}$/.test(maxDownloads) ? Number(maxDownloads) : null };
}
