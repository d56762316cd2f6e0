import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { toDescription } from '../../shared/components/field.tsx';
import { LongText } from '../../shared/components/rows.tsx';

/**
 * Receivers as a list that is typed. A script draws chips in its place; the list remains what the form sends. Its label
 * has the id `receiver-label`, and its problem `receiver-problem`.
 */
export function ReceiversField(props: {
  readonly value: string;
  /** Where the script finds people, and has a list read. */
  readonly href: string;
  readonly problem?: string | undefined;
}): JSX.Element {
  const translator = useTranslator();
  return (
    <div class="receivers-field" id="receivers" data-href={props.href}>
      <textarea
        id="receiver"
        name="receiver"
        rows={2}
        autocomplete="off"
        spellcheck={false}
        placeholder={translator.t('composer.toHint')}
        {...toDescription({ id: 'receiver' }, true, props.problem)}
      >
        <LongText>{props.value}</LongText>
      </textarea>
      <p class="quiet small" id="receiver-hint">
        {translator.t('composer.toPlain')}
      </p>
    </div>
  );
}
