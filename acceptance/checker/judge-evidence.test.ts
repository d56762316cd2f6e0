// The judgement of a drop's entries in the evidence log: nothing if each is there once, and every deviation by name.
import { expect, test } from 'vitest';
import type { DropRow, EvidenceEntry } from './evidence.ts';
import type { IntendedDispatch } from './journal.ts';
import { judgeEntries } from './judge-evidence.ts';

const receiver = 'anna@example.org';
const file = { name: 'a.txt', size: 3, sha256: 'ab' };
const dispatch: IntendedDispatch = {
  draft: '',
  files: [{ name: 'a.txt', sizeBytes: 3, sha256: 'ab' }],
  outcomes: ['ok'],
  refusals: [],
  message: 'message',
  receivers: [receiver],
};
const drop = { id: 'drop', mails: [{ receiver, state: 'sent' }] } as Partial<DropRow> as DropRow;
const handedOver = [{ receiver, file: 'a.txt' }];

const make = (kind: string, data: EvidenceEntry['data'], position: number | null = 0): EvidenceEntry => ({
  drop_id: 'drop',
  kind,
  position,
  data,
  published: true,
});
const submission = make('submission.accepted', { files: [file] }, null);
const consignment = make('content.consigned', { address: receiver });
const notification = make('notification.sent', { purpose: 'invitation' });
const handover = make('content.handed_over', { file });
const whole = [submission, consignment, notification, handover];

test('reports nothing if the log has each event once', () => {
  expect(judgeEntries(dispatch, drop, whole, handedOver)).toEqual([]);
  // Nobody knows of a handover whose process was killed.
  expect(judgeEntries(dispatch, drop, whole.slice(0, 3), [])).toEqual([]);
});

test.each([
  ['that it was accepted', submission],
  [`that it was consigned to ${receiver}`, consignment],
  [`that a mail was sent to ${receiver}`, notification],
  [`that ${receiver} got a.txt`, handover],
])('reports if the log does not have, or has twice, %s', (what, entry) => {
  const missing = judgeEntries(
    dispatch,
    drop,
    whole.filter((one) => one !== entry),
    handedOver,
  );
  expect(missing).toContain(`the log has 0 times ${what}, not 1 times`);
  const doubled = judgeEntries(dispatch, drop, [...whole, entry], handedOver);
  expect(doubled).toContain(`the log has 2 times ${what}, not 1 times`);
});

test('reports other files, an entry that is not published, and a revocation without or with a request', () => {
  const altered = make('submission.accepted', { files: [{ ...file, sha256: 'cd' }] }, null);
  expect(judgeEntries(dispatch, drop, [altered, ...whole.slice(1)], handedOver)).toEqual(['the log has other files']);
  const waiting = { ...handover, published: false };
  expect(judgeEntries(dispatch, drop, [...whole.slice(0, 3), waiting], handedOver)).toEqual([
    'content.handed_over is not in the published log',
  ]);
  const revocation = make('drop.revoked', {}, null);
  const revoked = { ...dispatch, isRevoked: true };
  expect(judgeEntries(revoked, drop, [...whole, revocation], handedOver)).toEqual([]);
  expect(judgeEntries(revoked, drop, whole, handedOver)).toEqual([
    'the log has 0 times that it was revoked, not 1 times',
  ]);
  expect(judgeEntries(dispatch, drop, [...whole, revocation], handedOver)).toEqual([
    'the log has 1 times that it was revoked, not 0 times',
  ]);
});
