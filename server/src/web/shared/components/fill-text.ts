import type { ComponentChildren } from 'preact';
import type { ViewTranslator } from '../../../present/texts/translator-context.ts';

/** Translates a text and puts elements in the place of its values, such as a time that a script changes. */
export function fillText(
  translator: Pick<ViewTranslator, 't'>,
  key: string,
  values: Readonly<Record<string, ComponentChildren>>,
): ComponentChildren {
  // No text contains NUL, and the values themselves are never part of the text that is split.
  const marks = Object.fromEntries(Object.keys(values).map((name) => [name, `\0${name}\0`]));
  return translator
    .t(key, marks)
    .split('\0')
    .map((part, index) => (index % 2 === 0 ? part : values[part]));
}
