import type { LiveUploads } from './live-uploads.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** What a process has for receiving uploads. */
export interface Intake {
  readonly memory: MemoryBudget;
  readonly live: LiveUploads;
}
