import type { EventType, Scope } from '@waybill/protocol/v1';

import type { PostFailure } from '../ports/webhook-sender.ts';

/**
 * Why a webhook was disabled: the response was 410, nothing has reached it for days, its key was revoked, or an owner of the
 * account has disabled it.
 */
export type DisabledReason = AutomaticDisabledReason | 'key_revoked' | 'owner';

/** A reason that nobody asked for, so the owner of the webhook gets a mail about it. */
export type AutomaticDisabledReason = 'gone' | 'failing';

export interface WebhookInput {
  readonly url: string;
  /** Null: all. */
  readonly types: readonly EventType[] | null;
  readonly description: string;
}

export interface Webhook extends WebhookInput {
  readonly id: string;
  /** The key that created it; null if an owner of the account did. */
  readonly createdBy: string | null;
  /** The scopes of the key that made the webhook, which limit what it is sent; null: everything. */
  readonly scopes: readonly Scope[] | null;
  readonly salt: Buffer;
  /** Of the secret before, while its signatures are sent too. */
  readonly previous: { readonly salt: Buffer; readonly until: Date } | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly disabled: { readonly at: Date; readonly reason: DisabledReason } | null;
  /** The first of the failures since the last success. */
  readonly failingSince: Date | null;
}

export interface WebhookStore {
  /** All of the account, up to `count`, oldest first. */
  list(accountId: string, count: number): Promise<Webhook[]>;
  byId(accountId: string, id: string): Promise<Webhook | undefined>;
  insert(
    accountId: string,
    webhook: WebhookInput & Pick<Webhook, 'id' | 'createdBy' | 'scopes' | 'salt'>,
  ): Promise<Webhook>;
  /** Serialises changes to it until the transaction ends. */
  lock(accountId: string, id: string): Promise<Webhook | undefined>;
  change(accountId: string, id: string, input: WebhookInput): Promise<Webhook>;
  /** The secret before is used too for this long. */
  replaceSalt(accountId: string, id: string, salt: Buffer, previousSeconds: number): Promise<Webhook>;
  enable(accountId: string, id: string): Promise<Webhook>;
  disableByRequest(accountId: string, id: string): Promise<Webhook>;
  /** Disables those that a key, or a key that comes from it, has made. Returns their ids. */
  disableMadeBy(accountId: string, keyId: string): Promise<string[]>;
  /** Enqueues the mail to the account's owner. False if it is disabled already or removed. */
  disable(accountId: string, id: string, reason: AutomaticDisabledReason, messageId: string): Promise<boolean>;
  remove(accountId: string, id: string): Promise<void>;
}

/** An event on its way to a webhook. */
export interface WebhookDelivery {
  readonly eventId: string;
  readonly type: string;
  readonly occurredAt: Date;
  readonly data: unknown;
}

export interface ClaimedDelivery extends WebhookDelivery {
  /** How often it has been tried, including this time. */
  readonly attempts: number;
  readonly claimedAt: Date;
}

export interface WebhookAttempt {
  /** Ordered by time. */
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly attempt: number;
  readonly at: Date;
  /** Null if there was no response. */
  readonly status: number | null;
  readonly failure: PostFailure | null;
  readonly durationMs: number;
}

export interface WebhookDeliveryStore {
  /**
   * Returns the webhook if nobody else is sending to it; nobody else will until the lease ends. Undefined also if it is
   * paused or removed, or if its account is disabled.
   */
  take(accountId: string, webhookId: string, leaseSeconds: number): Promise<(Webhook & { lease: string }) | undefined>;
  /** Ends the lease, and sets the job that sends what is due next. */
  release(accountId: string, webhookId: string, lease: string): Promise<void>;
  /** Up to `count` deliveries that are due, oldest first; none if the account is disabled. Counts the attempts. */
  claim(accountId: string, webhookId: string, count: number, leaseSeconds: number): Promise<ClaimedDelivery[]>;
  /**
   * Records an attempt and what follows from it. Returns for how long attempts have failed since the last success.
   */
  record(
    accountId: string,
    webhookId: string,
    attempt: Omit<WebhookAttempt, 'at'>,
    result: 'delivered' | 'abandoned' | { readonly retrySeconds: number; readonly pauseSeconds: number | null },
  ): Promise<number>;
  /** Abandons up to `count` waiting deliveries if the webhook is disabled or removed. Returns how many. */
  abandonWaiting(accountId: string, webhookId: string, count: number): Promise<number>;
  /** Sends something to one webhook that is not an event of the account. */
  enqueue(accountId: string, webhookId: string, delivery: Omit<WebhookDelivery, 'occurredAt'>): Promise<void>;
  /** Sends one event again. False if it is not known, or not known any more. */
  replay(accountId: string, webhookId: string, eventId: string): Promise<boolean>;
  /** Has `replayNext` send again what has happened since then. Returns how many events, counted no further than `maxCounted`. */
  replaySince(accountId: string, webhookId: string, since: Date, maxCounted: number): Promise<number>;
  replayNext(accountId: string, webhookId: string, count: number): Promise<void>;
  /** Newest first, before `before`. */
  attempts(
    accountId: string,
    webhookId: string,
    before: Pick<WebhookAttempt, 'id'> | undefined,
    count: number,
  ): Promise<WebhookAttempt[]>;
  /** Sends what has waited while the account was disabled. That time does not count as one of failures. */
  resume(accountId: string): Promise<void>;
  /** Sets the jobs of up to `count` webhooks that were lost with their process. Returns how many. */
  wakeOverdue(overdueSeconds: number, count: number): Promise<number>;
  /** Each removes up to `count` records of this age. Returns how many. */
  purgeDeliveries(olderThanSeconds: number, count: number): Promise<number>;
  purgeAttempts(olderThanSeconds: number, count: number): Promise<number>;
}
