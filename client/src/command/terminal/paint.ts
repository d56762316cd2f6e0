import { styleText } from 'node:util';
import type { Environment, Screen } from './terminal.ts';

/** Only styles that are legible on light and dark backgrounds. */
export type Style = 'bold' | 'dim' | 'green' | 'red';

export type Paint = (style: Style | undefined, text: string) => string;

/**
 * Returns a function that colours text, if the output is a terminal that supports it and NO_COLOR is not set
 * (https://no-color.org).
 */
export function createPaint(output: Screen, environment: Environment): Paint {
  const isColoured = output.isTTY === true && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  return (style, text) =>
    isColoured && style !== undefined && text !== '' ? styleText(style, text, { validateStream: false }) : text;
}
