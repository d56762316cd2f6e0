import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { ConcurrencyLimiter } from '../../domain/flow/concurrency-limiter.ts';
import type {
  PrintableReceipt,
  ReceiptAttachment,
  ReceiptPages,
  ReceiptPrinter,
} from '../../domain/ports/receipt-printer.ts';
import type { PrintResult, PrintTask } from './receipt-worker.ts';

/** A thread that has nothing to print is ended: most processes print few receipts, and the fonts take memory. */
const idleMs = 60_000;
/** The largest receipts need less; one that needs more fails alone. */
const maxHeapMb = 512;

/** Prints receipts whose pages `write` writes in a language. */
export function createReceiptPrinter(
  write: (languages: readonly string[], receipt: PrintableReceipt) => ReceiptPages,
): ReceiptPrinter {
  const thread = new PrintThread();
  return {
    limiter: new ConcurrencyLimiter({ limit: 2, silenceMs: 30_000, waitMs: 30_000, maxWaiting: 100 }),
    print: (languages, receipt, attachments) => thread.print(write(languages, receipt), attachments),
  };
}

interface Waiting {
  readonly resolve: (pdf: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

/** Prints in a thread of its own, because setting a page takes longer than other requests should wait. */
class PrintThread {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  print(pages: ReceiptPages, attachments: readonly ReceiptAttachment[]): Promise<Buffer> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, pages, attachments } satisfies PrintTask, []);
    });
  }

  #start(): Worker {
    const worker = new Worker(findScript(), { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
    worker.on('message', (result: PrintResult) => {
      const waiting = this.#waiting.get(result.id);
      this.#waiting.delete(result.id);
      if ('pdf' in result) waiting?.resolve(toBuffer(result.pdf));
      else waiting?.reject(result.error);
      if (this.#waiting.size === 0) this.#rest(worker);
    });
    // The next receipt is printed by another thread.
    worker.on('error', (error) => this.#end(worker, error));
    worker.on('exit', () => this.#end(worker, new Error('the thread that prints receipts has ended')));
    return worker;
  }

  #rest(worker: Worker): void {
    worker.unref();
    this.#idle = setTimeout(() => void worker.terminate(), idleMs).unref();
  }

  #end(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    clearTimeout(this.#idle);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** The bytes come as an array without the functions of a Buffer. */
function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** In the bundle, the script is beside the program. */
function findScript(): URL {
  const source = new URL('./receipt-worker.ts', import.meta.url);
  return existsSync(source) ? source : new URL('../../receipt-worker.js', import.meta.url);
}
