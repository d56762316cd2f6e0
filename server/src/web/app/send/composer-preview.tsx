import type { JSX } from 'preact';
import type { SecondFactor } from '../../../domain/policy.ts';
import { MailBody, type MailOperator } from '../../../present/mails/mail.tsx';
import { dropMail, requestMail } from '../../../present/mails/receiver-mails.ts';
import { isolate, manyLines, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Fields } from '../../shared/components/card.tsx';
import { FileName } from '../../shared/components/file-name.tsx';
import { FileIcon } from '../../shared/components/file-row.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { fromField, type Sender } from '../../shared/components/sender.tsx';
import { Subtitle } from '../../shared/components/subtitle.tsx';
import type { ComposerKind } from './composer-bar.tsx';

/** The content that receivers see, besides what the account says of itself. */
export interface PreviewContent {
  readonly files?: readonly { readonly name: string; readonly sizeBytes: number }[];
  readonly message?: string;
  readonly title?: string;
  /** The names of the files that are wanted. */
  readonly wanted?: readonly string[];
  readonly reusable?: boolean;
}

/** The operator, as far as mails show them. */
export type PreviewOperator = Pick<MailOperator, 'name' | 'color' | 'supportAddress'>;

export interface ComposerPreviewProps {
  readonly kind: ComposerKind;
  readonly view: 'page' | 'mail';
  readonly sender: Sender;
  readonly operator: PreviewOperator;
  /** The scheme, name and port of this server. */
  readonly origin: string;
  readonly content: PreviewContent;
  /** The last day, in words; undefined if none is chosen. */
  readonly until: string | undefined;
  readonly deadline?: Date | undefined;
  /** The person who gets the mail. */
  readonly to?: string | undefined;
  readonly secondFactor: SecondFactor;
  /** How many people get their code by SMS and by mail, if not all of them by the same. */
  readonly codes: { readonly sms: number; readonly mail: number } | undefined;
  readonly notify: boolean;
}

const shownFiles = 3;
const codeTexts = { mail: 'composer.preview.codeMail', sms: 'composer.preview.codeSms' } as const;

/** The page in small and without a function, or the mail itself. */
export function ComposerPreview(props: ComposerPreviewProps): JSX.Element {
  const translator = useTranslator();
  const { kind, view, content, secondFactor, codes, notify } = props;
  const isEmpty = kind === 'send' && (content.files ?? []).length === 0 && (content.message ?? '').trim() === '';
  return (
    <>
      {isEmpty ? (
        <EmptyPreview />
      ) : view === 'mail' ? (
        <MailPreview {...props} />
      ) : kind === 'ask' ? (
        <AskPreview {...props} />
      ) : (
        <PagePreview {...props} />
      )}
      {!isEmpty && secondFactor !== 'off' && (
        <p class="quiet small preview-note">
          <Icon name="lock" small />{' '}
          {codes && codes.sms > 0 && codes.mail > 0
            ? translator.t('composer.preview.codes', {
                sms: translator.t('composer.hint.people', { count: codes.sms }),
                mail: translator.t('composer.hint.people', { count: codes.mail }),
              })
            : translator.t(codeTexts[codes?.sms === 0 ? 'mail' : secondFactor])}
        </p>
      )}
      {!isEmpty && !notify && (
        <p class="quiet small preview-note">
          <Icon name="link" small /> {translator.t('composer.linksHint')}
        </p>
      )}
    </>
  );
}

function EmptyPreview(): JSX.Element {
  return (
    <div class="ticket">
      <div class="ticket-about">
        <span class="badge">
          <Icon name="download" />
        </span>
        <span class="ghost" />
        <span class="ghost ghost-short" />
        <span class="ghost ghost-long" />
      </div>
      <div class="ticket-do">
        <span class="ghost ghost-long" />
        <span class="ghost" />
        <p class="quiet small">{useTranslator().t('composer.preview.empty')}</p>
      </div>
    </div>
  );
}

function PagePreview({ sender, content, until }: ComposerPreviewProps): JSX.Element {
  const translator = useTranslator();
  const { files = [], message = '', title = '' } = content;
  const size = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const name = isolate(sender.name);
  return (
    <div class="ticket" inert>
      <div class="ticket-about">
        <span class="badge">
          <Icon name={files.length === 0 ? 'mail' : 'download'} />
        </span>
        <p class="ticket-title">
          {files.length === 0
            ? translator.t('download.messageHeading', { sender: name })
            : translator.t('download.heading', { sender: name, count: files.length })}
        </p>
        {title !== '' && <Subtitle>{title}</Subtitle>}
        <Fields
          fields={[
            ...fromField(translator, sender),
            ...(until === undefined ? [] : [[translator.t('common.until'), until] as const]),
            ...(files.length === 0 ? [] : [[translator.t('delivery.size'), translator.formatSize(size)] as const]),
          ]}
        />
        <PreviewMessage message={message} />
      </div>
      {files.length > 0 && (
        <div class="ticket-do">
          <span class="fake-button">
            <Icon name="download" />
            {translator.t(files.length === 1 ? 'download.one' : 'download.all')}
          </span>
          <ul class="preview-files">
            {files.slice(0, shownFiles).map((file) => (
              <li key={file.name}>
                <FileIcon name={file.name} />
                <FileName path={file.name} />
              </li>
            ))}
          </ul>
          {files.length > shownFiles && (
            <p class="quiet small">{translator.t('common.more', { count: files.length - shownFiles })}</p>
          )}
        </div>
      )}
    </div>
  );
}

/** The page of a contact who is asked. */
function AskPreview({ sender, content, until }: ComposerPreviewProps): JSX.Element {
  const translator = useTranslator();
  const { message = '', title = '', wanted = [], reusable = false } = content;
  return (
    <div class="ticket" inert>
      <div class="ticket-about">
        <span class="badge">
          <Icon name="upload" />
        </span>
        <p class="ticket-title">{translator.t('mail.request.subject', { sender: isolate(sender.name) })}</p>
        {title !== '' && <Subtitle>{title}</Subtitle>}
        <Fields
          fields={[
            ...fromField(translator, sender),
            ...(until === undefined ? [] : [[translator.t('upload.until'), until] as const]),
          ]}
        />
        <PreviewMessage message={message} />
      </div>
      <div class="ticket-do">
        {wanted.length > 0 && (
          <>
            <p>
              <b>{translator.t('upload.wanted.title', { count: wanted.length })}</b>
            </p>
            <ul class="preview-files">
              {wanted.map((name, index) => (
                <li key={index}>
                  <span class="wanted-mark" />
                  <span dir="auto">{oneLine(name)}</span>
                </li>
              ))}
            </ul>
          </>
        )}
        <span class="fake-button">
          <Icon name="plus" />
          {translator.t('island.chooseFiles')}
        </span>
        {reusable || <p class="quiet small">{translator.t('upload.once')}</p>}
      </div>
    </div>
  );
}

/** The mail that is sent, by the same function; its links lead nowhere yet. */
function MailPreview(props: ComposerPreviewProps): JSX.Element {
  const translator = useTranslator();
  const { sender, content, kind } = props;
  const { files = [], message = '', title = '', wanted = [], reusable = false } = content;
  const linked = {
    sender: sender.address,
    senderName: sender.name,
    deadline: props.deadline ?? new Date(),
    link: `${props.origin}/${kind === 'ask' ? 'u' : 'd'}/…`,
    stopLink: `${props.origin}/…`,
    reference: 'WB-…',
    to: props.to ?? '…',
    title: title || null,
    message,
  };
  const mail =
    kind === 'ask'
      ? requestMail(translator, { ...linked, wanted: wanted.map((name) => ({ name })), reusable })
      : dropMail(translator, {
          ...linked,
          files: files.map((file) => ({ ...file, path: file.name, scan: 'clean' as const, unscannedReason: null })),
          fileCount: files.length,
          totalBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
          unscannedCount: 0,
        });
  return (
    <div class="preview-mail" inert>
      <MailBody translator={translator} operator={props.operator} mail={mail} />
    </div>
  );
}

const shownLength = 240;

function PreviewMessage({ message }: { message: string }): JSX.Element | null {
  const text = manyLines(message);
  if (text === '') return null;
  return (
    <blockquote class="message">
      <p dir="auto">{text.length > shownLength ? `${text.slice(0, shownLength).trimEnd()}…` : text}</p>
    </blockquote>
  );
}
