import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import type { IconName } from '../../shared/components/icon.tsx';
import { Panel } from './panel.tsx';

/** A change of one thing, in a panel on its page: what will happen, the fields, and the buttons to do it or to leave it. */
export function TaskForm(props: {
  title: string;
  /** The consequences, before anything happens. */
  about: ComponentChildren;
  /** Why it was refused. */
  problem?: ComponentChildren;
  csrf: string;
  action: string;
  fields?: Readonly<Record<string, string>> | undefined;
  submit: string;
  icon?: IconName | undefined;
  /** Whether it destroys something. */
  danger?: boolean | undefined;
  /** The page without the form. */
  cancelHref: string;
  cancel?: string | undefined;
  children?: ComponentChildren;
}): JSX.Element {
  const translator = useTranslator();
  return (
    <Panel title={props.title} id="do">
      <form class="task" method="post" action={props.action}>
        <CsrfField csrf={props.csrf} />
        {Object.entries(props.fields ?? {}).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {props.problem && <Banner tone="bad">{props.problem}</Banner>}
        <div class="task-about">{props.about}</div>
        {props.children}
        <div class="actions">
          <Button look="quiet" icon={props.icon} class={props.danger ? 'button-strong-bad' : 'button-tint'}>
            {props.submit}
          </Button>
          <a class="button button-plain" href={props.cancelHref}>
            {props.cancel ?? translator.t('list.cancel')}
          </a>
        </div>
      </form>
    </Panel>
  );
}

/** Days from now, and a date of one's own. */
export function DeadlineField(props: {
  /** The heading of the choices; without it, they replace a deadline. */
  legend?: string | undefined;
  /** The presets, in days. */
  days: readonly number[];
  chosenDays: number;
  /** The first and the last day that can be chosen, as `2026-11-23`. */
  min: string;
  max: string;
  value?: string | undefined;
  problem?: ComponentChildren;
}): JSX.Element {
  const translator = useTranslator();
  const own = props.value !== undefined;
  return (
    <fieldset class="deadline">
      <legend>{props.legend ?? translator.t('delivery.newDeadline')}</legend>
      <div class="deadline-days">
        {props.days.map((days) => (
          <label key={days} class="choice">
            <input type="radio" name="days" value={days} checked={!own && days === props.chosenDays} />
            {translator.t('delivery.days', { count: days })}
          </label>
        ))}
        <label class="choice">
          <input type="radio" name="days" value="" checked={own} />
          {translator.t('delivery.otherDay')}
          <span class="unseen">: </span>
          <input
            type="date"
            name="date"
            min={props.min}
            max={props.max}
            value={props.value}
            aria-label={translator.t('delivery.otherDay')}
            aria-invalid={props.problem ? 'true' : undefined}
            aria-describedby={props.problem ? 'date-problem' : undefined}
          />
        </label>
      </div>
      {props.problem && (
        <p id="date-problem" class="field-problem">
          {props.problem}
        </p>
      )}
    </fieldset>
  );
}
