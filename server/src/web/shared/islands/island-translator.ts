import { formatters } from '../../../present/texts/format.ts';
import type { ViewTranslator } from '../../../present/texts/translator-context.ts';

interface IslandTexts {
  readonly language: string;
  readonly locale: string;
  readonly dir: 'ltr' | 'rtl';
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * Translates with the texts in the page. Supports only the parts of i18next's format that they use, so that the library
 * itself need not be sent: {{name}}, {{count, number}} and the plural forms of the language.
 */
export function islandTranslator(json: string): ViewTranslator {
  const { language, locale, dir, texts } = JSON.parse(json) as IslandTexts;
  const format = formatters(locale);
  const plural = new Intl.PluralRules(language);
  return {
    language,
    locale,
    dir,
    ...format,
    t(key, params = {}) {
      const count = params['count'];
      const text =
        (typeof count === 'number' ? (texts[`${key}_${plural.select(count)}`] ?? texts[`${key}_other`]) : undefined) ??
        texts[key] ??
        key;
      return text.replace(/\{\{\s*(\w+)\s*(?:,\s*number\s*)?\}\}/g, (placeholder, name: string) => {
        const value = params[name];
        if (value === undefined) return placeholder;
        return typeof value === 'number' ? format.formatNumber(value) : value;
      });
    },
  };
}
