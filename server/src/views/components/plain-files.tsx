import type { JSX } from 'preact';
import { FileRow } from './file-row.tsx';
import { ScanNote } from './scan-note.tsx';
import type { ScanState } from './scan-words.ts';
import { useWords } from './words-context.ts';

export interface PlainFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly scan: ScanState;
}

/** Files to read about, without actions: all of them, or the first of `count`. */
export function PlainFiles({ files, count }: { files: readonly PlainFile[]; count: number }): JSX.Element {
  const words = useWords();
  const more = count - files.length;
  return (
    <ul class="plain-files">
      {files.map((file, index) => (
        <FileRow key={index} path={file.name}>
          <span>{words.formatSize(file.sizeBytes)}</span>
          <ScanNote scan={file.scan} />
        </FileRow>
      ))}
      {more > 0 && <li class="quiet">{words.t('common.more', { count: more })}</li>}
    </ul>
  );
}
