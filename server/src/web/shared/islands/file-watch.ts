import type { DraftFile } from '../../../domain/uploads/upload-store.ts';

export interface FileWatchNeeds {
  /** Reads the files of the server; never fails, and returns undefined if there was no response. */
  readonly ask: () => Promise<readonly DraftFile[] | 'ended' | undefined>;
  readonly after: (milliseconds: number, then: () => void) => void;
  /** Whether anything is unknown. */
  readonly isWanted: () => boolean;
  /** Called before each request; the function it returns receives the files. */
  readonly listen: () => (files: readonly DraftFile[]) => void;
  readonly onEnded: () => void;
}

const usually = 1000;
/** The number of responses after which requests become less frequent. */
const patience = 60;
const patiently = 5000;
const longest = 30_000;

/** Asks the server for its files about once a second, one request at a time, as long as anything is unknown. */
export class FileWatch {
  readonly #needs: FileWatchNeeds;
  /** The wake-up that the next request belongs to; the request of an older one is not made. */
  #turn = 0;
  #asking = false;
  #planned = false;
  #failures = 0;
  #responses = 0;
  #ended = false;

  constructor(needs: FileWatchNeeds) {
    this.#needs = needs;
  }

  /** Plans a request soon, unless one is already planned. */
  wake(): void {
    this.#responses = 0;
    if (!this.#planned && !this.#asking) this.#plan(usually);
  }

  /** Makes the next request at once. */
  hurry(): void {
    this.#responses = 0;
    this.#failures = 0;
    if (!this.#asking) this.#plan(0);
  }

  end(): void {
    this.#ended = true;
  }

  #plan(milliseconds: number): void {
    const turn = ++this.#turn;
    this.#planned = true;
    this.#needs.after(milliseconds, () => {
      if (turn === this.#turn) void this.#ask();
    });
  }

  async #ask(): Promise<void> {
    this.#planned = false;
    if (this.#ended || !this.#needs.isWanted()) return;
    this.#asking = true;
    const take = this.#needs.listen();
    const files = await this.#needs.ask();
    this.#asking = false;
    if (this.#ended) return;
    if (files === 'ended') {
      this.#ended = true;
      this.#needs.onEnded();
      return;
    }
    if (files) take(files);
    this.#responses += 1;
    this.#failures = files ? 0 : this.#failures + 1;
    if (this.#needs.isWanted() && !this.#planned) this.#plan(this.#pause());
  }

  #pause(): number {
    if (this.#failures > 0) return Math.min(longest, usually * 2 ** this.#failures);
    return this.#responses < patience ? usually : patiently;
  }
}
