import { limits } from '@waybill/protocol';
import type { ComponentChildren, JSX } from 'preact';
import type { KnownReceiver } from '../../../domain/contacts/contact-store.ts';
import { manyLines, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { toDescription } from '../../shared/components/field.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { LongText } from '../../shared/components/rows.tsx';
import { ReceiversField } from '../components/receivers-field.tsx';
import type { ComposerField, ShownProblem } from '../shared/composer-problem.ts';
import { type Choice, ChoiceSegments } from './choice-segments.tsx';
import type { ComposerChoices, ComposerValues } from './composer-values.ts';
import { PhoneRows } from './phone-rows.tsx';
import { toNamedChoice } from './shared-link-rows.tsx';

export interface RowProps extends ComposerChoices {
  readonly values: ComposerValues;
  readonly problem?: ShownProblem | undefined;
  /** Those who get a code by SMS, for a form without its script. */
  readonly phoneReceivers: readonly KnownReceiver[];
}

export function ReceiversRow(props: RowProps & { label: string; hint?: string | undefined }): JSX.Element {
  const problem = problemOf(props, 'receiver');
  return (
    <Row id="receiver" label={props.label} problem={problem} hint={props.hint} hintId="receiver-about">
      <ReceiversField value={manyLines(props.values.receivers)} href={props.receiversHref} problem={problem} />
    </Row>
  );
}

/** The one line by which people know it: the subject of its mails, and in lists. */
export function TitleRow(props: RowProps): JSX.Element {
  const translator = useTranslator();
  const [hint, problem] = [translator.t('composer.titleHint'), problemOf(props, 'title')];
  return (
    <Row id="title" label={translator.t('common.title')} problem={problem} hint={hint}>
      <input
        id="title"
        name="title"
        type="text"
        dir="auto"
        autocomplete="off"
        maxLength={limits.titleLength}
        value={oneLine(props.values.title)}
        {...toDescription({ id: 'title' }, hint, problem)}
      />
    </Row>
  );
}

export function MessageRow(props: RowProps & { placeholder: string }): JSX.Element {
  const translator = useTranslator();
  const problem = problemOf(props, 'message');
  return (
    <Row id="message" label={translator.t('common.message')} problem={problem}>
      <textarea
        id="message"
        name="message"
        dir="auto"
        rows={4}
        maxLength={props.maxMessageLength}
        placeholder={props.placeholder}
        {...toDescription({ id: 'message' }, undefined, problem)}
      >
        <LongText>{props.values.message}</LongText>
      </textarea>
    </Row>
  );
}

export function LifetimeRow(
  props: RowProps & { label: string; describeEnd: (day: string) => string },
): JSX.Element | null {
  const translator = useTranslator();
  const { presets, range } = props.lifetimes;
  const problem = problemOf(props, 'until');
  if (presets.length === 0 && !range) return null;
  const choices: Choice[] = presets.map(({ days, until }) => ({
    value: String(days),
    label: translator.t('composer.days', { count: days }),
    hint: <span data-until={until}>{props.describeEnd(until)}</span>,
  }));
  if (range) {
    choices.push({
      value: '',
      label: translator.t('composer.date'),
      hint: (
        <label class="composer-date">
          <span>{translator.t('composer.lastDay')}</span>
          <input
            id="until"
            type="date"
            name="until"
            min={range.min}
            max={range.max}
            value={props.values.until}
            aria-invalid={problem ? 'true' : undefined}
            aria-describedby={problem ? 'until-problem' : undefined}
          />
        </label>
      ),
    });
  }
  return (
    <ChoiceRow
      id="until"
      name="days"
      label={props.label}
      choices={choices}
      value={props.values.days}
      problem={problem}
    />
  );
}

const codeTexts = {
  off: ['composer.code.off', 'composer.codeHint.off'],
  mail: ['composer.code.mail', 'composer.codeHint.mail'],
  sms: ['composer.code.sms', 'composer.codeHint.sms'],
} as const;

export function CodeRow(props: RowProps): JSX.Element {
  const translator = useTranslator();
  const { values, problem } = props;
  return (
    <ChoiceRow
      id="second_factor"
      name="second_factor"
      label={translator.t('composer.code')}
      value={values.secondFactor}
      problem={problemOf(props, 'second_factor')}
      choices={props.secondFactors.map((factor) => {
        const [label, hint] = codeTexts[factor];
        return { value: factor, label: translator.t(label), hint: translator.t(hint) };
      })}
    >
      <div id="composer-phones" data-calling-code={props.callingCode}>
        {values.secondFactor === 'sms' && (
          <PhoneRows
            {...values}
            receivers={props.phoneReceivers}
            canChooseMail={props.secondFactors.includes('mail')}
            callingCode={props.callingCode}
            problems={problem?.people ?? new Map()}
          />
        )}
      </div>
    </ChoiceRow>
  );
}

/** A passphrase that the sender tells in another way than the link. */
export function PassphraseRow(props: RowProps): JSX.Element {
  const translator = useTranslator();
  const problem = problemOf(props, 'passphrase');
  const hint = translator.t('composer.passphraseHint', { suggestion: props.suggestedPassphrase });
  return (
    <Row id="passphrase" label={translator.t('passphrase.label')} problem={problem} hint={hint}>
      <input
        id="passphrase"
        name="passphrase"
        type="text"
        dir="auto"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={limits.passphraseLength}
        value={props.values.passphrase}
        {...toDescription({ id: 'passphrase' }, hint, problem)}
      />
    </Row>
  );
}

/** Whether receivers are told by mail, or the sender passes the links on. */
export function NotifyRow(props: RowProps): JSX.Element | null {
  const translator = useTranslator();
  const { values, canCopyLinks, sharedLinks } = props;
  if (!canCopyLinks) return null;
  return (
    <ChoiceRow
      id="notify"
      name="notify"
      label={translator.t('composer.theyGet')}
      value={values.shared.isForAll ? 'shared' : values.notify ? 'mail' : 'links'}
      problem={problemOf(props, 'notify')}
      choices={[
        {
          value: 'mail',
          label: translator.t('composer.theyGet.mail'),
          hint: translator.t('composer.theyGet.mailHint'),
        },
        { value: 'links', label: translator.t('composer.theyGet.links'), hint: translator.t('composer.linksHint') },
        ...(sharedLinks === 'never' ? [] : [toNamedChoice(translator)]),
      ]}
    />
  );
}

/** A row with a few choices side by side. */
export function ChoiceRow(props: {
  id: string;
  name: string;
  label: string;
  choices: readonly Choice[];
  value: string;
  problem?: string | undefined;
  children?: ComponentChildren;
}): JSX.Element {
  const { id, name, problem } = props;
  return (
    <Row id={id} label={props.label} problem={problem} isGroup>
      <ChoiceSegments
        name={name}
        labelledBy={`${id}-label`}
        choices={props.choices}
        value={props.value}
        describedBy={problem ? `${id}-problem` : undefined}
      />
      {props.children}
    </Row>
  );
}

/** A row of the form: its label, and beside it, or on a phone below it, its field. */
export function Row(props: {
  id: string;
  label: string;
  problem: string | undefined;
  hint?: string | undefined;
  /** Unless its field has a hint of its own. */
  hintId?: string;
  /** Whether the label names a group of fields, and not a single one. */
  isGroup?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const { id, label, hint } = props;
  return (
    <div class="compose-row" data-row={id}>
      {props.isGroup ? (
        <span class="compose-label" id={`${id}-label`}>
          {label}
        </span>
      ) : (
        <label class="compose-label" for={id} id={`${id}-label`}>
          {label}
        </label>
      )}
      <div class="compose-field">
        {props.children}
        {hint && (
          <p class="quiet small" id={props.hintId ?? `${id}-hint`}>
            {hint}
          </p>
        )}
        <Problem id={id} text={props.problem} />
      </div>
    </div>
  );
}

/** Always there, so that a script can write into it. */
export function Problem({ id, text }: { id: string; text: string | undefined }): JSX.Element {
  return (
    <p id={`${id}-problem`} class="field-problem" role={text ? 'alert' : undefined}>
      {text && (
        <>
          <Icon name="alert" small />
          <span>{text}</span>
        </>
      )}
    </p>
  );
}

export function problemOf({ problem }: Pick<RowProps, 'problem'>, field: ComposerField): string | undefined {
  return problem?.field === field ? problem.text : undefined;
}
