import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createInstance } from 'i18next';
import { type Formatters, formatters, remember } from './format.ts';

export type Params = Readonly<Record<string, string | number>>;

/** The texts for one reader. Values in a text are plain text, never HTML: the views escape them. */
export interface Translator extends Formatters {
  /** The language of the texts, and the `lang` of the page. */
  readonly language: string;
  /** The requested language, with its region if known, for dates and numbers. */
  readonly locale: string;
  readonly dir: 'ltr' | 'rtl';
  /** The time zone that the reader chose; undefined if they did not. */
  readonly chosenZone?: string | undefined;
  t(key: string, params?: Params): string;
  /** The texts whose key starts with one of these, for a script in the browser. */
  texts(...prefixes: readonly string[]): Record<string, string>;
}

export interface Translators {
  /** The languages that have texts, each with its own name for itself. */
  readonly languages: readonly { readonly language: string; readonly name: string }[];
  /**
   * The best match for a BCP 47 tag, or for several in order of preference; the fallback if none matches. Times are in
   * the zone that the reader chose, or in that of the server.
   */
  for(wanted: string | undefined | readonly string[], chosenZone?: string): Translator;
}

const shipped = fileURLToPath(new URL('../../../texts/', import.meta.url));
/** The locale in which the texts were written; a plain `en` would show dates in the American form to everyone. */
const usualLocale: Record<string, string> = { en: 'en-GB' };
const maxLocales = 500;

/**
 * The texts of the product, overridden by the operator's own: a file `sv.json` in `overridesDir` replaces single
 * Swedish texts, and a file `nb.json` adds Norwegian. Texts that a language lacks are taken from the fallback.
 */
export function createTranslators(options: {
  fallback: string;
  overridesDir?: string | undefined;
  /** The time zone of formatted times. */
  timeZone?: string | undefined;
}): Translators {
  const texts = new Map<string, Record<string, string>>();
  for (const directory of [shipped, ...(options.overridesDir === undefined ? [] : [options.overridesDir])]) {
    for (const [language, found] of readTexts(directory)) {
      texts.set(language, { ...texts.get(language), ...found });
    }
  }
  const english = texts.get('en') ?? {};
  for (const [language, found] of texts) requireKnownKeys(language, found, english);
  if (!texts.has(options.fallback)) throw new Error(`There are no texts in the fallback language ${options.fallback}.`);

  // Only once a text is needed: most commands of an administrator need none.
  const openLibrary = once(() => {
    const library = createInstance();
    void library.init({
      resources: Object.fromEntries([...texts].map(([language, translation]) => [language, { translation }])),
      fallbackLng: [...new Set([options.fallback, 'en'])],
      initAsync: false,
      keySeparator: false,
      nsSeparator: false,
      // Nothing in a value is code: no HTML escaping here (the views do that), and no $t() or {{}} inside values.
      interpolation: { escapeValue: false, skipOnVariables: true },
    });
    return library;
  });
  const nameLanguages = once(() =>
    [...texts.keys()].sort().map((language) => ({ language, name: nameLanguage(language) })),
  );

  const createTranslator = (language: string, locale: string, chosenZone: string | undefined): Translator => {
    const t = openLibrary().getFixedT(language);
    // Finding a text is slow, and each row of a list needs the same ones.
    const translate = (key: string, params: Params) => t(key, { replace: params, ...extractCount(params) });
    const constants = remember((key: string) => translate(key, {}));
    return {
      language,
      locale,
      dir: direction(language),
      t: (key, params) => (params ? translate(key, params) : constants(key)),
      texts: (...prefixes) =>
        Object.fromEntries(
          Object.entries({ ...english, ...texts.get(options.fallback), ...texts.get(language) }).filter(([key]) =>
            prefixes.some((prefix) => key.startsWith(prefix)),
          ),
        ),
      chosenZone,
      ...formatters(locale, chosenZone ?? options.timeZone ?? 'UTC'),
    };
  };
  const made = new Map<string, Translator>();

  return {
    get languages() {
      return nameLanguages();
    },
    for(wanted, chosenZone) {
      const { language, locale } = choose(
        typeof wanted === 'string' ? [wanted] : (wanted ?? []),
        texts,
        options.fallback,
      );
      const key = `${language} ${locale} ${chosenZone ?? ''}`;
      const known = made.get(key);
      if (known) return known;
      const translator = createTranslator(language, locale, chosenZone);
      // A client can send any tag, so the size of the cache is limited.
      if (made.size < maxLocales) made.set(key, translator);
      return translator;
    },
  };
}

/** Calls it when its result is first needed. */
function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

/** Parses the tags of an Accept-Language header, the most preferred first. */
export function acceptedLanguages(header: string | undefined): readonly string[] {
  return (header ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', quality] = part.trim().split(/\s*;\s*q=/);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ tag, quality }) => tag !== '' && quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}

function readTexts(directory: string): [language: string, Record<string, string>][] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const path = join(directory, file);
      const language = parseLocale(basename(file, '.json'))?.toString();
      if (language === undefined) throw new Error(`${path} is not named by a language tag.`);
      const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
      if (
        typeof content !== 'object' ||
        content === null ||
        !Object.values(content).every((v) => typeof v === 'string')
      ) {
        throw new Error(`${path} is not an object of texts.`);
      }
      return [language, content as Record<string, string>];
    });
}

/** Rejects unknown keys: a misspelt one in an operator's file would silently change nothing. */
function requireKnownKeys(language: string, texts: Record<string, string>, english: Record<string, string>): void {
  const known = new Set(Object.keys(english).map(withoutPlural));
  for (const key of Object.keys(texts)) {
    if (!known.has(withoutPlural(key))) throw new Error(`There is no text '${key}' (in ${language}).`);
  }
}

function withoutPlural(key: string): string {
  return key.replace(/_(?:zero|one|two|few|many|other)$/, '');
}

/**
 * Chooses a language (RFC 4647, lookup): the tag itself, then shorter and shorter ones; finally any language of the
 * same family (pt finds pt-BR).
 */
function choose(
  wanted: readonly string[],
  texts: ReadonlyMap<string, unknown>,
  fallback: string,
): { language: string; locale: string } {
  for (const tag of wanted) {
    const locale = parseLocale(tag);
    if (!locale) continue;
    const parts = locale.baseName.split('-');
    const lookup = parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
    const language =
      lookup.find((candidate) => texts.has(candidate)) ??
      [...texts.keys()].find((candidate) => candidate.split('-')[0] === locale.language);
    if (language === undefined) continue;
    return { language, locale: locale.region ? `${locale.language}-${locale.region}` : toUsualLocale(language) };
  }
  return { language: fallback, locale: toUsualLocale(fallback) };
}

function toUsualLocale(language: string): string {
  return usualLocale[language] ?? language;
}

function parseLocale(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}

function extractCount(params: Params): { count?: number } {
  return typeof params['count'] === 'number' ? { count: params['count'] } : {};
}

function nameLanguage(language: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

function direction(language: string): 'ltr' | 'rtl' {
  const script = new Intl.Locale(language).maximize().script ?? '';
  return ['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa'].includes(script) ? 'rtl' : 'ltr';
}
