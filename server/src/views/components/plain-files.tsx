import type { JSX } from 'preact';
import { FileRow } from './file-row.tsx';
import { ScanNote } from './scan-note.tsx';
import type { ScanState } from './scan-texts.ts';
import { useTranslator } from './translator-context.ts';

export interface PlainFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly scan: ScanState;
}

/** A list of files without actions: all of them, or the first of `count`. */
export function PlainFiles({ files, count }: { files: readonly PlainFile[]; count: number }): JSX.Element {
  const translator = useTranslator();
  const more = count - files.length;
  return (
    <ul class="plain-files">
      {files.map((file, index) => (
        <FileRow key={index} path={file.name}>
          <span>{translator.formatSize(file.sizeBytes)}</span>
          <ScanNote scan={file.scan} />
        </FileRow>
      ))}
      {more > 0 && <li class="quiet">{translator.t('common.more', { count: more })}</li>}
    </ul>
  );
}
