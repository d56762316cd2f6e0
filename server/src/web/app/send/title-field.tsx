import { limits } from '@waybill/protocol';
import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { toDescription } from '../../shared/components/field.tsx';

/** The one line by which people know a delivery: the subject of its mails, and in lists. */
export function TitleField({ value, problem }: { value: string; problem: string | undefined }): JSX.Element {
  const translator = useTranslator();
  return (
    <input
      id="title"
      name="title"
      type="text"
      dir="auto"
      autocomplete="off"
      maxLength={limits.titleLength}
      placeholder={translator.t('composer.titleHint')}
      value={value}
      {...toDescription({ id: 'title' }, undefined, problem)}
    />
  );
}
