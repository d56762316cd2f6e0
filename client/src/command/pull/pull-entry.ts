import type { InboxEntryDetails } from '../../generated/wire.ts';
import type { WorkEntry } from '../../work/work-entry.ts';
import { toTotal } from '../terminal/progress.ts';
import { finishOrReport, type PullContext } from './finish-file.ts';

/** Some files of an entry could not be completed; why was reported for each. */
export class IncompleteEntryError extends Error {
  readonly left: number;

  constructor(left: number) {
    super(`${left} files could not be completed.`);
    this.left = left;
  }
}

const dayMs = 24 * 3600 * 1000;

/** Stores the files of entries and runs their hooks. */
export class EntryPuller {
  /** The files that were received. */
  received = 0;
  readonly #context: PullContext;
  #attempt = '';
  /** The files of the attempt that have failed. They are tried again only with the next one. */
  #failed = new Set<number>();

  constructor(context: PullContext) {
    this.#context = context;
  }

  /** Downloads the missing files of an entry, and runs their hooks. */
  async pull(entry: WorkEntry): Promise<void> {
    const { journal, progress } = this.#context;
    const attempt = `${entry.id} ${entry.attempts}`;
    if (attempt !== this.#attempt) this.#failed = new Set();
    this.#attempt = attempt;
    this.#recordFiles(entry);
    const journalled = new Map(journal.listFiles(entry.id).map((noted) => [noted.name, noted]));
    const unfinished = entry.files.flatMap((file) => {
      const noted = journalled.get(file.path);
      const isOver = !noted || noted.state === 'done' || noted.state === 'gone' || this.#failed.has(noted.id);
      return isOver ? [] : [{ file, noted }];
    });
    const missing = unfinished.filter(({ noted }) => noted.state === 'wanted');
    progress.setTotal(toTotal(missing.map(({ file }) => file.size)));
    const context = { ...this.#context, signal: entry.signal };
    for (const { file, noted } of unfinished) {
      if (await finishOrReport(context, noted, { ...file, entry: entry.id }, entry.attempts)) this.received += 1;
      else this.#failed.add(noted.id);
    }
    if (this.#failed.size > 0) throw new IncompleteEntryError(this.#failed.size);
  }

  #recordFiles({ id: url, sender, received_at: received, files }: InboxEntryDetails): void {
    const { journal } = this.#context;
    const created = Math.floor(Date.parse(received) / 1000);
    journal.transaction(() => {
      for (const { path: name } of files) journal.recordFile({ url, name, sender, created }, currentDay());
    });
  }
}

export function currentDay(): number {
  return Math.floor(Date.now() / dayMs);
}
