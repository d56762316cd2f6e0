import { argon2, argon2Sync } from 'node:crypto';
import { fc, test as propertyTest } from '@fast-check/vitest';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { deterministicRandom } from '../../../test/random.ts';
import { formatPhc, Passwords, parsePhc } from './password.ts';

const pepper = Buffer.alloc(32, 7);
const compute = vi.fn(argon2);
const passwords = new Passwords(pepper, deterministicRandom('passwords'), compute);
const secret = 'a river of paper boats';
const stored = await passwords.hash(secret);
/** The parameters of each hash that was computed, without the password and the salt. */
const computed = () =>
  compute.mock.calls.map(([algorithm, { message: _, nonce, ...cost }]) => ({
    algorithm,
    saltBytes: Buffer.from(nonce as Buffer).length,
    ...cost,
  }));

beforeEach(() => {
  compute.mockClear();
});

describe('a password', () => {
  test('is accepted, and no other one', async () => {
    expect(await passwords.verify(secret, stored)).toBe(true);
    for (const other of ['', 'A river of paper boats', `${secret} `, ` ${secret}`, `${secret}\0`]) {
      expect(await passwords.verify(other, stored)).toBe(false);
    }
  });

  test('has another hash each time, with the parameters that OWASP recommends', async () => {
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await passwords.hash(secret)).not.toBe(stored);
  });

  test('is the same however its accents were typed', async () => {
    const composed = await passwords.hash('smörgåsbord för alla');
    expect(await passwords.verify('smörgåsbord för alla'.normalize('NFD'), composed)).toBe(true);
    expect(await passwords.verify('smorgasbord for alla', composed)).toBe(false);
  });

  test('cannot be tried with the database alone', async () => {
    const { salt, tag, memoryKib, passes, lanes } = parsePhc(stored);
    const parameters = { nonce: salt, memory: memoryKib, passes, parallelism: lanes, tagLength: tag.length };
    expect(argon2Sync('argon2id', { message: secret, ...parameters }).equals(tag)).toBe(false);
    const elsewhere = new Passwords(Buffer.alloc(32, 8), deterministicRandom('elsewhere'));
    expect(await elsewhere.verify(secret, stored)).toBe(false);
  });

  test('that is longer than any password is refused, though its beginning is right', async () => {
    const longest = 'åb'.repeat(100);
    const hash = await passwords.hash(longest);
    expect(await passwords.verify(longest.normalize('NFD'), hash)).toBe(true);
    expect(await passwords.verify(`${longest}a`, hash)).toBe(false);
    expect(await passwords.verify(longest.repeat(10_000), hash)).toBe(false);
    const sizes = compute.mock.calls.map(([, { message }]) => (message as string).length);
    expect(sizes).toEqual([200, 200, 0, 0]);
  });
});

test('an unknown person takes the same work as a wrong password', async () => {
  expect(await passwords.verify('wrong', stored)).toBe(false);
  expect(await passwords.verify('wrong', undefined)).toBe(false);
  const [known, unknown, ...others] = computed();
  expect(unknown).toEqual(known);
  expect(others).toEqual([]);
});

test('only two passwords are hashed at once, and the others wait', async () => {
  const all = Promise.all(Array.from({ length: 6 }, () => passwords.verify(secret, stored)));
  expect([passwords.limiter.inUse, passwords.limiter.waiting]).toEqual([2, 4]);
  expect(await all).toEqual(Array.from({ length: 6 }, () => true));
  expect([passwords.limiter.inUse, passwords.limiter.waiting]).toEqual([0, 0]);
});

test('more than can wait are refused at once', async () => {
  const busy = new Passwords(pepper, deterministicRandom('busy'));
  const slots = await Promise.all([busy.limiter.acquire(), busy.limiter.acquire()]);
  const waiting = Array.from({ length: 200 }, () => busy.limiter.acquire());
  await expect(busy.verify(secret, stored)).rejects.toMatchObject({ code: 'unavailable' });
  expect(computed()).toEqual([]);
  for (const slot of slots) slot.release('succeeded');
  for (const slot of waiting) (await slot).release('succeeded');
});

describe('a stored hash', () => {
  const parts = parsePhc(stored);
  const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

  test('is read as the reference implementation writes it', () => {
    const { salt, tag, memoryKib, passes, lanes } = parsePhc(reference);
    const input = { nonce: salt, memory: memoryKib, passes, parallelism: lanes, tagLength: tag.length };
    expect(argon2Sync('argon2id', { message: 'password', ...input })).toEqual(tag);
    expect(formatPhc(parsePhc(reference))).toBe(reference);
  });

  test('needs to be replaced if its parameters are not those of new ones', () => {
    expect(passwords.needsRehash(stored)).toBe(false);
    const changes = [{ memoryKib: 19 * 1024 - 1 }, { passes: 1 }, { lanes: 2 }, { salt: Buffer.alloc(8) }];
    for (const change of [...changes, { tag: Buffer.alloc(16) }]) {
      expect(passwords.needsRehash(formatPhc({ ...parts, ...change }))).toBe(true);
    }
  });

  test('with other parameters is still accepted', async () => {
    const [salt, older] = [Buffer.alloc(16, 1), { memoryKib: 64, passes: 1, lanes: 1 }];
    await passwords.hash(secret);
    const key = compute.mock.calls[0]?.[1].secret;
    const input = { message: secret, nonce: salt, memory: 64, passes: 1, parallelism: 1, tagLength: 32, secret: key };
    const tag = argon2Sync('argon2id', input);
    expect(await passwords.verify(secret, formatPhc({ ...older, salt, tag }))).toBe(true);
  });

  const salt = 'c29tc2FsdHNvbWVzYWx0MQ';
  const tag = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  test.each([
    '',
    secret,
    `$argon2i$v=19$m=19456,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=16$m=19456,t=2,p=1$${salt}$${tag}`,
    `$argon2id$m=19456,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=19$t=2,m=19456,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=1,keyid=AA$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=1,x=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=2$${salt}$${tag}`,
    `$argon2id$v=19$m=019456,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=0,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=-1,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=1e5,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=999999999,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=999,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=17$${salt}$${tag}`,
    `$argon2id$v=19$m=7,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=1$$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt}`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt}==$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag}=`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag.slice(0, -1)}d`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag}$`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag}\n`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${'A'.repeat(87)}`,
  ])('that is not written so is an error, not a wrong password: %j', async (text) => {
    expect(() => parsePhc(text)).toThrow('A stored password hash cannot be read.');
    await expect(passwords.verify(secret, text)).rejects.toThrow();
    expect(computed()).toEqual([]);
  });

  propertyTest.prop([
    fc.record({
      memoryKib: fc.integer({ min: 128, max: 256 * 1024 }),
      passes: fc.integer({ min: 1, max: 16 }),
      lanes: fc.integer({ min: 1, max: 16 }),
      salt: fc.uint8Array({ minLength: 9, maxLength: 48 }).map((bytes) => Buffer.from(bytes)),
      tag: fc.uint8Array({ minLength: 17, maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
    }),
  ])('is read as it was written', (hash) => {
    expect(parsePhc(formatPhc(hash))).toEqual(hash);
  });
});
