import type { JSX } from 'preact';
import type { SecondFactor } from '../../../domain/policy.ts';
import { isolate, manyLines, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Fields } from '../../shared/components/card.tsx';
import { FileName } from '../../shared/components/file-name.tsx';
import { FileIcon } from '../../shared/components/file-row.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { fromField, type Sender } from '../../shared/components/sender.tsx';
import { Subtitle } from '../../shared/components/subtitle.tsx';

export interface ComposerPreviewProps {
  readonly view: 'page' | 'mail';
  readonly sender: Sender;
  readonly files: readonly { readonly name: string; readonly sizeBytes: number }[];
  /** Empty: none. */
  readonly title: string;
  readonly message: string;
  /** The last day, in words; undefined if none is chosen. */
  readonly until: string | undefined;
  readonly secondFactor: SecondFactor;
  readonly notify: boolean;
}

const shownFiles = 3;
const codeTexts = { mail: 'composer.preview.codeMail', sms: 'composer.preview.codeSms' } as const;

/** The page or the mail that receivers get, in small and without a function: its texts are those of the real ones. */
export function ComposerPreview(props: ComposerPreviewProps): JSX.Element {
  const translator = useTranslator();
  const { view, files, message, secondFactor, notify } = props;
  const isEmpty = files.length === 0 && message.trim() === '';
  return (
    <>
      {isEmpty ? <EmptyPreview /> : view === 'mail' ? <MailPreview {...props} /> : <PagePreview {...props} />}
      {!isEmpty && secondFactor !== 'off' && (
        <p class="quiet small preview-note">
          <Icon name="lock" small /> {translator.t(codeTexts[secondFactor])}
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

function PagePreview({ sender, files, title, message, until }: ComposerPreviewProps): JSX.Element {
  const translator = useTranslator();
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

function MailPreview({ sender, files, title, message, until }: ComposerPreviewProps): JSX.Element {
  const translator = useTranslator();
  const name = isolate(sender.name);
  const count = files.length;
  const subject =
    count === 0
      ? translator.t('mail.drop.messageSubject', { sender: name })
      : translator.t('mail.drop.subject', { sender: name, count });
  return (
    <div class="panel preview-mail" inert>
      <p class="preview-from">
        <bdi>{oneLine(sender.name)}</bdi>
      </p>
      <p class="ticket-title">
        {title === '' ? subject : translator.t('mail.titled', { sender: name, title: isolate(title) })}
      </p>
      {title !== '' && <p>{subject}</p>}
      {until !== undefined && (
        <p class="quiet">{translator.t('common.labelled', { label: translator.t('common.until'), value: until })}</p>
      )}
      <span class="fake-button">
        {count === 0 ? translator.t('mail.drop.messageButton') : translator.t('mail.drop.button', { count })}
      </span>
      <PreviewMessage message={message} />
      {count > 0 && (
        <p class="quiet">
          {files
            .slice(0, shownFiles)
            .map((file) => oneLine(file.name))
            .join(', ')}
          {count > shownFiles && ` ${translator.t('common.more', { count: count - shownFiles })}`}
        </p>
      )}
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
