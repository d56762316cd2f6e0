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

export type FileFamily = keyof typeof extensions | 'other';

const families = new Map(
  Object.entries(extensions).flatMap(([family, list]) =>
    list.split(' ').map((extension): [string, FileFamily] => [extension, family as FileFamily]),
  ),
);

export function fileFamily(name: string): FileFamily {
  return families.get(/[^.]\.([^.\s]+)$/.exec(name)?.[1]?.toLowerCase() ?? '') ?? 'other';
}
