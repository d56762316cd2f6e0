import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';

/** How long ago something was; its title has the date. */
export function Ago({ at, now }: { at: Date; now: Date }): JSX.Element {
  const translator = useTranslator();
  return (
    <time dateTime={at.toISOString()} title={translator.formatShortDate(at)}>
      {translator.formatDistance(at, now)}
    </time>
  );
}
