import type { JSX } from 'preact';
import { type PlainFile, PlainFiles } from './plain-files.tsx';
import { useWords } from './words-context.ts';

/** A set of files that was sent. */
export interface Sending {
  readonly sentAt: Date;
  readonly fileCount: number;
  readonly totalBytes: number;
  /** All of the files, or the first of them. */
  readonly files: readonly PlainFile[];
}

/** What was sent before, each set folded under the time at which it was sent. */
export function EarlierSendings({ sendings }: { sendings: readonly Sending[] }): JSX.Element | null {
  const words = useWords();
  if (sendings.length === 0) return null;
  return (
    <section class="sendings">
      <h2>{words.t('sent.earlier')}</h2>
      {sendings.map(({ sentAt, fileCount, totalBytes, files }, index) => (
        <details key={index}>
          <summary>
            <time dateTime={sentAt.toISOString()}>{words.formatDate(sentAt)}</time>
            {' · '}
            {words.t('sent.count', { count: fileCount })} · {words.formatSize(totalBytes)}
          </summary>
          <PlainFiles files={files} count={fileCount} />
        </details>
      ))}
    </section>
  );
}
