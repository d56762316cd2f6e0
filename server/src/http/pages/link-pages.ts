import type { Link } from '../../domain/ports/index.ts';

/** What a kind of link leads to: where its mail points, and where its page lives once a person opened it. */
export interface LinkPages {
  readonly kind: 'download' | 'upload';
  readonly type: Link['type'];
  readonly landing: string;
  readonly home: string;
}

export const downloads: LinkPages = { kind: 'download', type: 'downloadfiles', landing: '/d', home: '/download' };
export const uploads: LinkPages = { kind: 'upload', type: 'uploadfiles', landing: '/u', home: '/upload' };
