import type { Link } from '../links/link-store.ts';

/** An account and an address that it writes to, found through one of its mails to it. */
export interface Correspondence extends Pick<Link, 'accountId' | 'sender' | 'senderName' | 'language'> {
  /** The person's link: the one in the mail, or the one that they sent files through. */
  readonly link: Pick<Link, 'accountId' | 'dropId' | 'position'>;
  readonly address: string;
  /** The address wants no more mail from the account. */
  readonly stopped: boolean;
  /** The account was reported through this link. */
  readonly reported: boolean;
}

export interface StoppedAddress {
  readonly address: string;
  readonly stoppedAt: Date;
}

/** Which addresses want no more mail from an account. */
export interface StopStore {
  /** By the id of a mail to a receiver or a contact. */
  correspondence(messageId: string): Promise<Correspondence | undefined>;
  /** False when it was already stopped. */
  add(accountId: string, address: string): Promise<boolean>;
  /** False when it was not stopped. */
  remove(accountId: string, address: string): Promise<boolean>;
  /** In alphabetical order, after `after`. */
  page(accountId: string, after: string, count: number): Promise<StoppedAddress[]>;
  /** Records that the account was reported through this link. False when it was already. */
  report(link: Correspondence['link']): Promise<boolean>;
}
