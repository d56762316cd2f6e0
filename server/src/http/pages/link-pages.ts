import type { Link } from '../../domain/links/link-store.ts';

/** What a kind of link leads to: the URL in its mail, and the URL of its page once a person has opened it. */
export interface LinkPages {
  readonly kind: 'download' | 'upload';
  readonly type: Link['type'];
  readonly landing: string;
  readonly home: string;
}

export const downloads: LinkPages = { kind: 'download', type: 'downloadfiles', landing: '/d', home: '/download' };
export const uploads: LinkPages = { kind: 'upload', type: 'uploadfiles', landing: '/u', home: '/upload' };
