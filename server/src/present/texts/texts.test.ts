import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { auditActions } from '../../domain/audit/actions.ts';

const directory = fileURLToPath(new URL('../../../texts/', import.meta.url));
const languages = readdirSync(directory).map((file) => file.replace('.json', ''));
const texts = Object.fromEntries(
  languages.map((language) => [
    language,
    JSON.parse(readFileSync(`${directory}${language}.json`, 'utf8')) as Record<string, string>,
  ]),
);
const plural = /_(zero|one|two|few|many|other)$/;
const english = texts['en'] ?? {};

function base(key: string): string {
  return key.replace(plural, '');
}

/** The placeholders of a text, by name. A singular form may say “a file” instead of “1 file”. */
function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\{\s*(\w+)[^}]*\}\}/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => name !== 'count')
    .toSorted();
}

test('has texts in all languages', () => {
  expect(languages.toSorted()).toEqual(['de', 'en', 'es', 'fr', 'sv']);
});

describe.each(languages)('%s', (language) => {
  const own = texts[language] ?? {};

  test('has every text, and no other', () => {
    expect([...new Set(Object.keys(own).map(base))].toSorted()).toEqual(
      [...new Set(Object.keys(english).map(base))].toSorted(),
    );
  });

  test('has a form for every number that its grammar distinguishes', () => {
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    const forms = Map.groupBy(
      Object.keys(own).filter((key) => plural.test(key)),
      base,
    );
    expect(forms.size).toBeGreaterThan(10);
    for (const [key, found] of forms) {
      expect([key, found.map((form) => plural.exec(form)?.[1] ?? '').toSorted()]).toEqual([key, categories]);
    }
  });

  test('has the same placeholders in each text', () => {
    const wanted = new Map(Object.entries(english).map(([key, text]) => [base(key), placeholders(text)]));
    for (const [key, text] of Object.entries(own))
      expect([key, placeholders(text)]).toEqual([key, wanted.get(base(key))]);
  });

  test('does not allow a line break in “e-mail”', () => {
    const pages = Object.entries(own).filter(([key]) => !/^(?:mail|sms)\./.test(key));
    expect(pages.filter(([, text]) => /\be-(?:mail|post)/i.test(text))).toEqual([]);
  });

  test('is fully translated', () => {
    for (const [key, text] of Object.entries(own)) {
      expect(text.trim(), key).toBe(text);
      expect(text, key).not.toMatch(/^$|TODO|\s{2}|\$t\(|<[a-zA-Z]/);
      // Only a few words are the same in two languages.
      if (language !== 'en' && text.length > 24) expect(text, key).not.toBe(english[key]);
    }
  });
});

test('French punctuation does not begin a line', () => {
  const french = Object.entries(texts['fr'] ?? {});
  expect(french.filter(([, text]) => /[ \p{L}\d}][:;?!»](?!\/)|«[^\u00a0]/u.test(text))).toEqual([]);
});

test('the code uses every text, and no text that is missing', () => {
  const source = join(import.meta.dirname, '../..');
  const sources = globSync('{web,present}/**/*.{ts,tsx}', { cwd: source })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(source, file), 'utf8'))
    .join('\n');
  const known = new Set(Object.keys(english).map(base));
  const groups = [...new Set([...known].map((key) => key.split('.')[0]))].join('|');
  const asked = new Set(
    // The word after `case` is the kind of an event.
    [...sources.matchAll(new RegExp(String.raw`(?<!case )'((?:${groups})\.(?!csv')[\w.]+)'`, 'g'))].map(
      (match) => match[1] ?? '',
    ),
  );
  // Those that end with a dot are prefixes of the texts that are sent to the browser.
  const isAction = (key: string) => key in auditActions;
  expect([...asked].filter((key) => !known.has(key) && !key.endsWith('.') && !isAction(key))).toEqual([]);
  expect([...known].filter((key) => !asked.has(key))).toEqual([]);
});

test.each([
  ['en', /invite|fetch|virus check|network is/i],
  ['de', /abrufen|Netzwerk|Anhalten|Mailprogramm/],
  ['sv', /hämta|dragits tillbaka/i],
  ['fr', /récupér|contrôle antivirus|a été retiré/i],
  ['es', /obten|control de virus|retirado/i],
])('%s keeps to the terms of docs/terms.md', (language, avoided) => {
  expect(Object.entries(texts[language] ?? {}).filter(([, text]) => avoided.test(text))).toEqual([]);
});
