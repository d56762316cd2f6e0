import type { JSX } from 'preact';
import { oneLine } from '../plain.ts';

/**
 * A file's name on one line, without its middle if there is no room for all of it. It is one text, so that it is copied
 * and read out whole. Its folder, if it has one, is on the line above.
 */
export function FileName({ path }: { path: string }): JSX.Element {
  const line = oneLine(path);
  const folder = line.slice(0, line.lastIndexOf('/') + 1);
  const name = line.slice(folder.length);
  const [start, end] = splitName(name);
  return (
    <p class="file-name" title={line}>
      {folder && <bdi class="file-folder">{folder}</bdi>}
      <bdi>
        {start.length < shortest ? (
          name
        ) : (
          <>
            <span class={`name-start name-room-${measureWidth(end)}`}>{start}</span>
            {end}
          </>
        )}
      </bdi>
    </p>
  );
}

/** A name of this length fits everywhere and is not split. */
const shortest = 8;
/** A longer extension is treated like the end of any other name. */
const longestExtension = 8;
const kept = 3;

/**
 * Splits a name that is too long: the end has the extension and a few characters before it, so that `v2.pdf` can be
 * distinguished from `v3.pdf`, and a program from a picture.
 */
export function splitName(name: string): [start: string, end: string] {
  const characters = Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment);
  const dot = characters.lastIndexOf('.');
  const extension = dot > 0 && characters.length - dot <= longestExtension + 1 ? characters.length - dot : 0;
  let at = Math.max(0, characters.length - extension - kept);
  if (characters[at] === ' ') at += 1;
  return [characters.slice(0, at).join(''), characters.slice(at).join('')];
}

const narrow = /[.,:;'!|ijlftr1() -]/;
const ordinary = /[a-ln-vx-z0-9_]/;
const [leastRoom, mostRoom] = [2, 9] as const;

/** Estimates the width of an end in a wide font, in em. The stylesheet has a class for each value. */
export function measureWidth(end: string): number {
  const width = Array.from(end, (character) => (narrow.test(character) ? 0.4 : ordinary.test(character) ? 0.63 : 1));
  const sum = width.reduce((total, each) => total + each, 0);
  return Math.min(mostRoom, Math.max(leastRoom, Math.ceil(sum)));
}
