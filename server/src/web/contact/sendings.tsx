import type { JSX } from 'preact';
import { useTranslator } from '../../present/texts/translator-context.ts';
import { Moment } from '../shared/components/moment.tsx';
import { type PlainFile, PlainFiles } from './plain-files.tsx';

/** A set of files that was sent. */
export interface Sending {
  readonly sentAt: Date;
  readonly fileCount: number;
  readonly totalBytes: number;
  /** All of the files, or the first of them. */
  readonly files: readonly PlainFile[];
}

/** Earlier sendings, each folded under the time at which it was sent. */
export function EarlierSendings({ sendings }: { sendings: readonly Sending[] }): JSX.Element | null {
  const translator = useTranslator();
  if (sendings.length === 0) return null;
  return (
    <section class="sendings">
      <h2>{translator.t('sent.earlier')}</h2>
      {sendings.map(({ sentAt, fileCount, totalBytes, files }, index) => (
        <details key={index}>
          <summary>
            <Moment at={sentAt} />
            {' · '}
            {translator.t('sent.count', { count: fileCount })} · {translator.formatSize(totalBytes)}
          </summary>
          <PlainFiles files={files} count={fileCount} />
        </details>
      ))}
    </section>
  );
}
