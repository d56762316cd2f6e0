import { humanDuration, humanSize } from './sizes.ts';
import { printable, type Terminal } from './terminal.ts';

const redrawMs = 100;
/** The speed is that of the last few seconds, so that it follows changes. */
const windowMs = 3_000;

export interface Step {
  name: string;
  bytes: number;
  totalBytes: number | undefined;
}

/** A line on a terminal that shows how far a transfer is; elsewhere, nothing. */
export class Progress {
  readonly #screen: Terminal['errors'] | undefined;
  readonly #now: () => number;
  #name: string | undefined;
  #samples: { at: number; bytes: number }[] = [];
  #drawnAt = 0;

  constructor({ errors }: Terminal, now: () => number = () => Date.now()) {
    this.#screen = errors.isTTY === true ? errors : undefined;
    this.#now = now;
  }

  show(step: Step): void {
    if (this.#screen === undefined) return;
    const at = this.#now();
    if (step.name !== this.#name || step.bytes < (this.#samples.at(-1)?.bytes ?? 0)) {
      this.#samples = [];
      this.#name = step.name;
      this.#drawnAt = 0;
    }
    this.#samples.push({ at, bytes: step.bytes });
    while (this.#samples.length > 2 && at - (this.#samples[0]?.at ?? at) > windowMs) this.#samples.shift();
    if (at - this.#drawnAt < redrawMs && step.bytes !== step.totalBytes) return;
    this.#drawnAt = at;
    this.#screen.write(`\r\u001b[2K${this.line(step, this.#screen.columns ?? 80)}`);
  }

  /** Removes the line; what follows is written in its place. */
  clear(): void {
    if (this.#name === undefined) return;
    this.#name = undefined;
    this.#screen?.write('\r\u001b[2K');
  }

  line({ name, bytes, totalBytes }: Step, columns: number): string {
    const speed = this.#bytesPerSecond();
    const facts = [
      totalBytes === undefined ? humanSize(bytes) : `${humanSize(bytes)} of ${humanSize(totalBytes)}`,
      ...(speed > 0 ? [`${humanSize(speed)}/s`] : []),
      ...(speed > 0 && totalBytes !== undefined ? [`${humanDuration((totalBytes - bytes) / speed)} left`] : []),
    ].join('  ');
    const share = totalBytes === undefined ? undefined : totalBytes === 0 ? 1 : bytes / totalBytes;
    const percent = share === undefined ? '' : `${String(Math.floor(share * 100)).padStart(3)}%  `;
    const rest = columns - 1 - percent.length - facts.length;
    const shownName = shortened(printable(name), Math.max(8, Math.floor(rest / 2) - 2));
    const width = Math.min(30, rest - shownName.length - 6);
    const bar =
      share === undefined || width < 5 ? '' : `[${'#'.repeat(Math.round(share * width)).padEnd(width, '.')}]  `;
    return `${shownName}  ${bar}${percent}${facts}`.slice(0, columns - 1);
  }

  #bytesPerSecond(): number {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.at === first.at) return 0;
    return ((last.bytes - first.bytes) / (last.at - first.at)) * 1000;
  }
}

function shortened(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
