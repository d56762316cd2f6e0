import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { FileName, fileType } from './file-name.tsx';
import { Icon } from './icon.tsx';

/** A file with its icon and name, and below them its type, its size and further details. */
export function FileRow(props: {
  /** The name of the file, after its folder if it was sent in one. */
  path: string;
  size: string;
  /** The id by which a script finds the row. */
  id?: string | undefined;
  /** Whether a link leads to the row. */
  isLinked?: boolean | undefined;
  /** Where the file can be downloaded; the whole row is the link then. */
  href?: string | undefined;
  /** A checkbox that chooses the file, before its icon. */
  pick?: ComponentChildren;
  /** Stands at the end of the row, or below it on a phone. */
  aside?: ComponentChildren;
  /** Further details. */
  children?: ComponentChildren;
}): JSX.Element {
  const translator = useTranslator();
  const { path, href, isLinked } = props;
  const name = <FileName path={path} />;
  return (
    <li class="file" data-file={props.id} id={isLinked ? `file-${props.id}` : undefined}>
      {props.pick}
      <FileIcon name={path} />
      <div class="file-about">
        {href === undefined ? (
          name
        ) : (
          <a class="file-link" href={href} download>
            <span class="unseen">{translator.t('download.one')} </span>
            {name}
          </a>
        )}
        <div class="file-meta small quiet">
          <span>{describeFile(path, props.size)}</span>
          {props.children}
        </div>
      </div>
      {props.aside}
      {href !== undefined && <Icon name="download" />}
    </li>
  );
}

/** The type and the size of a file: “PDF · 184 kB”. */
export function describeFile(path: string, size: string): string {
  const type = fileType(path);
  return type === '' ? size : `${type} · ${size}`;
}

/** The sheet from the logo with its corner folded, and on it the kind of file. */
const glyphs: Record<FileFamily, string> = {
  text: 'M10 20h12M10 25h12M10 30h7',
  sheet: 'M9.5 19.5h13v11h-13zM9.5 25h13M16 19.5v11',
  slides: 'M9 19.5h14v9H9zM16 28.5v3.5M12.5 32h7',
  image: 'M9 19h14v12H9zM9 28.5l4-4 3.5 3.5 2.5-2.5 4 3.5M18.8 22.6v.1',
  video: 'M9 19.5h14v11H9zM14.5 22.5l4 2.5-4 2.5z',
  audio: 'M13 29.5v-9.5l8-1.5v9.5M13 29.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0ZM21 28a2 2 0 1 1-4 0 2 2 0 0 1 4 0Z',
  archive: 'M16 13v2M16 18v2M16 23v2M13.5 27.5h5v4.5h-5z',
  drawing: 'M9 31l7-13 7 13M11.5 26.5q4.5 3 9 0M16 18v-1.5',
  code: 'M13 20.5 8.5 25l4.5 4.5M19 20.5l4.5 4.5-4.5 4.5',
  mail: 'M9 19.5h14v10.5H9zM9 20l7 5.5 7-5.5',
  program: 'M16 19.5v6.5M16 30.3v.1',
  other: 'M10 25h1M15.5 25h1M21 25h1',
};

export function FileIcon({ name }: { name: string }): JSX.Element {
  const family = fileFamily(name);
  return (
    <svg class={`file-icon file-icon-${family}`} viewBox="0 0 32 40" aria-hidden="true">
      <path class="file-icon-paper" d="M5 1h15l9 9v26a3 3 0 0 1-3 3H5a3 3 0 0 1-3-3V4a3 3 0 0 1 3-3Z" />
      <path class="file-icon-fold" d="M20 1l9 9h-6a3 3 0 0 1-3-3Z" />
      <path d={glyphs[family]} />
    </svg>
  );
}

/** Kinds of files as people know them, by the extension of the name, which is no proof of the content. */
const extensions = {
  text: 'pdf doc docx odt rtf txt md pages tex epub',
  sheet: 'xls xlsx xlsm ods csv tsv numbers',
  slides: 'ppt pptx odp key',
  image: 'jpg jpeg png gif webp avif heic tif tiff bmp svg psd ai raw dng',
  video: 'mp4 mov mkv avi webm m4v mpg mpeg wmv',
  audio: 'mp3 wav flac m4a ogg opus aac aiff',
  archive: 'zip 7z rar tar gz tgz bz2 xz zst iso cab',
  drawing: 'dwg dxf step stp iges igs stl ifc rvt skp obj 3mf',
  code: 'json xml yaml yml html css js ts py java c cpp h rs go sql sh log',
  mail: 'eml msg mbox pst ics vcf',
  program: 'exe msi bat cmd com scr ps1 vbs jar apk app dmg deb rpm',
} as const;

type FileFamily = keyof typeof extensions | 'other';

const families = new Map(
  Object.entries(extensions).flatMap(([family, list]) =>
    list.split(' ').map((extension): [string, FileFamily] => [extension, family as FileFamily]),
  ),
);

export function fileFamily(name: string): FileFamily {
  return families.get(/[^.]\.([^.\s]+)$/.exec(name)?.[1]?.toLowerCase() ?? '') ?? 'other';
}
