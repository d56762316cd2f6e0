import type { JSX } from 'preact';
import type { FoundFile } from '../../domain/requests/find-wanted.ts';
import { isolate, oneLine } from '../../present/texts/plain.ts';
import type { Translator } from '../../present/texts/translator.ts';
import { useTranslator, type ViewTranslator } from '../../present/texts/translator-context.ts';
import { AskForm, type Asking } from '../shared/components/ask-form.tsx';
import { Banner } from '../shared/components/banner.tsx';
import { Button } from '../shared/components/button.tsx';
import { Card, Fields } from '../shared/components/card.tsx';
import { DoneForm } from '../shared/components/done-form.tsx';
import { Field, TextArea } from '../shared/components/field.tsx';
import { limitsText } from '../shared/components/limits-text.ts';
import { Message } from '../shared/components/message.tsx';
import { Moment } from '../shared/components/moment.tsx';
import { ScriptData } from '../shared/components/script-data.tsx';
import { fromField, type Sender } from '../shared/components/sender.tsx';
import { Subtitle } from '../shared/components/subtitle.tsx';
import { type PlainFile, PlainFiles } from './plain-files.tsx';
import { EarlierSendings, type Sending } from './sendings.tsx';
import { PlainWanted } from './wanted-files.tsx';

const problems = {
  no_files: 'upload.problem.no_files',
  too_many_files: 'upload.problem.too_many_files',
  too_large: 'upload.problem.too_large',
  storage_full: 'upload.problem.storage_full',
  infected: 'upload.problem.infected',
  too_large_to_scan: 'upload.problem.too_large_to_scan',
  encrypted: 'upload.problem.encrypted',
  invalid_name: 'upload.problem.invalid_name',
  files_not_ready: 'upload.problem.files_not_ready',
  cut_off: 'upload.problem.cut_off',
} as const;

/** The same about a file whose name is known. */
const namedProblems: Partial<Record<UploadProblem, string>> = {
  too_large: 'upload.problem.named.too_large',
  infected: 'upload.problem.named.infected',
  too_large_to_scan: 'upload.problem.named.too_large_to_scan',
  encrypted: 'upload.problem.named.encrypted',
  invalid_name: 'upload.problem.named.invalid_name',
};

export type UploadProblem = keyof typeof problems;

export interface UploadPageProps {
  readonly sender: Sender;
  /** The reference that people use for the request. */
  readonly reference: string;
  /** One line that names the request; empty if it has none. */
  readonly title: string | null;
  /** The files that are wanted, and which of them the contact has sent. */
  readonly wanted: readonly FoundFile[];
  readonly message: string;
  readonly deadline: Date;
  /** Whether files can be sent only once. */
  readonly once: boolean;
  /** Whether the person asked for the page themselves, on the account's public page. */
  readonly isUnsolicited?: boolean | undefined;
  readonly asking?: Asking | undefined;
  /**
   * The URL that accepts the whole form at once: `file` (several) and `message`, as multipart/form-data. It then shows
   * what was sent.
   */
  readonly plainAction: string;
  /** The URL that accepts {message} as JSON when everything is ready. */
  readonly sendAction: string;
  /** The URL that returns [{id, name, sizeBytes, receivedBytes, state, scan}]: the files so far, and their state. */
  readonly filesEndpoint: string;
  readonly tusEndpoint: string;
  /**
   * Identifies the link to the script, the same in every browser and on every visit. It is not a secret and opens
   * nothing.
   */
  readonly draftKey: string;
  /** Ends the session of this browser. */
  readonly doneAction: string;
  readonly received: readonly PlainFile[];
  /** Earlier sendings, newest first. */
  readonly sent: readonly Sending[];
  /** The reason why the form that was just posted was rejected. */
  readonly problem?: UploadProblem | undefined;
  /** The name of the file for which it was rejected, if it was a single one. */
  readonly problemFile?: string | undefined;
  /** The input of the contact. */
  readonly written?: string | undefined;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** Which limit a file of more bytes exceeds. */
  readonly sizeReason: 'file' | 'storage' | 'link' | 'scan';
  /** The script's texts, from `islandTexts`. */
  readonly wordsJson: string;
}

export function uploadTitle(translator: Translator, { sender }: Pick<UploadPageProps, 'sender'>): string {
  return translator.t('upload.title', { sender: isolate(sender.name) });
}

/** Writes the texts of the script on the upload page as JSON that can be embedded in a page. */
export function islandTexts(translator: Translator): string {
  return JSON.stringify({
    language: translator.language,
    locale: translator.locale,
    dir: translator.dir,
    texts: translator.texts(
      'island.',
      'upload.limits',
      'upload.message',
      'upload.once',
      'upload.wanted.',
      'upload.otherFiles',
      'action.remove',
      'action.close',
      'gone.expired.text',
      'gone.expired.title',
      'common.labelled',
      'scan.unscanned',
      'sent.count',
    ),
  });
}

/** A plain form that needs no script; if a script runs, it replaces the form. */
export function UploadPage(props: UploadPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <Card
      columns
      icon="upload"
      reference={props.reference}
      title={translator.t(props.isUnsolicited ? 'upload.title' : 'upload.heading', {
        sender: isolate(props.sender.name),
      })}
      about={
        <>
          {props.title !== null && <Subtitle>{props.title}</Subtitle>}
          <details class="subject-details" open>
            <summary>{translator.t('upload.about')}</summary>
            <Fields
              fields={[
                ...fromField(translator, props.sender),
                [translator.t('upload.until'), <Moment at={props.deadline} show="deadline" />],
              ]}
            />
            <Message>{props.message}</Message>
          </details>
        </>
      }
    >
      <div
        id="upload"
        data-tus-endpoint={props.tusEndpoint}
        data-files-endpoint={props.filesEndpoint}
        data-send-action={props.sendAction}
        data-sent-href={props.plainAction}
        data-draft={props.draftKey}
        data-once={String(props.once)}
        data-max-files={props.maxFiles}
        data-max-file-bytes={props.maxFileBytes}
        data-size-reason={props.sizeReason}
        data-wanted={props.wanted.length > 0 ? writeWanted(props.wanted) : undefined}
      >
        <form method="post" action={props.plainAction} enctype="multipart/form-data" class="stack">
          {props.problem && (
            <Banner tone="bad" id="problem">
              {problemText(translator, props.problem, props)}
            </Banner>
          )}
          {props.received.length > 0 && (
            <section class="received">
              <h2>{translator.t('upload.received')}</h2>
              <PlainFiles files={props.received} count={props.received.length} />
            </section>
          )}
          {props.wanted.length > 0 && <PlainWanted wanted={props.wanted} />}
          <Field
            id="file"
            name="file"
            type="file"
            label={translator.t(props.wanted.length > 0 ? 'upload.otherFiles' : 'upload.files')}
            hint={limitsText(translator, props)}
            multiple={props.maxFiles > 1}
            required={props.received.length === 0 && props.wanted.length === 0}
            aria-describedby={props.problem && 'problem'}
          />
          <TextArea id="message" name="message" label={translator.t('upload.message')} maxLength={5000}>
            {props.written}
          </TextArea>
          <Button look="main">{translator.t('upload.send')}</Button>
        </form>
      </div>
      <EarlierSendings sendings={props.sent} />
      {props.asking && <AskForm {...props.asking} />}
      <DoneForm action={props.doneAction} />
      <ScriptData id="upload-words" json={props.wordsJson} />
    </Card>
  );
}

/** For the script, which shows it as it is. */
function writeWanted(wanted: readonly FoundFile[]): string {
  return JSON.stringify(wanted.map((file) => ({ ...file, name: oneLine(file.name), note: oneLine(file.note) })));
}

function problemText(translator: ViewTranslator, problem: UploadProblem, limits: UploadPageProps): string {
  const { problemFile = '' } = limits;
  return translator.t((problemFile && namedProblems[problem]) || problems[problem], {
    name: isolate(problemFile),
    count: limits.maxFiles,
    size: translator.formatSize(limits.maxFileBytes),
    sender: isolate(limits.sender.name),
  });
}
