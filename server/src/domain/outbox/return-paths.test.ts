import { randomBytes } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { ReturnPaths } from './return-paths.ts';

const paths = new ReturnPaths('Bounces@Example.org', randomBytes(32));
const id = fc.uuid();

describe('a return path', () => {
  test.prop([id])('leads to its message, in whatever case it comes back', (messageId) => {
    const address = paths.toAddress(messageId);
    expect(address).toMatch(/^bounces\+[0-9a-f]{52}@example\.org$/);
    expect(paths.findMessageId(address)).toBe(messageId);
    expect(paths.findMessageId(address.toUpperCase())).toBe(messageId);
  });

  test('fits into an address', () => {
    const longest = new ReturnPaths('elevenchars@example.org', randomBytes(32)).toAddress(crypto.randomUUID());
    expect(longest.indexOf('@')).toBe(64);
  });

  test.prop([id, id])('of one message with the MAC of another is nobody’s', (one, other) => {
    fc.pre(one !== other);
    expect(paths.findMessageId(paths.toAddress(one).slice(0, -32) + paths.toAddress(other).slice(-32))).toBeUndefined();
  });

  test.prop([id, fc.nat(51), fc.nat(15).map((value) => value.toString(16))])(
    'with one digit changed is nobody’s',
    (messageId, at, digit) => {
      const address = paths.toAddress(messageId);
      const index = 'bounces+'.length + at;
      fc.pre(address[index] !== digit);
      expect(paths.findMessageId(address.slice(0, index) + digit + address.slice(index + 1))).toBeUndefined();
    },
  );

  test.prop([id])('of another server is nobody’s', (messageId) => {
    const other = new ReturnPaths('bounces@example.org', randomBytes(32));
    expect(paths.findMessageId(other.toAddress(messageId))).toBeUndefined();
    expect(paths.findMessageId(paths.toAddress(messageId).replace('example.org', 'example.net'))).toBeUndefined();
    expect(paths.findMessageId(paths.toAddress(messageId).replace('bounces', 'bounce'))).toBeUndefined();
  });

  test.prop([fc.string({ maxLength: 200 })])('is not made of anything', (text) => {
    expect(paths.findMessageId(text)).toBeUndefined();
    expect(paths.findMessageId(`bounces+${text}@example.org`)).toBeUndefined();
  });
});
