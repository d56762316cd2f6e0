import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { emailAddress } from './email-address.ts';

describe('takes', () => {
  test.each([
    ['a@example.org', 'a@example.org'],
    ['First.Last+Tag@Example.ORG', 'first.last+tag@example.org'],
    ["o'hara_+&*@sub.example.co.uk", "o'hara_+&*@sub.example.co.uk"],
    ['x@bücher.example', 'x@xn--bcher-kva.example'],
    ['x@XN--BCHER-KVA.example', 'x@xn--bcher-kva.example'],
    ['x@ｅｘａｍｐｌｅ.org', 'x@example.org'],
    ['x@भारत.भारत', 'x@xn--h2brj9c.xn--h2brj9c'],
  ])('%s', (text, address) => {
    expect(emailAddress(text)).toBe(address);
  });
});

describe('refuses', () => {
  test.each([
    '',
    '@',
    'a',
    'a@',
    '@example.org',
    'a@b@example.org',
    'a b@example.org',
    ' a@example.org',
    'a@example.org ',
    'a@example.org\r\nBcc: b@example.org',
    'a@example.org\n',
    'a\0@example.org',
    '"a b"@example.org',
    '"a"@example.org',
    'a(comment)@example.org',
    'a@example.org (comment)',
    '<a@example.org>',
    'A <a@example.org>',
    'group:a@example.org;',
    'a@example.org,b@example.org',
    '@relay.example,@x.example:a@example.org',
    'a%b@c@example.org',
    'user%elsewhere.example@example.org',
    'elsewhere!user@example.org',
    'a%@example.org',
    '!a@example.org',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@0x7f000001',
    'a@localhost',
    'a@example',
    '.a@example.org',
    'a.@example.org',
    'a..b@example.org',
    'a@.example.org',
    'a@example..org',
    'a@-example.org',
    'a@example.org.',
    'ä@example.org',
    '\u212a@example.org',
    `${'a'.repeat(65)}@example.org`,
    `a@${'a'.repeat(64)}.org`,
  ])('%j', (text) => {
    expect(() => emailAddress(text)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  test.each(['/path', '?query', '#part', ':25', '\\x', '\t', '%6d', '\u00ad', '\u200b', '\u3002', '&', ';'])(
    'a domain with %j in it, rather than repair it into another one',
    (piece) => {
      for (const domain of [`exa${piece}mple.org`, `example.org${piece}`, `${piece}example.org`]) {
        expect(() => emailAddress(`a@${domain}`)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
      }
    },
  );
});

test.prop([fc.emailAddress()])('one address has one form', (text) => {
  let address: string;
  try {
    address = emailAddress(text);
  } catch {
    return;
  }
  expect(address).toBe(text.toLowerCase());
  expect(emailAddress(address)).toBe(address);
  expect(emailAddress(text.toUpperCase())).toBe(address);
});

test.prop([fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })])(
  'whatever is taken is plain ASCII',
  (local, domain) => {
    let address: string;
    try {
      address = emailAddress(`${local}@${domain}.org`);
    } catch {
      return;
    }
    expect(address).toMatch(/^[!-~]+@[a-z0-9.-]+$/);
  },
);
