import type { ComponentChildren, JSX } from 'preact';
import type { SecondFactor, SharedLinks } from '../../../domain/policy.ts';
import type { DraftFile } from '../../../domain/uploads/upload-store.ts';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import type { Translator } from '../../../present/texts/translator.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { ButtonLink } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { toDescription } from '../../shared/components/field.tsx';
import { FileName } from '../../shared/components/file-name.tsx';
import { describeFile, FileIcon } from '../../shared/components/file-row.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { LongText, Rows } from '../../shared/components/rows.tsx';
import { ScriptData } from '../../shared/components/script-data.tsx';
import type { Sender } from '../../shared/components/sender.tsx';
import { Switch } from '../components/check.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHead } from '../components/page-head.tsx';
import { ReceiversField } from '../components/receivers-field.tsx';
import type { ComposerField, ShownProblem } from '../shared/composer-problem.ts';
import type { ListProps } from '../shared/list-props.ts';
import { type Choice, ChoiceSegments } from './choice-segments.tsx';
import { ComposerBar } from './composer-bar.tsx';
import { ComposerPreview } from './composer-preview.tsx';
import { DropArea } from './drop-area.tsx';
import { type SharedLinkValues, WhoChoice } from './shared-link-rows.tsx';

/** The content of the form, as it was typed. */
export interface ComposerValues {
  readonly receivers: string;
  readonly message: string;
  /** Empty for a day of one's own, which is `until`. */
  readonly days: string;
  /** As `2026-11-23`. */
  readonly until: string;
  readonly secondFactor: SecondFactor;
  readonly notify: boolean;
  /** Whether it is for people, or for anybody with the link. */
  readonly shared: SharedLinkValues;
  /** Phone numbers by address. */
  readonly phones: ReadonlyMap<string, string>;
}

/** A file that has arrived already: from the phone's Share menu, or with a form that was refused. */
export type KeptUpload = Pick<DraftFile, 'id' | 'path' | 'sizeBytes'>;

/** The lifetimes among which the sender can choose. */
export interface LifetimeChoices {
  /** In days, each with the last day in words; none if the account has no choice. */
  readonly presets: readonly { readonly days: number; readonly until: string }[];
  /** The first and last day that can be chosen; undefined if only the presets can. */
  readonly range?: { readonly min: string; readonly max: string } | undefined;
}

export interface SendPageProps extends ListProps {
  readonly sender: Sender;
  readonly action: string;
  /** A repeated request with the same id sends nothing again. */
  readonly requestId: string;
  /** Under which the script keeps what was typed. It is not a secret and opens nothing. */
  readonly draftKey: string;
  readonly uploadsHref: string;
  readonly receiversHref: string;
  readonly uploads: readonly KeptUpload[];
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** Which limit a file of more bytes exceeds. */
  readonly sizeReason: 'file' | 'storage' | 'scan';
  readonly maxMessageLength: number;
  readonly lifetimes: LifetimeChoices;
  /** The second factors that the account may choose, and that the server can send. */
  readonly secondFactors: readonly SecondFactor[];
  /** Whether the account may pass on links by itself. */
  readonly canCopyLinks: boolean;
  /** The kinds of links to share that the account may make. */
  readonly sharedLinks?: SharedLinks | undefined;
  readonly values: ComposerValues;
  /** The receivers whose phone number is missing. */
  readonly withoutPhone: readonly { readonly email: string; readonly name: string }[];
  readonly problem?: ShownProblem | undefined;
  /** The script's texts, from `composerTexts`. */
  readonly textsJson: string;
}

export function sendTitle(translator: ViewTranslator): string {
  return translator.t('composer.title');
}

/** Writes the texts of the composer's script as JSON that can be embedded in a page. */
export function composerTexts(translator: Translator): string {
  return JSON.stringify({
    language: translator.language,
    locale: translator.locale,
    dir: translator.dir,
    texts: translator.texts(
      'composer.',
      'composerFiles.',
      'island.',
      'upload.limits',
      'action.',
      'common.',
      'scan.',
      'sent.count',
      'delivery.size',
      'download.heading',
      'download.messageHeading',
      'download.all',
      'download.one',
      'mail.drop.',
    ),
  });
}

/** The home screen of the app: one form with everything, which needs no script. A script adds to it. */
export function SendPage(props: SendPageProps): JSX.Element {
  const translator = useTranslator();
  const { values, problem, canChange } = props;
  if (!canChange) return <ReaderPage base={props.base} />;
  return (
    <div class="compose">
      <form
        id="composer"
        class="compose-form"
        method="post"
        action={props.action}
        enctype="multipart/form-data"
        data-draft={props.draftKey}
        data-sender-name={props.sender.name}
        data-sender-address={props.sender.address}
      >
        <CsrfField csrf={props.csrf} />
        <input type="hidden" name="request_id" value={props.requestId} />
        <PageHead
          title={translator.t('composer.title')}
          actions={
            <p class="quiet small composer-kept" id="composer-kept" hidden>
              <Icon name="check" small />
              {translator.t('composer.kept')}
            </p>
          }
        />
        <div id="other-draft" />
        <div id="composer-problem">
          {problem && problem.field === undefined && <Banner tone="bad">{problem.text}</Banner>}
        </div>
        <div class="panel">
          <div class="compose-rows">
            <FilesRow {...props} />
            {props.sharedLinks === 'anybody' && (
              <Row id="who" label={translator.t('sharedLink.who')} problem={problemOf(props, 'shared')} isGroup>
                <WhoChoice {...values.shared} labelledBy="who-label" />
              </Row>
            )}
            <ReceiversRow {...props} />
            <Row id="message" label={translator.t('common.message')} problem={problemOf(props, 'message')}>
              <textarea
                id="message"
                name="message"
                rows={4}
                maxLength={props.maxMessageLength}
                placeholder={translator.t('composer.messageHint')}
                {...toDescription({ id: 'message' }, undefined, problemOf(props, 'message'))}
              >
                <LongText>{values.message}</LongText>
              </textarea>
            </Row>
            <LifetimeRow {...props} />
            <CodeRow {...props} />
            {props.canCopyLinks && (
              <Row id="notify" problem={problemOf(props, 'notify')}>
                <Switch
                  id="notify"
                  name="notify"
                  value="links"
                  checked={!values.notify}
                  label={translator.t('composer.links')}
                  note={translator.t('composer.linksHint')}
                />
              </Row>
            )}
          </div>
          <div class="send-bar" id="send-bar">
            <ComposerBar receiverCount={0} hasMessage={values.message !== ''} notify={values.notify} />
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
            view="page"
            sender={props.sender}
            files={props.uploads.map(({ path, sizeBytes }) => ({ name: path, sizeBytes }))}
            message={values.message.slice(0, props.maxMessageLength)}
            until={props.lifetimes.presets.find(({ days }) => String(days) === values.days)?.until}
            secondFactor={values.secondFactor}
            notify={values.notify}
          />
        </div>
      </aside>
      <ScriptData id="composer-texts" json={props.textsJson} />
    </div>
  );
}

/** A reader follows what the account sends. */
function ReaderPage({ base }: { base: string }): JSX.Element {
  const translator = useTranslator();
  return (
    <>
      <PageHead title={translator.t('composer.title')} />
      <EmptyState
        icon="eye"
        title={translator.t('composer.reader')}
        action={<ButtonLink href={`${base}sent`}>{translator.t('composer.readerSent')}</ButtonLink>}
      >
        {translator.t('composer.readerText')}
      </EmptyState>
    </>
  );
}

function FilesRow(props: SendPageProps): JSX.Element {
  const translator = useTranslator();
  const problem = problemOf(props, 'files');
  return (
    <section aria-labelledby="files-title">
      <h2 class="unseen" id="files-title">
        {translator.t('composer.files')}
      </h2>
      <div
        id="composer-files"
        data-uploads-href={props.uploadsHref}
        data-max-files={props.maxFiles}
        data-max-file-bytes={props.maxFileBytes}
        data-size-reason={props.sizeReason}
      >
        {props.uploads.length > 0 && <KeptUploads uploads={props.uploads} />}
        <DropArea {...props} labels="files" hasFiles={props.uploads.length > 0}>
          <input
            id="files"
            name="files"
            type="file"
            multiple
            aria-describedby={problem ? 'files-hint files-problem' : 'files-hint'}
            aria-invalid={problem ? 'true' : undefined}
          />
        </DropArea>
      </div>
      <Problem id="files" text={problem} />
    </section>
  );
}

/** The files that are kept on the server; those that stay checked are sent. */
function KeptUploads({ uploads }: { uploads: readonly KeptUpload[] }): JSX.Element {
  const translator = useTranslator();
  return (
    <ul class="kept" aria-label={translator.t('composer.arrived')}>
      <Rows
        items={uploads}
        row={({ id, path, sizeBytes }) => (
          <li key={id}>
            <label>
              <input type="checkbox" name="upload" value={id} checked data-path={oneLine(path)} data-size={sizeBytes} />
              <FileIcon name={path} />
              <span class="kept-about">
                <FileName path={path} />
                <span class="quiet small">{describeFile(path, translator.formatSize(sizeBytes))}</span>
              </span>
            </label>
          </li>
        )}
      />
    </ul>
  );
}

function ReceiversRow(props: SendPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <Row id="receiver" label={translator.t('composer.to')} problem={problemOf(props, 'receiver')}>
      <ReceiversField
        value={props.values.receivers}
        href={props.receiversHref}
        problem={problemOf(props, 'receiver')}
      />
    </Row>
  );
}

function LifetimeRow(props: SendPageProps): JSX.Element | null {
  const translator = useTranslator();
  const { presets, range } = props.lifetimes;
  const problem = problemOf(props, 'until');
  if (presets.length === 0 && !range) return null;
  const choices: Choice[] = [
    ...presets.map(({ days, until }) => ({
      value: String(days),
      label: translator.t('composer.days', { count: days }),
      hint: <span data-until={until}>{translator.t('composer.until', { day: until })}</span>,
    })),
    ...(range
      ? [
          {
            value: '',
            label: translator.t('composer.date'),
            hint: (
              <label class="composer-date">
                <span>{translator.t('composer.lastDay')}</span>
                <input
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
          },
        ]
      : []),
  ];
  return (
    <Row id="until" label={translator.t('composer.available')} problem={problem} isGroup>
      <ChoiceSegments
        name="days"
        labelledBy="until-label"
        choices={choices}
        value={props.values.days}
        describedBy={problem ? 'until-problem' : undefined}
      />
    </Row>
  );
}

const codeTexts = {
  off: ['composer.code.off', 'composer.codeHint.off'],
  mail: ['composer.code.mail', 'composer.codeHint.mail'],
  sms: ['composer.code.sms', 'composer.codeHint.sms'],
} as const;

function CodeRow(props: SendPageProps): JSX.Element {
  const translator = useTranslator();
  const problem = problemOf(props, 'second_factor') ?? problemOf(props, 'phone');
  return (
    <Row id="second_factor" label={translator.t('composer.code')} problem={problem} isGroup>
      <ChoiceSegments
        name="second_factor"
        labelledBy="second_factor-label"
        value={props.values.secondFactor}
        describedBy={problem ? 'second_factor-problem' : undefined}
        choices={props.secondFactors.map((factor) => {
          const [label, hint] = codeTexts[factor];
          return { value: factor, label: translator.t(label), hint: translator.t(hint) };
        })}
      />
      <div id="composer-phones">
        {props.withoutPhone.map(({ email, name }) => (
          <div class="field composer-phone" key={email}>
            <label for={`phone:${email}`}>{translator.t('composer.phone', { name: isolate(name || email) })}</label>
            <input
              id={`phone:${email}`}
              name={`phone:${email}`}
              type="text"
              inputmode="tel"
              autocomplete="off"
              placeholder="+46 70 123 45 67"
              value={props.values.phones.get(email) ?? ''}
            />
          </div>
        ))}
      </div>
    </Row>
  );
}

/** A row of the form: its label, and beside it, or on a phone below it, its field. */
function Row(props: {
  id: string;
  label?: string | undefined;
  problem: string | undefined;
  /** Whether the label names a group of fields, and not a single one. */
  isGroup?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const { id, label } = props;
  return (
    <div class="compose-row">
      {label === undefined ? (
        <span />
      ) : props.isGroup ? (
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
        <Problem id={id} text={props.problem} />
      </div>
    </div>
  );
}

/** Always there, so that a script can write into it. */
function Problem({ id, text }: { id: string; text: string | undefined }): JSX.Element {
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

function problemOf({ problem }: SendPageProps, field: ComposerField): string | undefined {
  return problem?.field === field ? problem.text : undefined;
}
