import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { acceptedLanguages, createTranslators } from './translator.ts';

const translator = createTranslators({ fallback: 'en' });
const date = new Date('2026-11-05T09:05:00Z');
const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

function overrides(files: Record<string, unknown>): string {
  const directory = mkdtempSync(join(tmpdir(), 'texts-'));
  directories.push(directory);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), JSON.stringify(content));
  return directory;
}

/** Formatters use non-breaking spaces. */
function plain(text: string): string {
  return text.replace(/[\u00a0\u202f]/g, ' ');
}

describe('the language', () => {
  test.each([
    ['sv', 'sv', 'sv'],
    ['SV-se', 'sv', 'sv-SE'],
    ['de-AT', 'de', 'de-AT'],
    ['de-Latn-CH-1996', 'de', 'de-CH'],
    ['en-US', 'en', 'en-US'],
    ['en', 'en', 'en-GB'],
    ['pt-BR', 'en', 'en-GB'],
    ['', 'en', 'en-GB'],
    ['not a tag', 'en', 'en-GB'],
    ['../../etc/passwd', 'en', 'en-GB'],
    ['__proto__', 'en', 'en-GB'],
    [undefined, 'en', 'en-GB'],
  ])('for %s is %s, formatted as in %s', (tag, language, locale) => {
    expect(translator.for(tag)).toMatchObject({ language, locale, dir: 'ltr' });
  });

  test('is the first of several that is available', () => {
    expect(translator.for(['nb', 'fr-CA', 'de']).locale).toBe('fr-CA');
  });

  test('can come from a header', () => {
    expect(acceptedLanguages('da, en-gb;q=0.8, sv;q=0.9, *;q=0')).toEqual(['da', 'sv', 'en-gb']);
    expect(acceptedLanguages(undefined)).toEqual([]);
  });

  test('has its own name for itself', () => {
    expect(translator.languages.map(({ name }) => name)).toEqual([
      'Deutsch',
      'English',
      'Español',
      'Français',
      'Svenska',
    ]);
  });
});

describe('numbers', () => {
  test.each([
    ['en', 0, '0 bytes'],
    ['en', 1, '1 byte'],
    ['en', 999, '999 bytes'],
    ['en', 1000, '1 kB'],
    ['en', 1_449_999, '1.4 MB'],
    ['en', 999_949, '999.9 kB'],
    ['en', 999_950, '1 MB'],
    ['en', 1e12, '1 TB'],
    ['sv', 1_400_000, '1,4 MB'],
    ['de', 1_400_000, '1,4 MB'],
    ['fr', 1_400_000, '1,4 Mo'],
    ['fr', 12, '12 octets'],
    ['es', 1_400_000, '1,4 MB'],
  ])('in %s, %d bytes are %s', (language, bytes, text) => {
    expect(plain(translator.for(language).formatSize(bytes))).toBe(text);
  });

  test.each([
    ['en', 'Thursday, 5 November 2026 at 09:05 UTC'],
    ['en-US', 'Thursday, November 5, 2026 at 9:05 AM UTC'],
    ['sv', 'torsdag 5 november 2026 kl. 09:05 UTC'],
    ['de', 'Donnerstag, 5. November 2026 um 09:05 UTC'],
    ['fr', 'jeudi 5 novembre 2026 à 09:05 UTC'],
    ['es', 'jueves, 5 de noviembre de 2026, 9:05 UTC'],
  ])('in %s, a date names its weekday and its zone: %s', (language, text) => {
    expect(plain(translator.for(language).formatDate(date))).toBe(text);
  });

  test.each([
    ['en', 'Thu, 5 Nov 2026, 09:05 UTC'],
    ['sv', 'tors 5 nov. 2026 09:05 UTC'],
    ['de', 'Do., 5. Nov. 2026, 09:05 UTC'],
    ['fr', 'jeu. 5 nov. 2026, 09:05 UTC'],
    ['es', 'jue, 5 nov 2026, 9:05 UTC'],
  ])('in %s, a short date names its weekday and its zone: %s', (language, text) => {
    expect(plain(translator.for(language).formatShortDate(date))).toBe(text);
  });

  test('a date in another zone', () => {
    const swedish = createTranslators({ fallback: 'en', timeZone: 'Europe/Stockholm' });
    expect(swedish.for('en').formatDate(date)).toBe('Thursday, 5 November 2026 at 10:05 CET');
  });

  test.each([
    ['in 7 days', 7 * 86_400 - 1],
    ['in 7 days', 7 * 86_400],
    ['in 3 days', 2.6 * 86_400],
    ['in 36 hours', 1.5 * 86_400],
    ['in 24 hours', 86_400],
    ['in 90 minutes', 5400],
    ['in 60 seconds', 60],
    ['in 1 second', 1],
    ['7 days ago', -7 * 86_400 + 30],
    ['in 90 days', 90 * 86_400],
    ['60 days ago', -60 * 86_400],
    ['2 months ago', -61 * 86_400],
    ['13 months ago', -400 * 86_400],
    ['2 years ago', -731 * 86_400],
  ])('a distance is %s', (text, seconds) => {
    expect(translator.for('en').formatDistance(new Date(date.getTime() + seconds * 1000), date)).toBe(text);
  });

  test.each([
    ['en', 'one million', 1_000_000, 'and 1,000,000 more files'],
    ['fr', 'one million', 1_000_000, 'et 1 000 000 d’autres fichiers'],
    ['fr', 'none', 0, 'et 0 autre fichier'],
    ['sv', 'one', 1, 'och 1 fil till'],
  ])('in %s, %s', (language, _, count, text) => {
    expect(plain(translator.for(language).t('common.more', { count }))).toBe(text);
  });

  test('formats a duration in the largest fitting unit', () => {
    const { formatDuration } = translator.for('en');
    expect([0, 59, 61, 7300, 200_000].map((seconds) => formatDuration(seconds))).toEqual([
      '1 second',
      '59 seconds',
      '1 minute',
      '2 hours',
      '2 days',
    ]);
  });
});

describe('values are data', () => {
  test.each(['{{deadline}}', '$t(common.from)', '${7*7}', '<b>&amp;</b>', '{{count, number}}'])('%s', (sender) => {
    expect(translator.for('en').t('upload.title', { sender })).toBe(`Send files to ${sender}`);
  });
});

describe('an operator’s own texts', () => {
  test('replace single ones and add languages, right to left if need be', () => {
    const own = createTranslators({
      fallback: 'sv',
      overridesDir: overrides({
        'sv.json': { 'code.resend': 'Visa' },
        'ar.json': { 'code.resend': 'فتح', 'common.more_few': '{{count, number}} ملفات' },
      }),
    });
    expect(own.for('sv').t('code.resend')).toBe('Visa');
    expect(own.for('sv').t('common.from')).toBe('Från');
    const arabic = own.for('ar-EG');
    expect([arabic.dir, arabic.t('code.resend'), arabic.t('common.from')]).toEqual(['rtl', 'فتح', 'Från']);
    expect(own.for('fi').language).toBe('sv');
    expect(own.languages.map(({ language }) => language)).toContain('ar');
    expect(arabic.texts('code.resend')).toEqual({ 'code.resend': 'فتح' });
  });

  test.each([
    [{ 'sv.json': { 'code.resned': 'Visa' } }, /code\.resned/],
    [{ 'sv.json': ['Visa'] }, /no text '0'/],
    [{ 'sv.json': { 'code.resend': 1 } }, /not an object of texts/],
    [{ 'no language.json': {} }, /not named by a language tag/],
  ])('stop the program from starting if they are invalid: %j', (files, message) => {
    expect(() => createTranslators({ fallback: 'en', overridesDir: overrides(files) })).toThrow(message);
  });

  test('a missing fallback stops the program from starting', () => {
    expect(() => createTranslators({ fallback: 'xx' })).toThrow(/fallback/);
  });
});
