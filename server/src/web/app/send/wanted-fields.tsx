import type { JSX } from 'preact';
import type { WantedFile } from '../../../domain/files/wanted-files.ts';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { IconButton } from '../../shared/components/button.tsx';

const maxNameLength = 200;

/** One field for each wanted file, and empty ones for more: one where a script adds the next, and several without. */
export function WantedFields(props: {
  wanted: readonly WantedFile[];
  max: number;
  /** How many empty fields follow. */
  spare: number;
  onRemove?: ((index: number) => void) | undefined;
}): JSX.Element {
  const translator = useTranslator();
  const { wanted, onRemove } = props;
  const rows = Array.from({ length: Math.min(props.max, wanted.length + props.spare) }, (_, index) => wanted[index]);
  return (
    <div
      id="wanted-fields"
      data-max={props.max}
      role="group"
      aria-labelledby="wanted-label"
      aria-describedby="wanted-hint"
    >
      <ol class="wanted-fields">
        {rows.map((file, index) => (
          <li key={index} class={index > wanted.length ? 'spare' : undefined}>
            <span class="quiet" aria-hidden="true">
              {translator.formatNumber(index + 1)}
            </span>
            <input
              id={`wanted-${index}`}
              name="wanted"
              type="text"
              dir="auto"
              autocomplete="off"
              maxLength={maxNameLength}
              aria-label={translator.t('requests.wantedNumber', { number: translator.formatNumber(index + 1) })}
              placeholder={index === wanted.length ? translator.t('requests.wantedNext') : undefined}
              value={oneLine(file?.name ?? '')}
            />
            {onRemove && file && (
              <IconButton
                icon="close"
                label={translator.t('action.remove', { name: oneLine(file.name) })}
                onClick={() => onRemove(index)}
              />
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
