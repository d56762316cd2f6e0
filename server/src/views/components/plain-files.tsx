import type { JSX } from 'preact';
import { oneLine } from '../plain.ts';
import { useWords } from './words-context.ts';

export interface PlainFile {
  readonly name: string;
  readonly sizeBytes: number;
}

/** Files to read about, not to act on. */
export function PlainFiles({ files }: { files: readonly PlainFile[] }): JSX.Element {
  const words = useWords();
  return (
    <ul class="plain-files">
      {files.map((file, index) => (
        <li key={index}>
          <bdi>{oneLine(file.name)}</bdi>
          <span class="quiet">{words.formatSize(file.sizeBytes)}</span>
        </li>
      ))}
    </ul>
  );
}
