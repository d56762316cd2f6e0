import { expect, test } from 'vitest';
import { countProgress, type Progress, type ReceiverTimes, summarizeProgress } from './progress.ts';

const at = new Date('2026-11-16T11:30:00Z');
const waiting: ReceiverTimes = {
  notifiedAt: null,
  undeliverableAt: null,
  openedAt: null,
  completedAt: null,
  revokedAt: null,
};
const live = { state: 'live', notify: true } as const;
const done = { ...waiting, notifiedAt: at, openedAt: at, completedAt: at };

function say(sent: Pick<Progress, 'state' | 'notify'>, ...receivers: ReceiverTimes[]) {
  const { tone, text, count, of } = summarizeProgress(countProgress(sent, receivers));
  return [tone, text, count, of];
}

test('says the last step that anyone has reached, and how many have', () => {
  expect(say(live, waiting)).toEqual(['calm', 'status.sent', 1, 1]);
  expect(say({ ...live, notify: false }, waiting)).toEqual(['calm', 'status.linkCreated', 1, 1]);
  expect(say({ ...live, notify: false }, waiting, waiting)).toEqual(['calm', 'delivery.progress.linksMade', 2, 2]);
  expect(say(live, { ...waiting, notifiedAt: at }, waiting)).toEqual(['calm', 'delivery.progress.deliveredSome', 1, 2]);
  expect(say(live, { ...waiting, openedAt: at })).toEqual(['calm', 'status.opened', 1, 1]);
  expect(say(live, done, waiting)).toEqual(['calm', 'delivery.progress.downloadedSome', 1, 2]);
  expect(say(live, done, done)).toEqual(['good', 'status.downloaded', 2, 2]);
});

test('says first that a mail has not arrived, unless its receiver has opened the page or lost the link', () => {
  const failed = { ...waiting, undeliverableAt: at };
  expect(say(live, done, failed)).toEqual(['bad', 'delivery.progress.undeliverableSome', 1, 2]);
  expect(say(live, failed)).toEqual(['bad', 'status.undeliverable', 1, 1]);
  expect(say(live, { ...failed, openedAt: at })).toEqual(['calm', 'status.opened', 1, 1]);
  expect(say(live, done, { ...failed, revokedAt: at })).toEqual(['good', 'status.downloaded', 1, 1]);
});

test('says of what has ended how it ended', () => {
  const delivered = { ...waiting, notifiedAt: at };
  expect(say({ ...live, state: 'expired' }, delivered)).toEqual(['over', 'delivery.progress.neverOpened', 1, 1]);
  expect(say({ ...live, state: 'expired' }, done)).toEqual(['good', 'status.downloaded', 1, 1]);
  expect(say({ ...live, state: 'revoked' }, delivered)).toEqual(['over', 'status.revoked', 1, 1]);
});
