import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

const maxFolders = 100;

/**
 * Ends a wait early when something happens in the watched folders. It is only a hint: network file systems have no events,
 * and others lose some. The folder is looked at regularly in any case.
 */
export class FolderHints implements Disposable {
  readonly #root: string;
  readonly #watchers = new Map<string, FSWatcher>();
  #wake: (() => void) | undefined;
  #isPending = false;

  constructor(root: string) {
    this.#root = root;
  }

  add(folder: string): void {
    if (this.#watchers.has(folder) || this.#watchers.size >= maxFolders) return;
    try {
      const watcher = watch(join(this.#root, folder), { persistent: false }, () => this.wake());
      watcher.on('error', () => this.#remove(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      // Without events, the folder is found by looking at it.
    }
  }

  /** Ends the current wait, or the next one. */
  wake(): void {
    this.#isPending = true;
    this.#wake?.();
  }

  /** Waits for an event, up to a time. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isPending) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = resolve;
      const stop = () => resolve();
      signal.addEventListener('abort', stop);
      await promise;
      signal.removeEventListener('abort', stop);
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#isPending = false;
    signal.throwIfAborted();
  }

  #remove(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  [Symbol.dispose](): void {
    for (const folder of this.#watchers.keys()) this.#remove(folder);
  }
}
