import type { MessageKind } from './outbox-store.ts';

/** The news of an account that its members may be told by mail. */
export const newsKinds = ['downloaded', 'undeliverable', 'asked', 'received'] as const;
export type NewsKind = (typeof newsKinds)[number];

/** A mail that brings news of an account to those who work in it. */
export type NewsMessageKind = Extract<
  MessageKind,
  'receipt' | 'undeliverable' | 'more_time' | 'send_again' | 'received'
>;

export const newsOfMessages: Readonly<Record<NewsMessageKind, NewsKind>> = {
  receipt: 'downloaded',
  undeliverable: 'undeliverable',
  more_time: 'asked',
  send_again: 'asked',
  received: 'received',
};

export function isNewsMessage(kind: MessageKind): kind is NewsMessageKind {
  return Object.hasOwn(newsOfMessages, kind);
}

/** The news that a person gets who has not chosen: everything of the account with their own address. */
export const usualNews: { readonly own: readonly NewsKind[]; readonly shared: readonly NewsKind[] } = {
  own: newsKinds,
  // Of a shared account, only what the person who sent something has to deal with.
  shared: ['undeliverable', 'asked'],
};

/** News of which much can come at once: a person gets one mail in this time, and the next one stands for the rest. */
export const gatheredNews: ReadonlySet<NewsKind> = new Set(['undeliverable', 'received']);
export const gatheringSeconds = 15 * 60;
