import { setTimeout } from 'node:timers/promises';
import type { UndeletedObject } from '../domain/files/file-store.ts';
import { listUndeletedObjects } from '../domain/files/sweep-files.ts';
import { type Swept, sweepAlone } from '../domain/sweep.ts';
import { type AddCommand, type AdminEngines, addExamples, print, printPages } from './command.ts';

const objectsPerPage = 500;

export const sweepCommand: AddCommand = (parent, withEngines) => {
  const sweep = parent
    .command('sweep')
    .description('do now what workers do every minute: end what is past its deadline and delete its objects')
    .option('--undeleted', 'delete nothing: list the objects that the store did not delete, one JSON array with --json')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean; undeleted?: boolean }) =>
      withEngines(async (engines) => {
        if (options.undeleted) return await listUndeleted(engines, options.json);
        const since = performance.now();
        const swept = await sweepExclusively(engines);
        const tookMs = Math.round(performance.now() - since);
        print(options.json, { ...swept, took_ms: tookMs }, [
          `${swept.drops} drops ended, ${swept.drafts} drafts discarded, ${swept.purged} drops removed from the history, ${swept.files} files and ${swept.objects} objects deleted.`,
        ]);
      }),
    );
  addExamples(sweep, 'waybilld admin sweep', 'waybilld admin sweep --json', 'waybilld admin sweep --undeleted');
};

async function listUndeleted(engines: AdminEngines, json: boolean | undefined): Promise<void> {
  await printPages(
    json,
    (after?: UndeletedObject) => listUndeletedObjects(engines, after?.key, objectsPerPage),
    ({ key, attempts, firstFailedAt }) => ({ object: key, attempts, first_failed_at: firstFailedAt }),
    ({ object, attempts, first_failed_at: since }) => `${object}  ${attempts} attempts since ${since.toISOString()}`,
    'The object store has deleted everything that was to be deleted.',
  );
}

/** Waits for a worker that is sweeping, because only a sweep that begins now finds everything that is due. */
async function sweepExclusively(engines: Parameters<typeof sweepAlone>[0]): Promise<Swept> {
  for (;;) {
    const swept = await sweepAlone(engines);
    if (swept) return swept;
    await setTimeout(200);
  }
}
