import { ExchangeError } from '../exchange-error.ts';

/** What a process keeps of it while nobody uploads. */
const keptWhenIdle = 1;

/**
 * The memory of all transfers of a process: a fixed number of chunk buffers, made when first needed and used again.
 * Who finds none waits in line, and is told to come back later when none becomes free in time.
 */
export class BufferPool {
  readonly #bufferBytes: number;
  readonly #waitMs: number;
  readonly #free: Buffer[] = [];
  readonly #waiting: ((buffer: Buffer) => void)[] = [];
  #unmade: number;

  constructor(options: { bufferBytes: number; buffers: number; waitMs: number }) {
    this.#bufferBytes = options.bufferBytes;
    this.#unmade = options.buffers;
    this.#waitMs = options.waitMs;
  }

  acquire(): Promise<Buffer> {
    const free = this.#free.pop();
    if (free) return Promise.resolve(free);
    if (this.#unmade > 0) {
      this.#unmade -= 1;
      return Promise.resolve(Buffer.allocUnsafeSlow(this.#bufferBytes));
    }
    return new Promise((resolve, reject) => {
      const give = (buffer: Buffer) => {
        clearTimeout(timer);
        resolve(buffer);
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1);
        reject(new ExchangeError('unavailable', 'The server takes as many uploads as it can. Try again shortly.'));
      }, this.#waitMs);
      this.#waiting.push(give);
    });
  }

  release(buffer: Buffer): void {
    const next = this.#waiting.shift();
    if (next) next(buffer);
    else if (this.#free.length < keptWhenIdle) this.#free.push(buffer);
    else this.#unmade += 1; // left to the collector: something may still be on its way out of it
  }
}
