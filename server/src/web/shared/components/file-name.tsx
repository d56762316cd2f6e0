import type { JSX } from 'preact';
import { splitPath } from '../../../present/texts/file-order.ts';
import { oneLine } from '../../../present/texts/plain.ts';

/**
 * A file's name on up to two lines. On a small screen, the middle of a long name is hidden, because names often differ only
 * in their ends; it stays part of the text, so that the name is copied and read out whole. Its folder, if it has one, is on
 * the line above.
 */
export function FileName({ path }: { path: string }): JSX.Element {
  const line = oneLine(path);
  const [folder, name] = splitPath(line);
  const [start, middle, end] = splitLongName(name);
  return (
    <span class="file-name" title={line}>
      {folder && <bdi class="file-folder">{folder}</bdi>}
      <bdi class="file-own-name">
        {start}
        {middle && <span class="file-name-middle">{middle}</span>}
        {end}
      </bdi>
    </span>
  );
}

/**
 * The characters that fit on two lines of a phone, and those at the start and the end of a longer name that are shown: so
 * few that it takes two lines beside two buttons, too, and the row stays as high when one of them goes.
 */
const shortName = { longest: 48, start: 20, end: 16 };

/** Splits a name that is too long for a phone into start, middle and end; of any other, only the start is not empty. */
export function splitLongName(name: string): [start: string, middle: string, end: string] {
  const characters = Array.from(name);
  if (characters.length <= shortName.longest) return [name, '', ''];
  const parts = [
    characters.slice(0, shortName.start),
    characters.slice(shortName.start, -shortName.end),
    characters.slice(-shortName.end),
  ];
  return parts.map((part) => part.join('')) as [string, string, string];
}

/** The extension of a name in capitals, which is all that a name tells of the type; empty if there is none. */
export function fileType(path: string): string {
  return /[^./]\.([\p{Letter}\d]{1,8})$/u.exec(oneLine(path))?.[1]?.toUpperCase() ?? '';
}
