import type { Channel } from '../policy.ts';
import type { MessageKind } from './outbox-store.ts';

/** Besides the messages of the outbox, what an account is told of its webhooks and its inbox. */
export type TestMessageKind = MessageKind | 'webhook_disabled' | 'entries_parked';

/** A mail or SMS of a test account, which is kept instead of sent. */
export interface TestMessage {
  readonly id: string;
  readonly kind: TestMessageKind;
  readonly channel: Channel;
  readonly to: string;
  /** The drop or the request that it is about; both null: neither. */
  readonly dropId: string | null;
  readonly requestId: string | null;
  /** Null for an SMS. */
  readonly subject: string | null;
  readonly text: string;
  /** The personal link and the code in the text, if any. */
  readonly link: string | null;
  readonly code: string | null;
}

export interface KeptMessage extends TestMessage {
  readonly sequence: number;
  readonly createdAt: Date;
}

export interface TestMessageFilter {
  readonly to?: string | undefined;
  readonly kind?: TestMessageKind | undefined;
  readonly dropId?: string | undefined;
  readonly requestId?: string | undefined;
  /** The id of a message: only those that were kept later. */
  readonly since?: string | undefined;
}

export interface TestMessageStore {
  /** Keeps a message, and of the account the newest `most`. False if it is kept already. */
  keep(accountId: string, message: TestMessage, most: number): Promise<boolean>;
  /** Newest first, before `after`. */
  page(
    accountId: string,
    filter: TestMessageFilter,
    after: Pick<KeptMessage, 'sequence'> | undefined,
    count: number,
  ): Promise<KeptMessage[]>;
  /** Removes up to `count` messages that are this old. Returns how many. */
  purge(olderThanSeconds: number, count: number): Promise<number>;
}
