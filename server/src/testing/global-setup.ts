import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { dropDatabasesOfRun } from './database.ts';
import { removeBucketOfRun } from './object-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Part of every name that a run gives to something in an engine. */
    runId: string;
  }
}

/**
 * A run creates its template database and its bucket when the first test asks for them, so that tests without engines
 * run without engines; they are removed here.
 */
export default function setup(project: TestProject): () => Promise<void> {
  const runId = randomBytes(4).toString('hex');
  project.provide('runId', runId);
  return async () => {
    await dropDatabasesOfRun(runId).catch(unlessAway);
    await removeBucketOfRun(runId).catch(unlessAway);
  };
}

/** An unavailable engine holds nothing of ours; the tests that needed it have reported that. */
function unlessAway(error: unknown): void {
  if (!JSON.stringify([(error as Error).message, (error as { code?: string }).code]).includes('ECONNREFUSED'))
    throw error;
}
