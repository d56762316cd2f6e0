import { styleText } from 'node:util';
import type { Environment, Screen } from './terminal.ts';

/** Few, and only such as can be read on light and on dark backgrounds. */
export type Style = 'bold' | 'dim' | 'green' | 'red';

export type Paint = (style: Style | undefined, text: string) => string;

/** Colours for an output, if it is a terminal that shows them and nobody objects (https://no-color.org). */
export function createPaint(output: Screen, environment: Environment): Paint {
  const isColoured = output.isTTY === true && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  return (style, text) =>
    isColoured && style !== undefined && text !== '' ? styleText(style, text, { validateStream: false }) : text;
}
