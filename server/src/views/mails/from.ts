import type { MailContent } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';

export interface Sender {
  /** The account's address. */
  readonly sender: string;
  /** The name that people know the account by, or its address if it has none. */
  readonly senderName: string;
}

/** The sender's address, because anyone can choose a name. Empty if the subject has the address. */
export function fromField(
  translator: Translator,
  { sender, senderName }: Sender,
): readonly (readonly [string, string])[] {
  return sender === senderName ? [] : [[translator.t('common.from'), isolate(sender)]];
}

/** The link with which the reader can stop or report the sender. */
export function toStop({
  senderName,
  stopLink,
}: Sender & { readonly stopLink: string }): NonNullable<MailContent['stop']> {
  return { sender: isolate(senderName), link: stopLink };
}
