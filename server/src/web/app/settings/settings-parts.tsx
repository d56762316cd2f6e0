import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { Icon } from '../../shared/components/icon.tsx';
import { Ago } from './ago.tsx';
import type { SettingsFrameProps } from './settings-frame.tsx';

/** A form that sends to a path below the settings of the account in which the person works. */
export function SettingForm({
  frame,
  path,
  class: look,
  children,
}: {
  frame: Pick<SettingsFrameProps, 'base' | 'csrf'>;
  path: string;
  class?: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <form method="post" action={`${frame.base}settings/${path}`} class={look}>
      <CsrfField csrf={frame.csrf} />
      {children}
    </form>
  );
}

/** A form for something new, below the list of those that are there. */
export function AddForm(props: {
  frame: SettingsFrameProps;
  path: string;
  class: string;
  label: string;
  isOpen: boolean;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <details class="add" open={props.isOpen}>
      <summary class="button button-quiet">
        <Icon name="plus" />
        {props.label}
      </summary>
      <SettingForm frame={props.frame} path={props.path} class={`panel add-form ${props.class}`}>
        {props.children}
      </SettingForm>
    </details>
  );
}

/** Says what is lost before the button that removes it. */
export function Removal({
  frame,
  path,
  id,
  text,
  label,
  isOnly,
}: {
  frame: SettingsFrameProps;
  path: string;
  id?: string;
  text: string;
  label?: string;
  /** Whether the person could not sign in without it. */
  isOnly?: boolean;
}): JSX.Element {
  const translator = useTranslator();
  if (isOnly) return <p class="quiet">{translator.t('settings.only')}</p>;
  return (
    <SettingForm frame={frame} path={path} class="line-form">
      {id !== undefined && <input type="hidden" name="id" value={id} />}
      <p>{text}</p>
      <Button look="danger">{label ?? translator.t('settings.remove')}</Button>
    </SettingForm>
  );
}

/** Facts in one line, with a dot between them. */
export function Facts({ children }: { children: ComponentChildren }): JSX.Element {
  const facts = (Array.isArray(children) ? children : [children]).filter(Boolean) as ComponentChildren[];
  return (
    <span class="facts">
      {facts.map((fact) => (
        <span>{fact}</span>
      ))}
    </span>
  );
}

export function LastUse({ at, now }: { at: Date | undefined; now: Date }): JSX.Element {
  const translator = useTranslator();
  return (
    <>
      {at
        ? fillText(translator, 'settings.used', { when: <Ago at={at} now={now} /> })
        : translator.t('settings.unused')}
    </>
  );
}
