/** The memory that all downloads of a process may use beyond what each of them needs to make progress at all. */
export class ReadAhead {
  #freeBytes: number;

  constructor(options: { bytes: number }) {
    this.#freeBytes = options.bytes;
  }

  tryTake(bytes: number): boolean {
    if (bytes > this.#freeBytes) return false;
    this.#freeBytes -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#freeBytes += bytes;
  }
}
