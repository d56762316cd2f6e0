import { EventLoopTurns } from './event-loop-turns.ts';
import { ReadAheadMemory } from './read-ahead-memory.ts';

/** The limits that all downloads of a process share. */
export interface DownloadLimits {
  readonly memory: ReadAheadMemory;
  readonly turns: EventLoopTurns;
}

export function createDownloadLimits(memoryBytes: number): DownloadLimits {
  return { memory: new ReadAheadMemory(memoryBytes), turns: new EventLoopTurns() };
}
