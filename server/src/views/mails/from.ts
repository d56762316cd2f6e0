import type { Letter } from '../components/letter.tsx';
import { isolate, named, oneLine } from '../plain.ts';
import type { Words } from '../words.ts';

export interface Sender {
  /** The account's address. */
  readonly sender: string;
  /** The name that people know the account by, or its address if it has none. */
  readonly senderName: string;
}

/** Who it is from, with the address, because anyone can choose a name. Empty if the subject has the address. */
export function fromField(words: Words, { sender, senderName }: Sender): readonly (readonly [string, string])[] {
  return sender === senderName ? [] : [[words.t('common.from'), isolate(oneLine(named(senderName, sender)))]];
}

/** Where the reader can stop or report the sender. */
export function stopOf({ senderName, stopLink }: Sender & { readonly stopLink: string }): NonNullable<Letter['stop']> {
  return { sender: isolate(senderName), link: stopLink };
}
