import type { JSX } from 'preact';
import { oneLine } from '../plain.ts';

/**
 * A file's name on up to two lines. It is one text, so that it is copied and read out whole. Its folder, if it has one,
 * is on the line above.
 */
export function FileName({ path }: { path: string }): JSX.Element {
  const line = oneLine(path);
  const [folder, name] = splitPath(line);
  return (
    <span class="file-name" title={line}>
      {folder && <bdi class="file-folder">{folder}</bdi>}
      <bdi class="file-own-name">{name}</bdi>
    </span>
  );
}

/** Splits a path into the folder, ending with a slash if there is one, and the name. */
export function splitPath(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/') + 1;
  return [path.slice(0, at), path.slice(at)];
}

/** The extension of a name in capitals, which is all that a name tells of the type; empty if there is none. */
export function fileType(path: string): string {
  return /[^./]\.([\p{Letter}\d]{1,8})$/u.exec(oneLine(path))?.[1]?.toUpperCase() ?? '';
}
