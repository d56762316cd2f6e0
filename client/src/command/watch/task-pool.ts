/** Runs a bounded number of tasks at the same time. After a failure, it starts no more until the failure was taken. */
export class TaskPool {
  readonly #max: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;
  readonly #onFailure: (() => void) | undefined;

  constructor(max: number, onFailure?: () => void) {
    this.#max = max;
    this.#onFailure = onFailure;
  }

  /** Starts a task when there is room for it. Throws the failure of an earlier one. */
  async start(task: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#max) await Promise.race(this.#running);
    this.throwFailure();
    const running: Promise<void> = task()
      .catch((error: unknown) => {
        this.#failure ??= { error };
        this.#onFailure?.();
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for all tasks, so that nothing continues in the background. */
  async finish(): Promise<void> {
    await Promise.all(this.#running);
  }

  throwFailure(): void {
    const failure = this.#failure;
    this.discardFailure();
    if (failure) throw failure.error;
  }

  discardFailure(): void {
    this.#failure = undefined;
  }
}
