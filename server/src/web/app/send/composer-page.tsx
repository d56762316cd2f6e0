import type { ComponentChildren, JSX } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';
import type { Translator } from '../../../present/texts/translator.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { ScriptData } from '../../shared/components/script-data.tsx';
import type { Sender } from '../../shared/components/sender.tsx';
import { PageHead } from '../components/page-head.tsx';
import type { ComposerField, ShownProblem } from '../shared/composer-problem.ts';
import { ComposerBar, type ComposerKind, type Fault } from './composer-bar.tsx';
import { ComposerPreview, type PreviewContent, type PreviewOperator } from './composer-preview.tsx';
import type { RowProps } from './composer-rows.tsx';
import { phoneFields } from './composer-values.ts';
import { listPhoneRows } from './phone-rows.tsx';

export interface ComposerPageProps extends RowProps {
  readonly csrf: string;
  readonly sender: Sender;
  readonly operator: PreviewOperator;
  /** The scheme, name and port of this server. */
  readonly origin: string;
  /** A repeated request with the same id sends nothing again. */
  readonly requestId: string;
  /** The script's texts, from `composerTexts`. */
  readonly textsJson: string;
}

/** Writes the texts of the composer's script as JSON that can be embedded in a page. */
export function composerTexts(translator: Translator, ...more: string[]): string {
  const { language, locale, dir } = translator;
  const prefixes = ['composer.', 'action.', 'common.', 'mail.', 'sent.count', 'upload.once', ...more];
  return JSON.stringify({ language, locale, dir, texts: translator.texts(...prefixes) });
}

/** The form with which people send and ask. It needs no script; a script adds chips, a preview and a count. */
export function ComposerPage(
  props: ComposerPageProps & {
    kind: ComposerKind;
    title: string;
    trail?: ComponentChildren;
    action: string;
    /** Under which the script keeps what was typed. It is not a secret and opens nothing. */
    draftKey?: string | undefined;
    content: PreviewContent;
    children: ComponentChildren;
  },
): JSX.Element {
  const translator = useTranslator();
  const { kind, values, problem, sender } = props;
  return (
    <div class="compose">
      <form
        id="composer"
        class="compose-form"
        method="post"
        action={props.action}
        enctype={kind === 'send' ? 'multipart/form-data' : undefined}
        data-kind={kind}
        data-draft={props.draftKey}
        data-sender-name={sender.name}
        data-sender-address={sender.address}
        data-operator={JSON.stringify(props.operator)}
      >
        <CsrfField csrf={props.csrf} />
        <input type="hidden" name="request_id" value={props.requestId} />
        <PageHead
          trail={props.trail}
          title={props.title}
          actions={
            kind === 'send' && (
              <p class="quiet small composer-kept" id="composer-kept" hidden>
                <Icon name="check" small />
                {translator.t('composer.kept')}
              </p>
            )
          }
        />
        <div id="other-draft" />
        <div id="composer-problem">
          {problem && problem.field === undefined && <Banner tone="bad">{problem.text}</Banner>}
        </div>
        <div class="panel">
          <div class="compose-rows">{props.children}</div>
          <div class="send-bar" id="send-bar">
            <ComposerBar
              kind={kind}
              receiverCount={0}
              hasMessage={values.message !== ''}
              notify={values.notify}
              fault={problem && findFault(props, problem)}
            />
          </div>
        </div>
      </form>
      <aside class="preview" aria-label={translator.t('composer.preview.title')}>
        <div class="preview-head">
          <h2 id="preview-title">{translator.t('composer.preview.title')}</h2>
          <div class="segments" role="radiogroup" aria-labelledby="preview-title">
            {(['page', 'mail'] as const).map((view) => (
              <label key={view}>
                <input type="radio" name="preview" value={view} checked={view === 'page'} />
                {translator.t(view === 'page' ? 'composer.preview.page' : 'composer.preview.mail')}
              </label>
            ))}
          </div>
        </div>
        <div id="preview">
          <ComposerPreview
            kind={kind}
            view="page"
            sender={sender}
            operator={props.operator}
            origin={props.origin}
            content={{ ...props.content, message: values.message.slice(0, props.maxMessageLength) }}
            until={props.lifetimes.presets.find(({ days }) => String(days) === values.days)?.until}
            secondFactor={values.secondFactor}
            codes={undefined}
            notify={values.notify}
          />
        </div>
      </aside>
      <ScriptData id="composer-texts" json={props.textsJson} />
    </div>
  );
}

/** The field in which the error is, for a link from the lower edge of the form. */
function findFault(props: RowProps, problem: ShownProblem): Fault | undefined {
  if (problem.field === undefined) return undefined;
  const first = listPhoneRows(props.phoneReceivers).find(({ email }) => problem.people?.has(email));
  const id = problem.field === 'phone' && first ? phoneFields(first.email).phone : fieldIds[problem.field];
  return { href: `#${encodeURIComponent(id)}`, text: oneLine(problem.text) };
}

const fieldIds: Readonly<Record<ComposerField, string>> = {
  files: 'files',
  receiver: 'receiver',
  title: 'title',
  wanted: 'wanted-0',
  message: 'message',
  until: 'until-label',
  second_factor: 'second_factor-label',
  phone: 'second_factor-label',
  notify: 'notify-label',
  passphrase: 'passphrase',
  shared: 'who-label',
};
