import type { ComponentChildren, JSX } from 'preact';
import type { SecondFactor } from '../../../domain/policy.ts';
import { manyLines } from '../../../present/texts/plain.ts';
import type { Translator } from '../../../present/texts/translator.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button, ButtonLink } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { TextArea } from '../../shared/components/field.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { ScriptData } from '../../shared/components/script-data.tsx';
import { Crumbs } from '../components/crumbs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { ReceiversField } from '../components/receivers-field.tsx';
import { DeadlineField } from '../components/task-form.tsx';
import type { DeadlineChoices } from '../sent/sent-task.tsx';
import type { ShownProblem } from '../shared/composer-problem.ts';
import type { ListProps } from '../shared/list-props.ts';

/** The content of the form, as it was entered. */
export interface RequestValues {
  readonly receivers: string;
  readonly message: string;
  readonly days: number | undefined;
  readonly date: string | undefined;
  readonly reusable: boolean;
  readonly secondFactor: SecondFactor;
  readonly notify: boolean;
}

export interface RequestFormPageProps extends ListProps {
  /** A repeated request with the same id asks nobody again. */
  readonly requestId: string;
  readonly receiversHref: string;
  /** The script's texts, from `requestFormTexts`. */
  readonly textsJson: string;
  readonly values: RequestValues;
  readonly choices: DeadlineChoices;
  /** The second factors that the account may choose. */
  readonly secondFactors: readonly SecondFactor[];
  /** Whether the links may be passed on without a mail. */
  readonly canPassLinks: boolean;
  readonly maxMessageLength: number;
  readonly problem?: ShownProblem | undefined;
}

const factors = { off: 'settings.factor.off', mail: 'settings.factor.mail', sms: 'settings.factor.sms' } as const;

export function requestFormTitle(translator: ViewTranslator): string {
  return translator.t('requests.ask');
}

/** Writes the texts of the form's script as JSON that can be embedded in a page. */
export function requestFormTexts(translator: Translator): string {
  const { language, locale, dir } = translator;
  return JSON.stringify({ language, locale, dir, texts: translator.texts('composer.', 'action.remove') });
}

/** Asks people for files: the composer without its files. */
export function RequestFormPage(props: RequestFormPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, csrf, values, choices, secondFactors, problem } = props;
  const list = `${base}requests`;
  const at = (field: ShownProblem['field']) => (problem?.field === field ? problem?.text : undefined);
  return (
    <>
      <PageHead
        trail={
          <Crumbs label={translator.t('frame.requests')} href={list}>
            {requestFormTitle(translator)}
          </Crumbs>
        }
        title={requestFormTitle(translator)}
      />
      <form id="request-form" class="panel contact-form request-form" method="post" action={`${list}/new`}>
        <CsrfField csrf={csrf} />
        <input type="hidden" name="request_id" value={props.requestId} />
        {at(undefined) && <Banner tone="bad">{at(undefined)}</Banner>}
        <div class="field">
          <label for="receiver" id="receiver-label">
            {translator.t('requests.whom')}
          </label>
          <ReceiversField value={manyLines(values.receivers)} href={props.receiversHref} problem={at('receiver')} />
          <p id="receiver-problem" class="field-problem">
            {at('receiver') && (
              <>
                <Icon name="alert" small />
                <span>{at('receiver')}</span>
              </>
            )}
          </p>
        </div>
        <TextArea
          id="message"
          name="message"
          label={translator.t('requests.need')}
          hint={translator.t('requests.needHint')}
          maxLength={props.maxMessageLength}
          problem={at('message')}
        >
          {manyLines(values.message)}
        </TextArea>
        <DeadlineField
          {...choices}
          legend={translator.t('requests.until')}
          chosenDays={values.days ?? 0}
          value={values.date}
          problem={at('until')}
        />
        <Choices legend={translator.t('requests.howOften')}>
          <Choice name="reusable" value="0" checked={!values.reusable}>
            {translator.t('requests.once')}
          </Choice>
          <Choice name="reusable" value="1" checked={values.reusable}>
            {translator.t('requests.anyNumber')}
          </Choice>
        </Choices>
        <Choices legend={translator.t('requests.code')} hint={translator.t('requests.codeHint')}>
          {secondFactors.map((factor) => (
            <Choice key={factor} name="second_factor" value={factor} checked={factor === values.secondFactor}>
              {translator.t(factors[factor])}
            </Choice>
          ))}
        </Choices>
        {props.canPassLinks && (
          <Choices legend={translator.t('requests.howTold')} hint={translator.t('requests.howToldHint')}>
            <Choice name="notify" value="1" checked={values.notify}>
              {translator.t('requests.byMail')}
            </Choice>
            <Choice name="notify" value="0" checked={!values.notify}>
              {translator.t('requests.byLink')}
            </Choice>
          </Choices>
        )}
        <div class="actions">
          <Button class="button-tint" icon="request">
            {translator.t('requests.ask')}
          </Button>
          <ButtonLink look="plain" href={list}>
            {translator.t('list.cancel')}
          </ButtonLink>
        </div>
      </form>
      <ScriptData id="request-texts" json={props.textsJson} />
    </>
  );
}

function Choices(props: { legend: string; hint?: string | undefined; children: ComponentChildren }): JSX.Element {
  return (
    <fieldset class="choices">
      <legend>{props.legend}</legend>
      {props.children}
      {props.hint && <p class="quiet small">{props.hint}</p>}
    </fieldset>
  );
}

function Choice(props: { name: string; value: string; checked: boolean; children: ComponentChildren }): JSX.Element {
  return (
    <label class="choice">
      <input type="radio" name={props.name} value={props.value} checked={props.checked} />
      {props.children}
    </label>
  );
}
