import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { deterministicRandom } from '../../../test/random.ts';
import { newDeviceCookie, readDeviceCookie } from './known-device.ts';

const pepper = Buffer.alloc(32, 7);
const random = deterministicRandom('devices');
const [anna, bo] = ['0192f0c1-0000-7000-8000-000000000001', '0192f0c1-0000-7000-8000-000000000002'];
const cookie = newDeviceCookie(anna, pepper, random);

describe('the cookie of a device', () => {
  test('is recognised for the person who got it, and each is another device', () => {
    const device = readDeviceCookie(cookie, anna, pepper);
    expect(device?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(readDeviceCookie(cookie, anna, pepper)).toEqual(device);
    expect(readDeviceCookie(newDeviceCookie(anna, pepper, random), anna, pepper)).not.toEqual(device);
  });

  test('is worth nothing for another person, an unknown one, or under another pepper', () => {
    expect(readDeviceCookie(cookie, bo, pepper)).toBeUndefined();
    expect(readDeviceCookie(cookie, undefined, pepper)).toBeUndefined();
    expect(readDeviceCookie(cookie, anna, Buffer.alloc(32, 8))).toBeUndefined();
    expect(readDeviceCookie(undefined, anna, pepper)).toBeUndefined();
  });

  test('tells nothing about the person', () => {
    const bytes = Buffer.from(cookie, 'base64url').toString('hex');
    expect(bytes).not.toContain(anna.replaceAll('-', ''));
    expect(cookie).toMatch(/^[\w-]{64}$/);
  });

  propertyTest.prop([fc.nat(47), fc.integer({ min: 1, max: 255 })])('cannot be changed', (at, by) => {
    const bytes = Buffer.from(cookie, 'base64url');
    bytes.writeUInt8(bytes.readUInt8(at) ^ by, at);
    expect(readDeviceCookie(bytes.toString('base64url'), anna, pepper)).toBeUndefined();
  });

  propertyTest.prop([fc.string({ maxLength: 200 })])('cannot be invented', (text) => {
    expect(readDeviceCookie(text, anna, pepper)).toBeUndefined();
    expect(readDeviceCookie(cookie + text, anna, pepper) === undefined).toBe(text !== '');
  });
});
