import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { parseBasic } from './authenticate.ts';

const basic = (credentials: string | Buffer) => `Basic ${Buffer.from(credentials as string).toString('base64')}`;

test('takes the user up to the first colon, and all that follows as the key', () => {
  expect(parseBasic(basic('a@example.org:wb_key'))).toEqual({ user: 'a@example.org', apiKey: 'wb_key' });
  expect(parseBasic(basic('a:b:c'))).toEqual({ user: 'a', apiKey: 'b:c' });
  expect(parseBasic(basic('ä:ö'))).toEqual({ user: 'ä', apiKey: 'ö' });
  expect(parseBasic(basic('a:b').replace('Basic', 'bAsIc'))).toEqual({ user: 'a', apiKey: 'b' });
});

const printable = fc.string({ minLength: 1, maxLength: 100 }).filter((text) => !/[\p{Cc}]/u.test(text));
test.prop([printable.filter((text) => !text.includes(':')), printable])('takes any credentials', (user, apiKey) => {
  expect(parseBasic(basic(`${user}:${apiKey}`))).toEqual({ user, apiKey });
});

describe('refuses', () => {
  test.each([
    ['nothing', ''],
    ['another scheme', basic('a:b').replace('Basic', 'Bearer')],
    ['no scheme', Buffer.from('a:b').toString('base64')],
    ['two spaces', basic('a:b').replace(' ', '  ')],
    ['a trailing space', `${basic('a:b')} `],
    ['no colon', basic('ab')],
    ['no user', basic(':b')],
    ['no key', basic('a:')],
    ['NUL', basic('a\0:b')],
    ['NUL in the key', basic('a:b\0c')],
    ['a line break', basic('a:b\r\nX: y')],
    ['a C1 control', basic('a:\u0085')],
    ['bytes that are not UTF-8', basic(Buffer.from([0x61, 0x3a, 0xff]))],
    ['base64 without its padding', basic('a:b1').replace(/=+$/, '')],
    ['base64 with too much padding', `${basic('a:b')}=`],
    ['base64 with stray bits', 'Basic YTpiMR=='],
    ['base64url', basic('a:\u07ff\u07ff>>').replaceAll('/', '_').replaceAll('+', '-')],
    ['two credentials', `${basic('a:b')}, ${basic('a:b')}`],
    ['more than a KiB', basic(`a:${'b'.repeat(1000)}`)],
  ])('%s', (_what, header) => {
    expect(parseBasic(header)).toBeUndefined();
  });

  test('all but one spelling of the same bytes', () => {
    // Four spellings decode to the same bytes; only the canonical one is accepted.
    expect(['YTpiMQ==', 'YTpiMR==', 'YTpiMS==', 'YTpiMT=='].map((text) => parseBasic(`Basic ${text}`)?.apiKey)).toEqual(
      ['b1', undefined, undefined, undefined],
    );
  });

  test.prop([fc.string()])('whatever is no credentials, without a fault', (text) => {
    for (const header of [text, `Basic ${text}`]) {
      const parsed = parseBasic(header);
      if (parsed) expect(basic(`${parsed.user}:${parsed.apiKey}`).slice(6)).toBe(header.slice(6));
    }
  });
});
