import type { JSX } from 'preact';
import type { DraftFile } from '../../../domain/uploads/upload-store.ts';
import { oneLine } from '../../../present/texts/plain.ts';
import type { Translator } from '../../../present/texts/translator.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { ButtonLink } from '../../shared/components/button.tsx';
import { FileName } from '../../shared/components/file-name.tsx';
import { describeFile, FileIcon } from '../../shared/components/file-row.tsx';
import { Rows } from '../../shared/components/rows.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHead } from '../components/page-head.tsx';
import type { ListProps } from '../shared/list-props.ts';
import { ComposerPage, type ComposerPageProps, composerTexts } from './composer-page.tsx';
import {
  CodeRow,
  LifetimeRow,
  MessageRow,
  NotifyRow,
  PassphraseRow,
  Problem,
  problemOf,
  ReceiversRow,
  Row,
  TitleRow,
} from './composer-rows.tsx';
import { DropArea } from './drop-area.tsx';
import { type AgainProps, SentAgain } from './sent-again.tsx';
import { WhoChoice } from './shared-link-rows.tsx';

/** A file that has arrived already: from the phone's Share menu, or with a form that was refused. */
export type KeptUpload = Pick<DraftFile, 'id' | 'path' | 'sizeBytes'>;

export interface SendPageProps extends ListProps, ComposerPageProps {
  readonly action: string;
  readonly draftKey: string;
  readonly uploadsHref: string;
  readonly uploads: readonly KeptUpload[];
  /** Files of a delivery that is sent again. */
  readonly again?: AgainProps | undefined;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** Which limit a file of more bytes exceeds. */
  readonly sizeReason: 'file' | 'storage' | 'scan';
}

export function sendTitle(translator: ViewTranslator): string {
  return translator.t('composer.title');
}

export function sendTexts(translator: Translator): string {
  return composerTexts(
    translator,
    'composerFiles.',
    'island.',
    'upload.limits',
    'scan.',
    'delivery.size',
    'download.heading',
    'download.messageHeading',
    'download.all',
    'download.one',
  );
}

/** The home screen of the app. */
export function SendPage(props: SendPageProps): JSX.Element {
  const translator = useTranslator();
  if (!props.canChange) return <ReaderPage base={props.base} />;
  return (
    <ComposerPage
      {...props}
      kind="send"
      title={sendTitle(translator)}
      content={{
        files: [...props.uploads, ...(props.again?.files ?? [])].map(({ path, sizeBytes }) => ({
          name: path,
          sizeBytes,
        })),
        title: props.values.title.trim(),
      }}
    >
      <FilesRow {...props} />
      {props.sharedLinks === 'anybody' && (
        <Row id="who" label={translator.t('sharedLink.who')} problem={problemOf(props, 'shared')} isGroup>
          <WhoChoice {...props.values.shared} labelledBy="who-label" />
        </Row>
      )}
      <ReceiversRow {...props} label={translator.t('composer.to')} />
      <TitleRow {...props} />
      <MessageRow {...props} placeholder={translator.t('composer.messageHint')} />
      <NotifyRow {...props} />
      <LifetimeRow
        {...props}
        label={translator.t('composer.available')}
        describeEnd={(day) => translator.t('composer.until', { day })}
      />
      <CodeRow {...props} />
      <PassphraseRow {...props} />
    </ComposerPage>
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
    <section aria-labelledby="files-title" data-row="files">
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
      {props.again && <SentAgain {...props.again} />}
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
