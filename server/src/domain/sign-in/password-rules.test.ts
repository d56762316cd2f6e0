import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { findPasswordFault } from './password-rules.ts';

const anna = { email: 'anna.lindqvist@example.org', name: 'Anna-Lena Lindqvist', operatorName: 'Acme Files' };
const judge = (password: string) => findPasswordFault(password, anna);

describe('a new password', () => {
  test.each([
    'a river of paper boats',
    'grönt gräs växer',
    'パスワードを長く選びました',
    'xkqhvzmwptrn',
    '4815162342-lost-island',
    'Anna likes seventeen turtles',
    'lindqvist tulips in may',
  ])('may be anything long that nobody tries first: %s', (password) => {
    expect(judge(password)).toBeUndefined();
  });

  test.each([
    ['too_short', ''],
    ['too_short', 'elevenchars'],
    ['too_short', 'e\u0301le\u0300vencha'],
    ['too_short', '🦊🐢🦉🐝🐙🦀'],
    ['too_long', 'ab cd '.repeat(34)],
    ['unreadable', 'a river of \ud800 boats'],
    ['common', 'password1234'],
    ['common', 'PassWord1234'],
    ['common', 'Welcome2026!'],
    ['common', 'correct horse battery staple'],
    ['common', 'aaaaaaaaaaaa'],
    ['common', 'abcabcabcabcabc'],
    ['common', '123456789012'],
    ['common', '098765432109'],
    ['common', 'qwertyuiopas'],
    ['common', 'abcdefghijklmnop'],
    ['common', 'zyxwvutsrqponm'],
    ['common', '1qaz2wsx3edc4rfv'],
    ['common', 'AZERTYUIOPQSD'],
    ['personal', 'anna.lindqvist@example.org'],
    ['personal', 'Anna.Lindqvist'],
    ['personal', 'AnnaLenaLindqvist'],
    ['personal', 'lindqvist anna 1'],
    ['personal', 'Lindqvist2026'],
    ['personal', 'acmefiles12345'],
    ['personal', 'Acme-Files-Acme'],
    ['personal', 'Waybill-2026!'],
  ])('is refused as %s: %s', (fault, password) => {
    expect(judge(password)).toBe(fault);
  });

  test('has 12 to 200 characters, however they are stored', () => {
    expect(judge('🦊🐢🦉🐝🐙🦀🐳🦋🐌🐞🦎🐼')).toBeUndefined();
    expect(judge('🦊🐢🦉🐝🐙🦀🐳🦋🐌🐞🦎')).toBe('too_short');
    const long = 'abcdeFGHIJ'.repeat(20);
    expect(judge(long)).toBeUndefined();
    expect(judge(`${long}k`)).toBe('too_long');
    expect(judge('ö'.normalize('NFD').repeat(195) + 'abcde')).toBeUndefined();
  });

  test('without accents is the name with them', () => {
    expect(findPasswordFault('bjornsonostrom', { ...anna, name: 'Björnson Öström' })).toBe('personal');
  });

  test('is judged for a person without a name too', () => {
    const nobody = { email: 'a@b.se', name: '', operatorName: '' };
    expect(findPasswordFault('a river of paper boats', nobody)).toBeUndefined();
    expect(findPasswordFault('waybillwaybill', nobody)).toBe('personal');
  });

  propertyTest.prop([fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ unit: 'binary' })])(
    'is judged without an error, whatever it is and whoever chooses it',
    (password, name) => {
      const fault = findPasswordFault(password, { ...anna, name });
      if (Array.from(password.normalize('NFC')).length < 12) expect(fault).toBe('too_short');
      expect(findPasswordFault(password.normalize('NFD'), { ...anna, name })).toBe(fault);
    },
  );
});
