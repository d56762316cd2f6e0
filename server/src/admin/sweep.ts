import { setTimeout } from 'node:timers/promises';
import type { Engines } from '../domain/ports/index.ts';
import { type Swept, sweepAlone } from '../domain/sweep.ts';
import { type AddCommand, print } from './command.ts';

export const sweepCommand: AddCommand = (parent, withEngines) => {
  parent
    .command('sweep')
    .description('do now what workers do every minute: end what is due and delete its objects')
    .option('--json', 'answer as JSON')
    .action((options: { json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const since = performance.now();
        const swept = await sweepInTurn(engines);
        const tookMs = Math.round(performance.now() - since);
        print(options.json, { ...swept, took_ms: tookMs }, [
          `${swept.drops} drops ended, ${swept.drafts} drafts dropped, ${swept.forgotten} drops forgotten, ${swept.files} files and ${swept.objects} objects deleted.`,
        ]);
      }),
    );
};

/** A worker may be sweeping; what became due meanwhile is only done by a sweep that begins now. */
async function sweepInTurn(engines: Pick<Engines, 'store' | 'objects' | 'checkpoint' | 'policy'>): Promise<Swept> {
  for (;;) {
    const swept = await sweepAlone(engines);
    if (swept) return swept;
    await setTimeout(200);
  }
}
