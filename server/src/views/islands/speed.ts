const windowMilliseconds = 6000;
const closest = 250;

/** The recent speed of the upload. */
export class Speed {
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
