import type { ApiClient } from '../http/api-client.ts';
import type { Events } from '../resources/events.ts';
import type { Inbox } from '../resources/inbox.ts';
import type { Runtime } from '../runtime.ts';
import { jitterMs } from './inbox-watcher.ts';
import type { WorkHandler, WorkOptions, WorkProblem } from './work-options.ts';

/** How long requests that settle entries may take after the work was stopped. */
const graceMs = 2_000;

/** The parts of the client that the work needs. */
export interface WorkNeeds {
  api: ApiClient;
  inbox: Inbox;
  events: Events;
}

/** The work on an inbox, from its start to its end. */
export class WorkContext {
  readonly needs: WorkNeeds;
  readonly handler: WorkHandler;
  readonly options: WorkOptions & { concurrency: number; pollSeconds: number };
  readonly #stop = new AbortController();
  readonly #leave = new AbortController();
  readonly #ended = new AbortController();
  #fatal: { error: unknown } | undefined;

  constructor(needs: WorkNeeds, handler: WorkHandler, options: WorkContext['options']) {
    this.needs = needs;
    this.handler = handler;
    this.options = options;
  }

  get runtime(): Runtime {
    return this.needs.api.runtime;
  }

  /** Ends the handlers, and all waits. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends the requests that claim entries or give them back, a moment after everything else. */
  get leave(): AbortSignal {
    return this.#leave.signal;
  }

  /**
   * Returns a signal that ends the requests that settle an entry: a moment after the stop, but no sooner than a moment
   * from now, because a handler may go on after the stop.
   */
  beginToSettle(): AbortSignal {
    if (!this.stop.aborted) return this.leave;
    const late = new AbortController();
    this.#abortAfterGrace(late);
    return late.signal;
  }

  /** Does the work until its signal is aborted, or it has failed. */
  async run(work: () => Promise<void>): Promise<void> {
    const { signal } = this.options;
    const end = () => this.#end();
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    try {
      await work();
    } finally {
      signal?.removeEventListener('abort', end);
      this.#ended.abort();
    }
    if (this.#fatal) throw this.#fatal.error;
  }

  /** Ends the work with an error. The first one is the one to report. */
  fail(error: unknown): void {
    this.#fatal ??= { error };
    this.#end();
  }

  report(problem: WorkProblem): void {
    this.options.onError?.(problem);
  }

  async pause(signal: AbortSignal): Promise<void> {
    await this.runtime.sleep(jitterMs(this.runtime, this.options.pollSeconds), signal);
  }

  #end(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    this.#abortAfterGrace(this.#leave);
  }

  #abortAfterGrace(controller: AbortController): void {
    this.runtime.sleep(graceMs, this.#ended.signal).then(
      () => controller.abort(),
      () => undefined,
    );
  }
}
