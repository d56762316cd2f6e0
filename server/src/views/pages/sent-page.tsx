import type { JSX } from 'preact';
import { ButtonLink } from '../components/button.tsx';
import { Card, Fields } from '../components/card.tsx';
import { DoneForm } from '../components/done-form.tsx';
import { PlainFiles } from '../components/plain-files.tsx';
import { EarlierSendings, type Sending } from '../components/sendings.tsx';
import { useTranslator, type ViewTranslator } from '../components/translator-context.ts';
import { isolate, oneLine } from '../plain.ts';

export interface SentPageProps {
  readonly sender: string;
  readonly last: Sending;
  /** Newest first. */
  readonly earlier: readonly Sending[];
  /** The URL for sending more files, and its expiry; undefined if files can be sent only once. */
  readonly more?: { readonly href: string; readonly until: Date } | undefined;
  /** Ends the session of this browser. */
  readonly doneAction: string;
}

export function sentTitle(translator: ViewTranslator): string {
  return translator.t('sent.title');
}

/** Shows what was sent and when, as long as the link works. */
export function SentPage({ sender, last, earlier, more, doneAction }: SentPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <Card
      icon="check"
      tone="good"
      title={translator.t('sent.title')}
      about={
        <>
          <p class="lead">{translator.t('sent.text', { sender: isolate(sender) })}</p>
          <Fields
            fields={[
              [translator.t('common.to'), oneLine(sender)],
              [translator.t('sent.at'), formatTime(translator, last.sentAt)],
              [translator.t('common.size'), translator.formatSize(last.totalBytes)],
              ...(more ? [[translator.t('upload.until'), formatTime(translator, more.until)] as const] : []),
            ]}
          />
        </>
      }
    >
      <PlainFiles files={last.files} count={last.fileCount} />
      {more && <ButtonLink href={more.href}>{translator.t('sent.more')}</ButtonLink>}
      <EarlierSendings sendings={earlier} />
      <DoneForm action={doneAction} />
    </Card>
  );
}

function formatTime(translator: ViewTranslator, at: Date): JSX.Element {
  return <time dateTime={at.toISOString()}>{translator.formatDate(at)}</time>;
}
