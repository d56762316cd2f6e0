import type { Sending } from './send-files.ts';
import type { Chosen } from './upload-entry.ts';
import type { UploadQueue } from './upload-queue.ts';

/** The state that the next visit needs in order to continue. */
export interface Remembered {
  /** The message; or all fields, if the page has more. */
  readonly written: string;
  /** Whether the person has pressed "Send". */
  readonly pressed: boolean;
  /** The content when "Send" was pressed. */
  readonly mark?: string | undefined;
  /** All chosen files, including those that the server does not know yet. */
  readonly files: readonly Chosen[];
}

export interface SendIntentNeeds {
  readonly queue: Pick<UploadQueue, 'entries' | 'ready' | 'settled' | 'recheck' | 'heard' | 'removeAll'>;
  /** Whether something can be sent without a file. */
  readonly mayBeEmpty?: boolean;
  /**
   * Describes whom it goes to, and what, as the page shows it; of a page on which that can change. "Send" is only valid
   * for what was shown when it was pressed.
   */
  readonly mark?: () => string;
  readonly send: (written: string) => Promise<Sending>;
  readonly remember: (remembered: Remembered | undefined) => void;
  readonly after: (milliseconds: number, then: () => void) => void;
}

const tryAgainAfter = 5000;

/**
 * "Send" may be pressed at any time: the files are sent as soon as everything has arrived and passed its check, on this
 * visit or a later one. If a file cannot be sent, nothing is sent without it until the person says so.
 */
export class SendIntent {
  onChange: () => void = () => {};
  onSent: () => void = () => {};
  onEnded: () => void = () => {};
  onFailed: () => void = () => {};
  /** Called when "Send" is no longer valid, because something has changed since. */
  onLapsed: () => void = () => {};
  readonly #needs: SendIntentNeeds;
  #written: string;
  #pressed: boolean;
  #mark: string | undefined;
  #sending = false;
  #resting = false;

  constructor(needs: SendIntentNeeds, remembered: Pick<Remembered, 'written' | 'pressed' | 'mark'>) {
    this.#needs = needs;
    this.#written = remembered.written;
    this.#pressed = remembered.pressed;
    this.#mark = remembered.mark;
  }

  get state(): 'none' | 'waiting' | 'sending' {
    if (this.#sending) return 'sending';
    return this.#pressed ? 'waiting' : 'none';
  }

  get written(): string {
    return this.#written;
  }

  /** The content when "Send" was pressed. */
  get mark(): string | undefined {
    return this.#pressed ? this.#mark : undefined;
  }

  /** Leaves out files that cannot be sent, which the page has shown by now. */
  press(): void {
    this.#needs.queue.removeAll('refused', 'failed');
    this.#mark = this.#needs.mark?.();
    this.#resting = false;
    this.#set(true);
    this.check();
  }

  cancel(): void {
    if (!this.#sending) this.#set(false);
  }

  write(written: string): void {
    this.#written = written;
    this.#lapse();
    this.remember();
    this.onChange();
  }

  /** Must be called when files were added or removed: the next visit will ask for all of them. */
  remember(): void {
    const { queue, remember, mayBeEmpty } = this.#needs;
    const files = queue.entries
      .filter(({ state }) => state !== 'refused')
      .map(({ name, path, sizeBytes, fingerprint }) => ({ name, path, sizeBytes, fingerprint }));
    if (files.length === 0 && !mayBeEmpty) this.#pressed = false;
    const nothing = files.length === 0 && this.#written === '';
    remember(nothing ? undefined : { written: this.#written, pressed: this.#pressed, files });
  }

  /** Sends if everything is ready. */
  check(): void {
    const { queue, mayBeEmpty } = this.#needs;
    this.#lapse();
    if (!this.#pressed || this.#sending || this.#resting || !(mayBeEmpty ? queue.settled : queue.ready)) return;
    if (queue.entries.every(({ state }) => state === 'ready')) void this.#send();
  }

  #lapse(): void {
    if (!this.#pressed || this.#sending || this.#needs.mark?.() === this.#mark) return;
    this.#set(false);
    this.onLapsed();
  }

  #set(pressed: boolean): void {
    this.#pressed = pressed;
    this.remember();
    this.onChange();
  }

  async #send(): Promise<void> {
    const { queue, send, remember, after } = this.#needs;
    this.#sending = true;
    this.onChange();
    const response = await send(this.#written);
    // While it is being sent: a change that the queue reports would send it again at once.
    queue.heard(response !== 'unreachable');
    this.#sending = false;
    if (response === 'sent' || response === 'ended') {
      remember(undefined);
      return response === 'sent' ? this.onSent() : this.onEnded();
    }
    if (response === 'failed') {
      this.#set(false);
      return this.onFailed();
    }
    // The server may still be removing a file that the person left out, and will not report its removal.
    if (response === 'not_ready') queue.recheck();
    this.#resting = true;
    after(tryAgainAfter, () => {
      this.#resting = false;
      this.check();
    });
    this.onChange();
  }
}
