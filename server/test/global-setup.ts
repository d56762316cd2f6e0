import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { findObstacle } from '../../tools/test/find-obstacle.ts';
import type { TestKind } from '../../tools/test/require-kind.ts';
import { createTemplate, dropDatabasesOfRun } from './database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Part of every name that a run gives to something in an engine. */
    runId: string;
  }
}

/** Prepares the template of the databases before the first test, and removes everything of a run after the last. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const kind = project.name as TestKind;
  const obstacle = await findObstacle(kind);
  if (obstacle)
    throw new Error(`Tests of the kind "${kind}" cannot run: ${obstacle.says}. What helps: ${obstacle.remedy}.`);
  const runId = randomBytes(4).toString('hex');
  project.provide('runId', runId);
  await createTemplate(runId);
  // In watch mode, a migration may have changed.
  project.onTestsRerun(() => createTemplate(runId));
  return async () => {
    await dropDatabasesOfRun(runId);
    if (kind === 'engines') await (await import('./object-store.ts')).removeBucketOfRun(runId);
  };
}
