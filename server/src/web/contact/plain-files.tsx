import type { JSX } from 'preact';
import { sortByPath } from '../../present/texts/file-order.ts';
import { type Scanned, summarizeScans } from '../../present/texts/scan-texts.ts';
import { useTranslator } from '../../present/texts/translator-context.ts';
import { FileRow } from '../shared/components/file-row.tsx';
import { Rows } from '../shared/components/rows.tsx';
import { ScanNote } from '../shared/components/scan-note.tsx';

export interface PlainFile extends Scanned {
  readonly name: string;
  readonly sizeBytes: number;
}

/** A list of files without actions: all of them, or the first of `count`. */
export function PlainFiles({ files, count }: { files: readonly PlainFile[]; count: number }): JSX.Element {
  const translator = useTranslator();
  const more = count - files.length;
  const { differs } = summarizeScans(files);
  return (
    <ul class="files">
      <Rows
        items={sortByPath(files, translator.locale, ({ name }) => name)}
        row={(file, index) => (
          <FileRow key={index} path={file.name} size={translator.formatSize(file.sizeBytes)}>
            {differs(file) && <ScanNote {...file} />}
          </FileRow>
        )}
      />
      {more > 0 && <li class="quiet more-files">{translator.t('common.more', { count: more })}</li>}
    </ul>
  );
}
