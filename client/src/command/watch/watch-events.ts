import type { ErrorReport } from '../error-report.ts';
import { formatSize } from '../terminal/format.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Output } from '../terminal/terminal.ts';
import type { FailureNote, SendReceipt } from './archive.ts';

/** A file or folder that is not sent now, with advice. */
export interface Hindrance extends Pick<ErrorReport, 'message' | 'next'> {
  /** `ignored`: it stays where it is. `waiting`: it is tried again. */
  status: 'ignored' | 'waiting';
  path: string;
  code?: string;
}

const maxTold = 1_000;

/** Prints what a watch does: one JSON object per event, or a line on standard output or error. */
export class WatchEvents {
  readonly #output: Output;
  readonly #progress: Progress;
  readonly #told = new Set<string>();
  /** How many files have failed, and how many files and folders were ignored. */
  readonly counts = { failed: 0, ignored: 0 };

  constructor(output: Output, progress: Progress) {
    this.#output = output;
    this.#progress = progress;
  }

  async sent(path: string, receipt: SendReceipt): Promise<void> {
    this.#progress.clear();
    const { file, size, to, reference } = receipt;
    const text = `${file}  ${formatSize(size)}  to ${to.join(', ')} as ${reference}`;
    await this.#output.print(text, { ...receipt, path });
  }

  async failed(path: string, note: FailureNote): Promise<void> {
    this.counts.failed += 1;
    await this.#printProblem({ ...note, path }, `${note.file}: ${note.message}`);
  }

  /** Prints the same hindrance once, although every look finds it again. */
  async hindered(hindrance: Hindrance): Promise<void> {
    const { status, path, message } = hindrance;
    if (this.#told.has(path + message)) return;
    // Rather repeats a message than remembers all names.
    if (this.#told.size >= maxTold) this.#told.clear();
    this.#told.add(path + message);
    if (status === 'ignored') this.counts.ignored += 1;
    await this.#printProblem(hindrance, message);
  }

  async #printProblem(
    event: { path: string; code?: string; message: string; next: string },
    message: string,
  ): Promise<void> {
    this.#progress.clear();
    const { code = 'not_sent', next } = event;
    if (this.#output.isJson) await this.#output.print('', { ...event, code });
    else this.#output.printError({ code, message, next });
  }
}
