import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { dropDatabasesOfRun } from './database.ts';
import { removeBucketOfRun } from './object-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Part of every name a run gives to something in an engine. */
    runId: string;
  }
}

/**
 * A run makes its template database and its bucket when the first test asks for them, so that tests without engines
 * run without engines; here they are taken away again.
 */
export default function setup(project: TestProject): () => Promise<void> {
  const runId = randomBytes(4).toString('hex');
  project.provide('runId', runId);
  return async () => {
    await dropDatabasesOfRun(runId).catch(unlessAway);
    await removeBucketOfRun(runId).catch(unlessAway);
  };
}

/** An engine that is away holds nothing of ours; the tests that needed it have said so. */
function unlessAway(error: unknown): void {
  if (!JSON.stringify([(error as Error).message, (error as { code?: string }).code]).includes('ECONNREFUSED'))
    throw error;
}
