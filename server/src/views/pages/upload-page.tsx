import type { JSX } from 'preact';
import { Card, Fields, Problem } from '../components/card.tsx';
import { DoneForm } from '../components/done-form.tsx';
import { Message } from '../components/message.tsx';
import { type PlainFile, PlainFiles } from '../components/plain-files.tsx';
import { useWords, type ViewWords } from '../components/words-context.ts';
import { isolate, oneLine } from '../plain.ts';
import type { Words } from '../words.ts';

const problems = {
  no_files: 'upload.problem.no_files',
  too_many_files: 'upload.problem.too_many_files',
  too_large: 'upload.problem.too_large',
  infected: 'upload.problem.infected',
  too_large_to_scan: 'upload.problem.too_large_to_scan',
  encrypted: 'upload.problem.encrypted',
  invalid_name: 'upload.problem.invalid_name',
  files_not_ready: 'upload.problem.files_not_ready',
  cut_off: 'upload.problem.cut_off',
} as const;

export type UploadProblem = keyof typeof problems;

export interface UploadPageProps {
  readonly sender: string;
  readonly message: string;
  readonly deadline: Date;
  /** Takes the whole form at once: `file` (several) and `message`, as multipart/form-data. */
  readonly plainAction: string;
  /** Takes {message} as JSON when everything is ready, and answers {files: [{name, sizeBytes}]}. */
  readonly sendAction: string;
  /** Returns [{id, name, sizeBytes, receivedBytes, state}]: what has arrived so far, and what became of it. */
  readonly filesEndpoint: string;
  readonly tusEndpoint: string;
  /** Ends the session of this browser. */
  readonly doneAction: string;
  readonly received: readonly PlainFile[];
  /** Why the form that was just posted was not taken. */
  readonly problem?: UploadProblem | undefined;
  /** What the contact had written into it. */
  readonly written?: string | undefined;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** The texts of the script, from `islandTexts`. */
  readonly wordsJson: string;
}

export function uploadTitle(words: Words, { sender }: Pick<UploadPageProps, 'sender'>): string {
  return words.t('upload.title', { sender: isolate(sender) });
}

/** What the script on the upload page says, as JSON that can stand in a page. */
export function islandTexts(words: Words): string {
  return JSON.stringify({
    language: words.language,
    locale: words.locale,
    dir: words.dir,
    texts: words.texts('island.', 'upload.', 'sent.', 'done.', 'gone.expired.', 'common.'),
  });
}

/** A plain form that needs no script; where there is one, it puts itself in the form's place. */
export function UploadPage(props: UploadPageProps): JSX.Element {
  const words = useWords();
  return (
    <Card
      wide
      icon="upload"
      title={words.t('upload.heading')}
      about={
        <>
          <Fields
            fields={[
              [words.t('common.to'), oneLine(props.sender)],
              [words.t('upload.until'), words.formatDate(props.deadline)],
            ]}
          />
          <Message>{props.message}</Message>
        </>
      }
    >
      <div
        id="upload"
        data-tus-endpoint={props.tusEndpoint}
        data-files-endpoint={props.filesEndpoint}
        data-send-action={props.sendAction}
        data-done-action={props.doneAction}
        data-max-files={props.maxFiles}
        data-max-file-bytes={props.maxFileBytes}
        data-sender={oneLine(props.sender)}
      >
        <form method="post" action={props.plainAction} enctype="multipart/form-data" class="stack">
          {props.problem && <Problem id="problem">{problemText(words, props.problem, props)}</Problem>}
          {props.received.length > 0 && (
            <section class="received">
              <h2>{words.t('upload.received')}</h2>
              <PlainFiles files={props.received} />
            </section>
          )}
          <div class="field">
            <label for="file">{words.t('upload.files')}</label>
            <input
              id="file"
              name="file"
              type="file"
              multiple={props.maxFiles > 1}
              required={props.received.length === 0}
              aria-describedby={props.problem ? 'problem limits' : 'limits'}
            />
            <p id="limits" class="quiet small">
              {words.t('upload.limits', { count: props.maxFiles, size: words.formatSize(props.maxFileBytes) })}
            </p>
          </div>
          <div class="field">
            <label for="message">{words.t('upload.message')}</label>
            <textarea id="message" name="message" rows={4} maxLength={5000}>
              {props.written}
            </textarea>
          </div>
          <button class="button button-main" type="submit">
            {words.t('upload.send')}
          </button>
        </form>
      </div>
      <DoneForm action={props.doneAction} />
      <script
        type="application/json"
        id="upload-words"
        // Data, not a program; `<` is written so that no text in it can end the element.
        dangerouslySetInnerHTML={{ __html: props.wordsJson.replaceAll('<', String.raw`\u003c`) }}
      />
    </Card>
  );
}

function problemText(words: ViewWords, problem: UploadProblem, limits: UploadPageProps): string {
  return words.t(problems[problem], { count: limits.maxFiles, size: words.formatSize(limits.maxFileBytes) });
}
