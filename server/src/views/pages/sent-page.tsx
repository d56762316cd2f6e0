import type { JSX } from 'preact';
import { ButtonLink } from '../components/button.tsx';
import { Card, Fields } from '../components/card.tsx';
import { DoneForm } from '../components/done-form.tsx';
import { PlainFiles } from '../components/plain-files.tsx';
import { EarlierSendings, type Sending } from '../components/sendings.tsx';
import { useWords, type ViewWords } from '../components/words-context.ts';
import { isolate, oneLine } from '../plain.ts';

export interface SentPageProps {
  readonly sender: string;
  readonly last: Sending;
  /** Newest first. */
  readonly earlier: readonly Sending[];
  /** Where more files can be sent, and until when; undefined: the link was for one sending. */
  readonly more?: { readonly href: string; readonly until: Date } | undefined;
  /** Ends the session of this browser. */
  readonly doneAction: string;
}

export function sentTitle(words: ViewWords): string {
  return words.t('sent.title');
}

/** What was sent and when, for as long as the link works. */
export function SentPage({ sender, last, earlier, more, doneAction }: SentPageProps): JSX.Element {
  const words = useWords();
  return (
    <Card
      icon="check"
      tone="good"
      title={words.t('sent.title')}
      about={
        <>
          <p class="lead">{words.t('sent.text', { sender: isolate(sender) })}</p>
          <Fields
            fields={[
              [words.t('common.to'), oneLine(sender)],
              [words.t('sent.at'), shownTime(words, last.sentAt)],
              [words.t('common.size'), words.formatSize(last.totalBytes)],
              ...(more ? [[words.t('upload.until'), shownTime(words, more.until)] as const] : []),
            ]}
          />
        </>
      }
    >
      <PlainFiles files={last.files} count={last.fileCount} />
      {more && <ButtonLink href={more.href}>{words.t('sent.more')}</ButtonLink>}
      <EarlierSendings sendings={earlier} />
      <DoneForm action={doneAction} />
    </Card>
  );
}

function shownTime(words: ViewWords, at: Date): JSX.Element {
  return <time dateTime={at.toISOString()}>{words.formatDate(at)}</time>;
}
