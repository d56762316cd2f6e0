import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import type { Tone } from '../../shared/components/tone.ts';
import { Toast } from '../components/toast.tsx';

/** The result of an action that can be taken back for a while: a form, so that it needs no script. */
export function UndoToast(props: {
  children: ComponentChildren;
  tone?: Tone | undefined;
  csrf: string;
  /** Where the form is sent, with these fields. */
  action: string;
  fields?: Readonly<Record<string, string>> | undefined;
}): JSX.Element {
  const translator = useTranslator();
  return (
    <Toast
      tone={props.tone ?? 'good'}
      action={
        <form method="post" action={props.action}>
          <CsrfField csrf={props.csrf} />
          {Object.entries(props.fields ?? {}).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <Button look="plain" icon="undo">
            {translator.t('list.undo')}
          </Button>
        </form>
      }
    >
      {props.children}
    </Toast>
  );
}
