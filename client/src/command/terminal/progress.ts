import { stat } from 'node:fs/promises';
import { humanDuration, humanShare, humanSize, humanSpeed } from './format.ts';
import { printable } from './printable.ts';
import { type Terminal, widthOn } from './terminal.ts';
import { shortened, widthOf } from './text-width.ts';

const redrawMs = 100;
/** The speed is that of the last few seconds, so that it follows changes. */
const windowMs = 3_000;
const widestBar = 30;
const narrowestBar = 5;
const narrowestName = 8;

/** How far one file is. */
export interface Step {
  name: string;
  bytes: number;
  totalBytes: number | undefined;
}

/** All that is to be transferred. */
export interface Whole {
  files: number;
  totalBytes: number | undefined;
}

/** What files of these sizes are together. A size that is not known, such as that of standard input, makes the sum unknown. */
export function wholeOf(sizes: readonly (number | undefined)[]): Whole {
  const totalBytes = sizes.reduce<number | undefined>(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
  return { files: sizes.length, totalBytes };
}

/** The size of a file on this machine, if it is known. */
export async function sizeAt(path: string): Promise<number | undefined> {
  return await stat(path).then(
    (found) => (found.isFile() ? found.size : undefined),
    () => undefined, // the transfer itself reports the problem
  );
}

/** A line on a terminal that shows how far a transfer is; elsewhere, nothing. */
export class Progress {
  readonly #screen: Terminal['errors'] | undefined;
  readonly #now: () => number;
  #whole: Whole = { files: 1, totalBytes: undefined };
  /** How far each file is. They may be transferred in turn or at once, and begin again. */
  readonly #steps = new Map<string, Step>();
  #bytes = 0;
  #complete = 0;
  #samples: { at: number; bytes: number }[] = [];
  #drawnAt: number | undefined;

  constructor({ errors }: Pick<Terminal, 'errors'>, now: () => number = () => Date.now()) {
    this.#screen = errors.isTTY === true ? errors : undefined;
    this.#now = now;
  }

  /** Says what all the files are together, so that their sum is shown. Otherwise each file stands alone. */
  expect(whole: Whole): void {
    this.#whole = whole;
    this.#begin();
  }

  show(step: Step): void {
    if (this.#screen === undefined) return;
    const at = this.#now();
    if (this.#whole.files === 1 && !this.#steps.has(step.name)) this.#begin();
    const before = this.#steps.get(step.name);
    this.#steps.set(step.name, step);
    this.#bytes += step.bytes - (before?.bytes ?? 0);
    this.#complete += Number(isComplete(step)) - Number(before !== undefined && isComplete(before));
    const bytes = this.#bytes;
    if (bytes < (this.#samples.at(-1)?.bytes ?? 0)) this.#samples = [];
    this.#samples.push({ at, bytes });
    while (this.#samples.length > 2 && at - (this.#samples[0]?.at ?? at) > windowMs) this.#samples.shift();
    if (this.#drawnAt !== undefined && at - this.#drawnAt < redrawMs && !isComplete(step)) return;
    this.#drawnAt = at;
    this.#screen.write(`\r\u001b[2K${this.line(step, widthOn(this.#screen))}`);
  }

  /** Removes the line; what follows is written in its place. */
  clear(): void {
    if (this.#drawnAt === undefined) return;
    this.#drawnAt = undefined;
    this.#screen?.write('\r\u001b[2K');
  }

  line(step: Step, columns: number): string {
    const { files } = this.#whole;
    const bytes = files === 1 ? step.bytes : this.#bytes;
    const totalBytes = files === 1 ? step.totalBytes : this.#whole.totalBytes;
    const speed = this.#bytesPerSecond();
    const facts = [
      ...(files === 1 ? [] : [`${this.#complete}/${files} files`]),
      totalBytes === undefined ? humanSize(bytes) : humanShare(bytes, totalBytes),
      ...(speed > 0 ? [humanSpeed(speed)] : []),
      ...(speed > 0 && totalBytes !== undefined
        ? [`${humanDuration(Math.max(0, totalBytes - bytes) / speed)} left`]
        : []),
    ].join(', ');
    const share = totalBytes === undefined ? undefined : totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
    const percent = share === undefined ? '' : `${String(Math.floor(share * 100)).padStart(3)}%  `;
    const rest = columns - 1 - percent.length - facts.length;
    const name = shortened(printable(step.name), Math.max(narrowestName, Math.floor(rest / 2) - 2));
    const width = Math.min(widestBar, rest - widthOf(name) - 6);
    const bar =
      share === undefined || width < narrowestBar
        ? ''
        : `[${'#'.repeat(Math.round(share * width)).padEnd(width, '.')}]  `;
    const begin = rest < narrowestName + 2 ? '' : `${name}  `;
    return shortened(`${begin}${bar}${percent}${facts}`, columns - 1);
  }

  #begin(): void {
    this.#steps.clear();
    this.#bytes = 0;
    this.#complete = 0;
    this.#samples = [];
    this.#drawnAt = undefined;
  }

  #bytesPerSecond(): number {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.at === first.at) return 0;
    return ((last.bytes - first.bytes) / (last.at - first.at)) * 1000;
  }
}

function isComplete({ bytes, totalBytes }: Step): boolean {
  return bytes === totalBytes;
}
