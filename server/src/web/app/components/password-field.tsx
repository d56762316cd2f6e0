import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { IconButton } from '../../shared/components/button.tsx';
import { FieldFrame, toDescription } from '../../shared/components/field.tsx';

/** A password, which a script can show to the person who types it. */
export function PasswordField({
  label,
  hint,
  problem,
  ...input
}: {
  readonly id: string;
  readonly name: string;
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly problem?: ComponentChildren;
  readonly autocomplete: 'current-password' | 'new-password';
  readonly minLength?: number;
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-invalid'?: 'true' | undefined;
}): JSX.Element {
  const translator = useTranslator();
  return (
    <FieldFrame id={input.id} label={label} hint={hint} problem={problem}>
      <div class="reveal">
        <input
          {...input}
          type="password"
          dir="ltr"
          autocapitalize="none"
          spellcheck={false}
          required
          {...toDescription(input, hint, problem)}
        />
        <IconButton
          icon="eye"
          label={translator.t('signIn.showPassword')}
          aria-pressed="false"
          aria-controls={input.id}
          data-reveals={input.id}
        />
      </div>
    </FieldFrame>
  );
}
