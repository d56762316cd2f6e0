import { BlockList } from 'node:net';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { areWithin, isWithin, parseNetwork } from './network.ts';

describe.each([
  { family: 'ipv4' as const, address: fc.ipV4(), bits: 32 },
  { family: 'ipv6' as const, address: fc.ipV6(), bits: 128 },
])('$family', ({ family, address, bits }) => {
  // A short prefix, so that a random address is often inside.
  const prefix = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: bits }));
  test.prop([address, prefix, address])('an address is in a network if Node says so', (base, length, caller) => {
    const expected = new BlockList();
    expected.addSubnet(base, length, family);
    for (const one of [base, caller]) {
      expect(isWithin([`${base}/${length}`], one)).toBe(expected.check(one, family));
    }
  });
});

test('an IPv4 address inside IPv6 is the IPv4 address', () => {
  expect(isWithin(['192.0.2.0/24'], '::ffff:192.0.2.7')).toBe(true);
  expect(isWithin(['::ffff:192.0.2.7'], '192.0.2.7')).toBe(true);
});

describe('what is no network', () => {
  test.each([
    '',
    '1.2.3',
    '1.2.3.4/33',
    '::1/129',
    '1.2.3.4/',
    '1.2.3.4/08',
    'fe80::1%eth0',
    'example.org',
    '1.2.3.4/24/8',
  ])('%j', (text) => {
    expect(parseNetwork(text)).toBeUndefined();
    expect(isWithin([text], '1.2.3.4')).toBe(false);
  });
});

test('a key without networks covers all, and one with networks only what is inside of them', () => {
  expect(areWithin(null, null)).toBe(true);
  expect(areWithin(null, ['10.0.0.0/8'])).toBe(true);
  expect(areWithin(['10.0.0.0/8'], null)).toBe(false);
  expect(areWithin(['10.0.0.0/8'], ['10.1.0.0/16', '10.2.3.4'])).toBe(true);
  expect(areWithin(['10.0.0.0/8'], ['10.1.0.0/16', '11.0.0.0/8'])).toBe(false);
  expect(areWithin(['10.1.0.0/16'], ['10.0.0.0/8'])).toBe(false);
});
