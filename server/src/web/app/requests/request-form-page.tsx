import type { JSX } from 'preact';
import type { WantedFile } from '../../../domain/files/wanted-files.ts';
import type { Translator } from '../../../present/texts/translator.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Crumbs } from '../components/crumbs.tsx';
import { ComposerPage, type ComposerPageProps, composerTexts } from '../send/composer-page.tsx';
import {
  ChoiceRow,
  CodeRow,
  LifetimeRow,
  MessageRow,
  NotifyRow,
  PassphraseRow,
  problemOf,
  ReceiversRow,
  Row,
  TitleRow,
} from '../send/composer-rows.tsx';
import type { ComposerValues } from '../send/composer-values.ts';
import { WantedFields } from '../send/wanted-fields.tsx';
import type { ListProps } from '../shared/list-props.ts';

/** The content of the form, as it was entered. */
export interface RequestValues extends ComposerValues {
  readonly title: string;
  readonly wanted: readonly WantedFile[];
  readonly reusable: boolean;
}

export interface RequestFormPageProps extends ListProps, ComposerPageProps {
  readonly values: RequestValues;
  readonly maxTitleLength: number;
  readonly maxWanted: number;
}

export function requestFormTitle(translator: ViewTranslator): string {
  return translator.t('requests.ask');
}

export function requestFormTexts(translator: Translator): string {
  return composerTexts(
    translator,
    'requests.ask',
    'requests.wantedNumber',
    'requests.wantedNext',
    'upload.until',
    'upload.wanted.',
    'island.chooseFiles',
  );
}

/** Asks people for files: the composer, with what is wanted in the place of what is sent. */
export function RequestFormPage(props: RequestFormPageProps): JSX.Element {
  const translator = useTranslator();
  const { values } = props;
  const list = `${props.base}requests`;
  const title = requestFormTitle(translator);
  return (
    <ComposerPage
      {...props}
      kind="ask"
      trail={
        <Crumbs label={translator.t('frame.requests')} href={list}>
          {title}
        </Crumbs>
      }
      title={title}
      action={`${list}/new`}
      content={{ title: values.title, wanted: values.wanted.map(({ name }) => name), reusable: values.reusable }}
    >
      <ReceiversRow {...props} label={translator.t('requests.whom')} hint={translator.t('requests.whomHint')} />
      <TitleRow {...props} />
      <Row
        id="wanted"
        label={translator.t('requests.wanted')}
        hint={translator.t('requests.wantedHint')}
        problem={problemOf(props, 'wanted')}
        isGroup
      >
        <WantedFields wanted={values.wanted} max={props.maxWanted} spare={4} />
      </Row>
      <MessageRow {...props} placeholder={translator.t('requests.messageHint')} />
      <LifetimeRow
        {...props}
        label={translator.t('requests.until')}
        describeEnd={(day) => translator.t('requests.untilDay', { day })}
      />
      <ChoiceRow
        id="reusable"
        name="reusable"
        label={translator.t('requests.howOften')}
        value={values.reusable ? '1' : '0'}
        choices={[
          { value: '1', label: translator.t('requests.anyNumber'), hint: translator.t('requests.anyNumberHint') },
          { value: '0', label: translator.t('requests.once'), hint: translator.t('requests.onceHint') },
        ]}
      />
      <CodeRow {...props} />
      <PassphraseRow {...props} />
      <NotifyRow {...props} />
    </ComposerPage>
  );
}
