import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';

/**
 * The end of a form in the settings. As soon as something differs from what is saved, the script names it here, offers
 * to discard it, and keeps the bar in view.
 */
export function SaveBar({ unsaved }: { unsaved?: string | undefined }): JSX.Element {
  const translator = useTranslator();
  const isUnsaved = unsaved !== undefined;
  return (
    <div class={`form-end save-bar${isUnsaved ? ' save-bar-open' : ''}`}>
      <p hidden={!isUnsaved}>
        {translator.t('settings.unsaved')} <strong>{unsaved}</strong>
      </p>
      <Button type="reset" look="plain" hidden={!isUnsaved}>
        {translator.t('settings.discard')}
      </Button>
      <Button>{translator.t('settings.save')}</Button>
    </div>
  );
}
