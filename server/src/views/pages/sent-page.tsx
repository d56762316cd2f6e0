import type { JSX } from 'preact';
import { Card } from '../components/card.tsx';
import { DoneForm } from '../components/done-form.tsx';
import { type PlainFile, PlainFiles } from '../components/plain-files.tsx';
import { useWords, type ViewWords } from '../components/words-context.ts';
import { isolate } from '../plain.ts';

export interface SentPageProps {
  readonly sender: string;
  readonly files: readonly PlainFile[];
  /** Ends the session of this browser. */
  readonly doneAction: string;
}

export function sentTitle(words: ViewWords): string {
  return words.t('sent.title');
}

export function SentPage({ sender, files, doneAction }: SentPageProps): JSX.Element {
  const words = useWords();
  return (
    <Card
      icon="check"
      tone="good"
      title={words.t('sent.title')}
      about={<p class="lead">{words.t('sent.text', { sender: isolate(sender) })}</p>}
    >
      <PlainFiles files={files} />
      <DoneForm action={doneAction} />
    </Card>
  );
}
