import { stat } from 'node:fs/promises';
import { formatDuration, formatShare, formatSize, formatSpeed } from './format.ts';
import { toPrintable } from './printable.ts';
import { drawTemporaryLine, eraseTemporaryLine } from './temporary-line.ts';
import { screenWidth, type Terminal } from './terminal.ts';
import { shorten, textWidth } from './text-width.ts';

const redrawMs = 100;
/** The speed is measured over the last few seconds. */
const windowMs = 3_000;
const maxBarWidth = 30;
const minBarWidth = 5;
const minNameWidth = 8;

/** The progress of one file. */
export interface FileProgress {
  name: string;
  bytes: number;
  totalBytes: number | undefined;
  /** The current step, if it is not the transfer. */
  activity?: string;
}

/** All files to be transferred. */
export interface Total {
  files: number;
  totalBytes: number | undefined;
}

/** Sums up sizes. An unknown size, such as that of standard input, makes the sum unknown. */
export function toTotal(sizes: readonly (number | undefined)[]): Total {
  const totalBytes = sizes.reduce<number | undefined>(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
  return { files: sizes.length, totalBytes };
}

/** Returns the size of a local file, if it is known. */
export async function findFileSize(path: string): Promise<number | undefined> {
  return await stat(path).then(
    (found) => (found.isFile() ? found.size : undefined),
    () => undefined, // the transfer itself reports the problem
  );
}

/** Shows the progress of a transfer in a line of a terminal; prints nothing elsewhere. */
export class Progress {
  readonly #screen: Terminal['errors'] | undefined;
  readonly #now: () => number;
  #total: Total = { files: 1, totalBytes: undefined };
  /** The progress of each file. Files may be transferred sequentially or concurrently, and may restart. */
  readonly #steps = new Map<string, FileProgress>();
  #bytes = 0;
  #complete = 0;
  #samples: { at: number; bytes: number }[] = [];
  #drawnAt: number | undefined;

  constructor({ errors }: Pick<Terminal, 'errors'>, now: () => number = () => Date.now()) {
    this.#screen = errors.isTTY === true ? errors : undefined;
    this.#now = now;
  }

  /** Sets the total of all files, so that the progress of their sum is shown. */
  setTotal(total: Total): void {
    this.#total = total;
    this.#reset();
  }

  show(step: FileProgress): void {
    if (this.#screen === undefined) return;
    const at = this.#now();
    if (this.#total.files === 1 && !this.#steps.has(step.name)) this.#reset();
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
    drawTemporaryLine(this.#screen, this.line(step, screenWidth(this.#screen)));
  }

  /** Removes the line, so that other output can take its place. */
  clear(): void {
    this.#drawnAt = undefined;
    if (this.#screen) eraseTemporaryLine(this.#screen);
  }

  line(step: FileProgress, columns: number): string {
    const { files } = this.#total;
    const bytes = files === 1 ? step.bytes : this.#bytes;
    const totalBytes = files === 1 ? step.totalBytes : this.#total.totalBytes;
    const speed = step.activity === undefined ? this.#bytesPerSecond() : 0;
    const facts = [
      ...(files === 1 ? [] : [`${this.#complete}/${files} files`]),
      totalBytes === undefined ? formatSize(bytes) : formatShare(bytes, totalBytes),
      ...(speed > 0 ? [formatSpeed(speed)] : []),
      ...(speed > 0 && totalBytes !== undefined
        ? [`${formatDuration(Math.max(0, totalBytes - bytes) / speed)} left`]
        : []),
      ...(step.activity === undefined ? [] : [step.activity]),
    ].join(', ');
    const share = totalBytes === undefined ? undefined : totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
    const percent = share === undefined ? '' : `${String(Math.floor(share * 100)).padStart(3)}%  `;
    const rest = columns - 1 - percent.length - facts.length;
    const name = shorten(toPrintable(step.name), Math.max(minNameWidth, Math.floor(rest / 2) - 2));
    const width = Math.min(maxBarWidth, rest - textWidth(name) - 6);
    const bar =
      share === undefined || width < minBarWidth
        ? ''
        : `[${'#'.repeat(Math.round(share * width)).padEnd(width, '.')}]  `;
    const begin = rest < minNameWidth + 2 ? '' : `${name}  `;
    return shorten(`${begin}${bar}${percent}${facts}`, columns - 1);
  }

  #reset(): void {
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

function isComplete({ bytes, totalBytes }: FileProgress): boolean {
  return bytes === totalBytes;
}
