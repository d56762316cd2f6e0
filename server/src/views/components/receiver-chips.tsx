import type { JSX } from 'preact';
import { oneLine } from '../plain.ts';
import { IconButton } from './button.tsx';
import { FieldFrame, toDescription } from './field.tsx';
import { Icon } from './icon.tsx';
import { useTranslator } from './translator-context.ts';

export interface Recipient {
  readonly address: string;
  readonly name?: string | undefined;
  readonly invalid?: boolean | undefined;
}

/**
 * A field that holds people. Its input adds one; each chip's button posts its address as `remove`, or a script handles
 * it.
 */
export function ReceiverChips(props: {
  id: string;
  name: string;
  label: string;
  recipients: readonly Recipient[];
  hint?: string | undefined;
  problem?: string | undefined;
  onRemove?: (recipient: Recipient) => void;
}): JSX.Element {
  const translator = useTranslator();
  const { id, label, hint, problem, onRemove } = props;
  return (
    <FieldFrame id={id} label={label} hint={hint} problem={problem}>
      <div class="chips">
        {props.recipients.map((recipient) => {
          const shown = oneLine(recipient.name ?? recipient.address);
          return (
            <span key={recipient.address} class={`chip${recipient.invalid ? ' chip-bad' : ''}`}>
              {recipient.invalid && <Icon name="alert" small />}
              <bdi class="chip-name" title={oneLine(recipient.address)}>
                {shown}
              </bdi>
              <IconButton
                icon="close"
                label={translator.t('action.remove', { name: shown })}
                type={onRemove ? 'button' : 'submit'}
                name="remove"
                value={recipient.address}
                formNoValidate
                onClick={onRemove && (() => onRemove(recipient))}
              />
            </span>
          );
        })}
        <input
          id={id}
          name={props.name}
          type="email"
          multiple
          autocomplete="off"
          spellcheck={false}
          {...toDescription({ id }, hint, problem)}
        />
      </div>
    </FieldFrame>
  );
}
