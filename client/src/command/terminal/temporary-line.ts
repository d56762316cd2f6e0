import type { Screen } from './terminal.ts';

const eraseLine = '\r\u001b[2K';

/** The screens whose last line is temporary. Several parts of a command draw it, and each of them replaces it. */
const drawn = new WeakSet<Screen>();

/** Writes a line that stays until something else is written. It must fit the width of the screen. */
export function drawTemporaryLine(screen: Screen, line: string): void {
  drawn.add(screen);
  screen.write(`${eraseLine}${line}`);
}

/** Removes the temporary line, if there is one, so that other output can take its place. */
export function eraseTemporaryLine(screen: Screen): void {
  if (drawn.delete(screen)) screen.write(eraseLine);
}
