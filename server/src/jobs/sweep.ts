import type { Engines } from '../domain/ports.ts';
import { sweep } from '../domain/sweep.ts';

export const sweepTask = {
  name: 'sweep',
  run: async (engines: Engines, signal: AbortSignal): Promise<void> => {
    await sweep(engines, signal);
  },
};
