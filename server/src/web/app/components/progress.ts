import type { FollowedReceiver, SentDrop, SentSummary } from '../../../domain/drops/sent-drop-store.ts';
export type ProgressStep = 'sent' | 'delivered' | 'opened' | 'downloaded';

/** How many receivers of a delivery have reached each step. */
export type Progress = Pick<SentDrop, 'state' | 'notify'> &
  Pick<SentSummary, 'receivers' | 'delivered' | 'undeliverable' | 'opened' | 'downloaded'>;

type Reached = 'all' | 'some' | 'none' | 'failed';

export interface ProgressSummary {
  readonly tone: 'calm' | 'good' | 'bad' | 'over';
  /** A text; if not all receivers have come as far, it says how many of them have. */
  readonly text: string;
  readonly count: number;
  readonly of: number;
  readonly reached: Readonly<Record<ProgressStep, Reached>>;
}

const texts = {
  delivered: ['status.delivered', 'delivery.progress.deliveredSome'],
  opened: ['status.opened', 'delivery.progress.openedSome'],
  downloaded: ['status.downloaded', 'delivery.progress.downloadedSome'],
} as const;

/** Says how far a delivery has come: first what needs its sender, then the last step that anyone has reached. */
export function summarizeProgress(progress: Progress): ProgressSummary {
  const { receivers: of, undeliverable } = progress;
  const reach = (count: number): Reached => (count === 0 ? 'none' : count < of ? 'some' : 'all');
  const reached = {
    sent: 'all',
    delivered: undeliverable > 0 ? 'failed' : reach(Math.max(progress.delivered, progress.opened)),
    opened: reach(Math.max(progress.opened, progress.downloaded)),
    downloaded: reach(progress.downloaded),
  } as const;
  const said = (tone: ProgressSummary['tone'], text: string, count = of) => ({ tone, text, count, of, reached });
  if (progress.downloaded === of && of > 0) return said('good', 'status.downloaded');
  if (progress.state === 'revoked' || of === 0) return said('over', 'status.revoked');
  if (undeliverable > 0 && progress.state === 'live') {
    return said('bad', of === 1 ? 'status.undeliverable' : 'delivery.progress.undeliverableSome', undeliverable);
  }
  const tone = progress.state === 'live' ? 'calm' : 'over';
  for (const step of ['downloaded', 'opened', 'delivered'] as const) {
    const count = progress[step];
    if (count === 0 || (step === 'delivered' && progress.state === 'expired')) continue;
    const [all, some] = texts[step];
    return said(tone, count === of ? all : some, count);
  }
  if (progress.state === 'expired') return said('over', 'delivery.progress.neverOpened');
  if (progress.notify) return said('calm', 'status.sent');
  return said('calm', of === 1 ? 'status.linkCreated' : 'delivery.progress.linksMade');
}

/** The times by which a receiver's progress is known. */
export type ReceiverTimes = Pick<
  FollowedReceiver,
  'notifiedAt' | 'undeliverableAt' | 'openedAt' | 'completedAt' | 'revokedAt'
>;

/** Whether a receiver counts: not one whose link was revoked before they had everything. */
export function isCounted({ completedAt, revokedAt }: Pick<ReceiverTimes, 'completedAt' | 'revokedAt'>): boolean {
  return revokedAt === null || completedAt !== null;
}

/** Counts the receivers at each step. A mail that failed does not matter for one who has opened the page. */
export function countProgress(sent: Pick<Progress, 'state' | 'notify'>, receivers: readonly ReceiverTimes[]): Progress {
  const counted = receivers.filter(isCounted);
  const count = (wanted: (receiver: ReceiverTimes) => boolean) => counted.filter(wanted).length;
  return {
    state: sent.state,
    notify: sent.notify,
    receivers: counted.length,
    delivered: count((each) => each.notifiedAt !== null && !isUnreached(each)),
    undeliverable: count(isUnreached),
    opened: count(({ openedAt, completedAt }) => openedAt !== null || completedAt !== null),
    downloaded: count(({ completedAt }) => completedAt !== null),
  };
}

export function isUnreached({
  undeliverableAt,
  openedAt,
  completedAt,
}: Omit<ReceiverTimes, 'notifiedAt' | 'revokedAt'>): boolean {
  return undeliverableAt !== null && openedAt === null && completedAt === null;
}
