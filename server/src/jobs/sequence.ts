import { Sequencer, type SequencerEngines } from '../domain/evidence/sequencer.ts';
import { type Reports, repeat } from '../domain/flow/repeat.ts';

/** A batch begins this long after the one before, or at once if that was not enough. */
const everyMs = 1_000;

/** Appends what happened to the evidence log once a second. Every worker tries to; one of them does. */
export function startSequencing(
  engines: SequencerEngines,
  reports: Reports,
): { hasTurn(): boolean; stop(): Promise<void> } {
  const sequencer = new Sequencer(engines);
  const repeated = repeat(
    async (signal) => {
      while (!signal.aborted && (await sequencer.step(signal)));
    },
    { everyMs: (tookMs) => Math.max(0, everyMs - tookMs), ...reports },
  );
  return {
    hasTurn: () => sequencer.hasTurn,
    async stop() {
      await repeated.stop();
      await sequencer.stop();
    },
  };
}
