import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Icon } from '../../shared/components/icon.tsx';

/**
 * The actions on the selected rows of a list. The stylesheet counts the checkboxes and shows the bar when one is checked, so
 * neither needs a script. Its buttons belong to the form around the list.
 */
export function SelectionBar(props: {
  children: ComponentChildren;
  /** Where the page is loaded with no row selected, if it was loaded with all of them selected. */
  noneHref?: string | undefined;
}): JSX.Element {
  const translator = useTranslator();
  const label = translator.t('list.selectNone');
  return (
    <div class="selection-bar" role="group" aria-label={translator.t('list.selected')}>
      <p class="selection-count">{translator.t('list.selected')}</p>
      {props.children}
      {props.noneHref === undefined ? (
        <button type="reset" class="button button-icon" aria-label={label} title={label}>
          <Icon name="close" />
        </button>
      ) : (
        <a class="button button-icon" href={props.noneHref} aria-label={label} title={label}>
          <Icon name="close" />
        </a>
      )}
    </div>
  );
}
