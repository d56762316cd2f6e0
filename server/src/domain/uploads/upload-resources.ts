import type { MemoryBudget } from '../flow/memory-budget.ts';
import type { LiveUploads } from './live-uploads.ts';

/** The resources of a process for receiving uploads. */
export interface UploadResources {
  readonly memory: MemoryBudget;
  readonly live: LiveUploads;
}
