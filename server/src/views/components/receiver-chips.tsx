import type { JSX } from 'preact';
import { oneLine } from '../plain.ts';
import { IconButton } from './button.tsx';
import { FieldFrame, toDescription } from './field.tsx';
import { Icon } from './icon.tsx';
import { useTranslator } from './translator-context.ts';

export interface Receiver {
  readonly address: string;
  readonly name?: string | undefined;
  readonly invalid?: boolean | undefined;
}

/**
 * A field with several people. Its input adds one; each chip's button posts its address as `remove`, unless a script
 * handles it.
 */
export function ReceiverChips(props: {
  id: string;
  name: string;
  label: string;
  receivers: readonly Receiver[];
  hint?: string | undefined;
  problem?: string | undefined;
  onRemove?: (receiver: Receiver) => void;
}): JSX.Element {
  const translator = useTranslator();
  const { id, label, hint, problem, onRemove } = props;
  return (
    <FieldFrame id={id} label={label} hint={hint} problem={problem}>
      <div class="chips">
        {props.receivers.map((receiver) => {
          const shown = oneLine(receiver.name ?? receiver.address);
          return (
            <span key={receiver.address} class={`chip${receiver.invalid ? ' chip-bad' : ''}`}>
              {receiver.invalid && <Icon name="alert" small />}
              <bdi class="chip-name" title={oneLine(receiver.address)}>
                {shown}
              </bdi>
              <IconButton
                icon="close"
                label={translator.t('action.remove', { name: shown })}
                type={onRemove ? 'button' : 'submit'}
                name="remove"
                value={receiver.address}
                formNoValidate
                onClick={onRemove && (() => onRemove(receiver))}
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
