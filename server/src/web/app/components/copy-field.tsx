import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';

/** A value to copy. The button appears where there is a clipboard; without one, the value can be selected. */
export function CopyField({
  value,
  shown = value,
  label,
}: {
  value: string;
  /** The value as it is easier to read. */
  shown?: string;
  label: string;
}): JSX.Element {
  return (
    <div class="copy">
      <code dir="ltr" aria-label={label} role="textbox" aria-readonly="true" tabIndex={0}>
        {shown}
      </code>
      <CopyButton value={value} />
    </div>
  );
}

export function CopyButton({ value, label }: { value: string; label?: string }): JSX.Element {
  const translator = useTranslator();
  return (
    <Button type="button" icon="copy" data-copy={value} data-copied={translator.t('signIn.copied')} hidden>
      <span aria-live="polite">{label ?? translator.t('signIn.copy')}</span>
    </Button>
  );
}
