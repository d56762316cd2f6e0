import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { mayBeReached } from './guarded-connector.ts';

describe('an address', () => {
  test.each([
    ['this host', '0.0.0.0', '0.1.2.3', '::'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1'],
    ['link-local, where clouds keep credentials', '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'fd00:ec2::254'],
    ['shared by a carrier', '100.64.0.1', '100.127.255.255'],
    ['multicast or broadcast', '224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
    ['reserved', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '2001:db8::1'],
    ['IPv4 inside IPv6', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:169.254.169.254', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1'],
    ['6to4 or Teredo', '2002:7f00:1::', '2002:808:808::1', '2001:0:4136:e378::'],
    ['not given out', 'fec0::1', '4000::1', '5f00::1', '100::1'],
    ['not an address', '', 'localhost', '127.1.example', '1.2.3.4.5'],
  ])('that is %s is refused', (_kind, ...addresses) => {
    for (const address of addresses) expect([address, mayBeReached(address, [])]).toEqual([address, false]);
  });

  test('on the Internet is allowed', () => {
    for (const address of ['8.8.8.8', '1.1.1.1', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8']) {
      expect([address, mayBeReached(address, [])]).toEqual([address, true]);
    }
  });

  test('in the operator’s list is allowed, and none beside it', () => {
    const allowed = ['10.1.0.0/16', 'fd12::/16', '127.0.0.1'];
    for (const address of ['10.1.2.3', 'fd12::5', '127.0.0.1', '::ffff:10.1.2.3']) {
      expect([address, mayBeReached(address, allowed)]).toEqual([address, true]);
    }
    for (const address of ['10.2.0.1', 'fd13::5', '127.0.0.2', '::1', '::ffff:10.2.0.1']) {
      expect([address, mayBeReached(address, allowed)]).toEqual([address, false]);
    }
  });

  const octet = fc.nat(255);
  property.prop([fc.constantFrom(10, 127, 0, 224, 240, 255), octet, octet, octet])(
    'is judged in the same way in every spelling',
    (a, b, c, d) => {
      const hex = [(a << 8) | b, (c << 8) | d].map((part) => part.toString(16)).join(':');
      for (const spelling of [
        `${a}.${b}.${c}.${d}`,
        `::ffff:${a}.${b}.${c}.${d}`,
        `::ffff:${hex}`,
        `64:ff9b::${hex}`,
      ]) {
        expect(mayBeReached(spelling, [])).toBe(false);
      }
    },
  );
});
