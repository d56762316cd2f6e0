import { type OwnServe, ownServe } from './own-serve.ts';

/** How many are started in advance. Starting takes about as long as a round, and there are several lanes. */
const startedAhead = 4;

/**
 * Seconds, so that a dead process's uploads can soon be swept; not fewer, because a busy machine must be able to renew
 * it.
 */
export const leaseSeconds = 5;

/**
 * `serve` processes that will kill themselves at a checkpoint, one per round, in the order in which the rounds need
 * them. The next ones start while the current ones run, because a round consists mostly of starting a process.
 */
export class CrashingServes {
  readonly #planned: string[];
  readonly #started: { checkpoint: string; serve: Promise<OwnServe> }[] = [];

  constructor(checkpoints: string[]) {
    this.#planned = [...checkpoints];
  }

  async take(checkpoint: string): Promise<OwnServe> {
    for (;;) {
      while (this.#started.length <= startedAhead && this.#planned.length > 0) this.#startNext();
      const next = this.#started.shift();
      if (!next) throw new Error(`no further round at ${checkpoint} was planned`);
      if (next.checkpoint === checkpoint) return await next.serve;
      // Left over from a test that failed before its last round.
      await next.serve.then((serve) => serve.stop());
    }
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#started.map(async ({ serve }) => await (await serve).stop()));
  }

  #startNext(): void {
    const checkpoint = this.#planned.shift() ?? '';
    const serve = ownServe({
      WAYBILL_FAILPOINT: checkpoint,
      WAYBILL_UPLOAD_LEASE_SECONDS: String(leaseSeconds),
    });
    serve.catch(() => undefined); // the caller that takes it gets the failure
    this.#started.push({ checkpoint, serve });
  }
}
