import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { DigestCheck } from './declared-digests.ts';
import { Inspection } from './inspection.ts';
import type { CompleteUpload, Upload } from './upload-store.ts';

export type ArrivingNeeds = Pick<Engines, 'scanner' | 'policy'>;

/**
 * Checks a file that comes in one request as its bytes pass, so that it need not be read back. It can only find that
 * the file passes. Whatever else it finds, the check of the stored bytes decides, and tells the sender.
 */
export class ArrivingCheck {
  readonly #inspection: Inspection;
  readonly #digests: DigestCheck;
  #isOpen = true;

  constructor(engines: ArrivingNeeds, { declared }: Pick<Upload, 'declared'>) {
    this.#inspection = new Inspection(engines);
    this.#digests = new DigestCheck(declared);
  }

  async update(bytes: Buffer): Promise<void> {
    if (!this.#isOpen) return;
    this.#digests.update(bytes);
    await this.#unlessRefused(() => this.#inspection.update(bytes));
  }

  /** Once, when all bytes have arrived. */
  async passed(): Promise<Pick<CompleteUpload, 'sha256' | 'crc32' | 'scan'> | undefined> {
    if (!this.#isOpen) return undefined;
    const scan = await this.#unlessRefused(() => this.#inspection.verdict());
    if (scan === undefined) return undefined;
    const checksums = this.#inspection.checksums();
    return this.#digests.isPassed(checksums.sha256) ? { ...checksums, scan } : undefined;
  }

  /** Must be called however the upload ended. */
  abandon(): void {
    this.#isOpen = false;
    this.#inspection.abandon();
  }

  async #unlessRefused<T>(inspect: () => Promise<T>): Promise<T | undefined> {
    try {
      return await inspect();
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      this.abandon();
      return undefined;
    }
  }
}
