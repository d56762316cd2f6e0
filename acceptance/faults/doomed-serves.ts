import { type OwnServe, ownServe } from '../lib/own-serve.ts';

/** How many are started before they are needed. Starting takes about as long as a round, and there are several lanes. */
const startedAhead = 4;

/** Seconds, so that a dead process's uploads can soon be swept; not fewer, for a busy machine must be able to renew it. */
export const leaseSeconds = 5;

/**
 * `serve` processes that will kill themselves at a checkpoint, one a round, in the order the rounds will ask for them.
 * The next ones start while the current ones run, for starting a process is most of what a round takes.
 */
export class DoomedServes {
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
      // Left over by a test that failed before its last round.
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
    serve.catch(() => undefined); // whoever takes it sees the failure
    this.#started.push({ checkpoint, serve });
  }
}
