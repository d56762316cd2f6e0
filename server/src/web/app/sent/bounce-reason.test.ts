import { expect, test } from 'vitest';
import { stoppedReason } from '../../../domain/outbox/abandon-message.ts';
import { explainBounce } from './bounce-reason.ts';

test.each([
  ['550 5.1.1 <a@b.example>: Recipient address rejected: User unknown', 'noMailbox'],
  ['550 No such user here', 'noMailbox'],
  ['550 5.1.2 Bad destination', 'noDomain'],
  ['getaddrinfo ENOTFOUND mx.nowhere.example', 'noDomain'],
  ['452 4.2.2 The mailbox is over quota', 'full'],
  ['550 5.2.1 The account is inactive', 'inactive'],
  ['552 5.3.4 Message size exceeds fixed limit', 'tooLarge'],
  ['554 5.7.1 Rejected as spam', 'refused'],
  ['421 4.4.1 Connection timed out', 'unreachable'],
  ['connect ECONNREFUSED 192.0.2.1:25', 'unreachable'],
  ['554 transaction failed', 'other'],
  ['', 'other'],
  [null, 'other'],
])('%s is said in words', (reply, reason) => {
  expect(explainBounce(reply)).toEqual({
    text: `delivery.bounce.${reason}`,
    advice: `delivery.bounce.${reason}Advice`,
    isStopped: false,
  });
});

test('a receiver who wants no more mail is not a fault of the address', () => {
  expect(explainBounce(stoppedReason)).toMatchObject({ text: 'delivery.bounce.stopped', isStopped: true });
});
