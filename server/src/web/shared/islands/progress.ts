import { type Entry, isStopped } from './upload-entry.ts';

export interface Total {
  readonly sentBytes: number;
  readonly sizeBytes: number;
  readonly bytesPerSecond: number | undefined;
}

/** The progress of all files that can be sent, together. Bytes that must be sent again after an interruption do not move it back. */
export class Progress {
  readonly #speed = new Speed();
  #furthest = 0;

  total(all: readonly Entry[]): Total {
    const entries = all.filter((entry) => !isStopped(entry));
    const sizeBytes = sum(entries, ({ sizeBytes: size }) => size);
    this.#furthest = Math.min(sizeBytes, Math.max(this.#furthest, countSentBytes(entries)));
    return { sentBytes: this.#furthest, sizeBytes, bytesPerSecond: this.#speed.bytesPerSecond };
  }

  note(at: number, entries: readonly Entry[]): void {
    this.#speed.note(at, countSentBytes(entries));
  }

  /** Recounts after files were removed from the list. */
  recount(): void {
    this.#furthest = 0;
    this.#speed.reset();
  }
}

const countSentBytes = (entries: readonly Entry[]) => sum(entries, (entry) => (isStopped(entry) ? 0 : entry.sentBytes));

function sum(entries: readonly Entry[], of: (entry: Entry) => number): number {
  return entries.reduce((total, entry) => total + of(entry), 0);
}

const windowMilliseconds = 6000;
const closest = 250;

/** The recent speed of the upload. */
class Speed {
  #samples: { at: number; sent: number }[] = [];

  get bytesPerSecond(): number | undefined {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || last.at - first.at < 1000) return undefined;
    return (Math.max(0, last.sent - first.sent) * 1000) / (last.at - first.at);
  }

  note(at: number, sent: number): void {
    const last = this.#samples.at(-1);
    if (last && at - last.at < closest) return;
    this.#samples = [...this.#samples, { at, sent }].filter((sample) => at - sample.at <= windowMilliseconds);
  }

  reset(): void {
    this.#samples = [];
  }
}
