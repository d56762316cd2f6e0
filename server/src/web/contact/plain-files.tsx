import type { JSX } from 'preact';
import { sortByPath } from '../../present/texts/file-order.ts';
import { type Scanned, summarizeScans } from '../../present/texts/scan-texts.ts';
import { useTranslator } from '../../present/texts/translator-context.ts';
import { FileRow } from '../shared/components/file-row.tsx';
import { FolderList } from '../shared/components/folder-list.tsx';
import { Rows } from '../shared/components/rows.tsx';
import { ScanNote } from '../shared/components/scan-note.tsx';

export interface PlainFile extends Scanned {
  /** After its folder, if it was sent in one. */
  readonly name: string;
  readonly sizeBytes: number;
}

/** A list of files without actions, in their folders; the first of `count` in no folders, whose sizes would not be known. */
export function PlainFiles({ files, count }: { files: readonly PlainFile[]; count: number }): JSX.Element {
  const translator = useTranslator();
  const more = count - files.length;
  const { differs } = summarizeScans(files);
  const row = (file: PlainFile, name: string, index?: number) => (
    <FileRow key={index ?? file.name} path={name} size={translator.formatSize(file.sizeBytes)}>
      {differs(file) && <ScanNote {...file} />}
    </FileRow>
  );
  if (more <= 0)
    return <FolderList files={files.map((file) => ({ ...file, path: file.name }))} isNoteworthy={differs} row={row} />;
  return (
    <ul class="files">
      <Rows
        items={sortByPath(files, translator.locale, ({ name }) => name)}
        row={(file, index) => row(file, file.name, index)}
      />
      <li class="quiet more-files">{translator.t('common.more', { count: more })}</li>
    </ul>
  );
}
