import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Challenges, readChallenge } from './challenges.ts';

const random = { bytes: randomBytes, uuid: randomUUID };
const pepper = randomBytes(32);
const challenges = new Challenges(pepper);
const now = new Date('2026-11-17T12:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

test('is valid for what it was made for, until it expires', () => {
  const challenge = challenges.make(random, 'browser a', now, 300);
  expect(challenge).toHaveLength(32);
  expect(challenges.isValid(challenge, 'browser a', later(299))).toBe(true);
  expect(challenges.isValid(challenge, 'browser a', later(300))).toBe(false);
  expect(challenges.isValid(challenge, 'browser b', now)).toBe(false);
  expect(new Challenges(randomBytes(32)).isValid(challenge, 'browser a', now)).toBe(false);
});

test('is not valid with any byte changed', () => {
  const challenge = challenges.make(random, 'x', now, 300);
  for (let at = 0; at < challenge.length; at += 1) {
    const changed = Buffer.from(challenge);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(challenges.isValid(changed, 'x', now)).toBe(false);
  }
  expect(challenges.isValid(challenge.subarray(1), 'x', now)).toBe(false);
});

test.each([
  undefined,
  null,
  1,
  {},
  { response: {} },
  { response: { clientDataJSON: 'e30' } },
  { response: { clientDataJSON: '!' } },
])('is not found in %j', (response) => {
  expect(readChallenge(response)).toBeUndefined();
});
