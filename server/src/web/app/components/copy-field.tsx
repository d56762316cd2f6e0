import type { ComponentChildren, JSX } from 'preact';
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
    <Button type="button" icon="copy" data-copy={value} data-copied-label={translator.t('signIn.copied')}>
      <span aria-live="polite">{label ?? translator.t('signIn.copy')}</span>
    </Button>
  );
}

/**
 * A button that copies a personal link, which the page does not contain: the server says it, and records that it was shown.
 * Without a script, the form leads to a page with the link.
 */
export function CopyLinkButton(props: {
  look: 'main' | 'quiet' | 'plain';
  /** The address that shows links of receivers. */
  action: string;
  position: number;
  /** Read after the label, where there are several. */
  children?: ComponentChildren;
}): JSX.Element {
  const translator = useTranslator();
  return (
    <Button
      look={props.look}
      icon="copy"
      formAction={props.action}
      name="receiver"
      value={props.position}
      data-copies-link
      data-copied-label={translator.t('signIn.copied')}
    >
      <span aria-live="polite">{translator.t('delivery.copyLink')}</span>
      {props.children}
    </Button>
  );
}
