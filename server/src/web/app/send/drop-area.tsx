import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Icon } from '../../shared/components/icon.tsx';
import { limitsText } from '../../shared/components/limits-text.ts';

/**
 * The area of the composer's files before there are any. The server draws it with a field, and the script with buttons in
 * its place: the rest is the same, so that nothing moves.
 */
export function DropArea(props: {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** The id of the field that the title labels. */
  readonly labels?: string | undefined;
  /** Whether files have arrived already. */
  readonly hasFiles?: boolean;
  /** How files are chosen. */
  readonly children: ComponentChildren;
}): JSX.Element {
  const translator = useTranslator();
  const title = props.hasFiles ? (
    translator.t('composer.chooseMore')
  ) : (
    <>
      <span class="when-dropping">{translator.t('composerFiles.drop')}</span>
      <span class="when-choosing">{translator.t('composer.choose')}</span>
    </>
  );
  return (
    <div class="drop">
      <span class="badge">
        <Icon name="upload" />
      </span>
      {props.labels === undefined ? (
        <p class="drop-title">{title}</p>
      ) : (
        <label class="drop-title" for={props.labels}>
          {title}
        </label>
      )}
      <p class="quiet small" id="files-hint">
        <span class="when-dropping">{translator.t('composerFiles.paste')} </span>
        {limitsText(translator, { ...props, once: false })}
      </p>
      <div class="drop-buttons">{props.children}</div>
    </div>
  );
}
