import type { Link } from '../../domain/links/link-store.ts';

/** The URLs of a kind of link: in its mail, and of its page once a person has opened it. */
export interface LinkPages {
  readonly kind: 'download' | 'upload';
  readonly type: Link['type'];
  readonly landing: string;
  readonly home: string;
}

export const downloads: LinkPages = { kind: 'download', type: 'downloadfiles', landing: '/d', home: '/download' };
export const uploads: LinkPages = { kind: 'upload', type: 'uploadfiles', landing: '/u', home: '/upload' };

export function findPages({ type }: Pick<Link, 'type'>): LinkPages {
  return type === downloads.type ? downloads : uploads;
}
