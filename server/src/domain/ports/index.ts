/** All that the domain needs from outside, one file per area. */
export type * from './accounts.ts';
export type * from './audit.ts';
export type * from './contacts.ts';
export type * from './drafts.ts';
export type * from './drops.ts';
export type * from './engines.ts';
export type * from './files.ts';
export type * from './letters.ts';
export type * from './limits.ts';
export type * from './links.ts';
export type * from './objects.ts';
export type * from './outbox.ts';
export type * from './scanner.ts';
export type * from './store.ts';
export type * from './uploads.ts';
