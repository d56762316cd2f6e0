import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { IconButton } from './button.tsx';

/** A question that the person must decide before doing anything else. */
export function Dialog(props: {
  /** The id for a Button's `opens`. */
  readonly id: string;
  /** For a script that opens it. */
  readonly dialog?: RefObject<HTMLDialogElement | null> | undefined;
  readonly title: string;
  readonly children: ComponentChildren;
  /** Buttons; a button whose form is `${id}-close` closes it. */
  readonly actions?: ComponentChildren;
}): JSX.Element {
  const { id, dialog, title, children, actions } = props;
  const translator = useTranslator();
  return (
    <dialog class="dialog" id={id} {...(dialog && { ref: dialog })} aria-labelledby={`${id}-title`} closedby="any">
      {/* Closes without a script. A button elsewhere in the overlay can also close it by naming this form. */}
      <form method="dialog" id={`${id}-close`} class="overlay-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <IconButton icon="close" label={translator.t('action.close')} type="submit" />
      </form>
      <div class="overlay-body">{children}</div>
      {actions && <div class="overlay-actions">{actions}</div>}
    </dialog>
  );
}
