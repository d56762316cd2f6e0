import type { LiveUploads } from './live-uploads.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** What a process has of its own for taking uploads. */
export interface Intake {
  readonly memory: MemoryBudget;
  readonly live: LiveUploads;
}
