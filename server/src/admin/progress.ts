const onTerminalMs = 200;
const elsewhereMs = 30_000;
const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/**
 * Says on standard error how far long work is: one line that is redrawn on a terminal, and a new line every half minute
 * elsewhere, such as in a log.
 */
export class Progress {
  readonly #screen = process.stderr;
  #shownAt = performance.now();

  show(text: () => string): void {
    const now = performance.now();
    if (now - this.#shownAt < (this.#screen.isTTY ? onTerminalMs : elsewhereMs)) return;
    this.#shownAt = now;
    this.#screen.write(this.#screen.isTTY ? `\r\u001B[2K${text()}` : `${text()}\n`);
  }

  /** Removes the line; what follows is written in its place. */
  clear(): void {
    if (this.#screen.isTTY) this.#screen.write('\r\u001B[2K');
  }
}

export function size(bytes: number): string {
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const value = bytes / 1024 ** unit;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
