import { setTimeout } from 'node:timers/promises';
import { type Swept, sweepAlone } from '../domain/sweep.ts';
import { type AddCommand, examples, print } from './command.ts';

export const sweepCommand: AddCommand = (parent, withEngines) => {
  const sweep = parent
    .command('sweep')
    .description('do now what workers do every minute: end what is past its deadline and delete its objects')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const since = performance.now();
        const swept = await sweepInTurn(engines);
        const tookMs = Math.round(performance.now() - since);
        print(options.json, { ...swept, took_ms: tookMs }, [
          `${swept.drops} drops ended, ${swept.drafts} drafts discarded, ${swept.forgotten} drops removed from the history, ${swept.files} files and ${swept.objects} objects deleted.`,
        ]);
      }),
    );
  examples(sweep, 'waybilld admin sweep', 'waybilld admin sweep --json');
};

/** Waits for a worker that is sweeping, because only a sweep that begins now finds everything that is due. */
async function sweepInTurn(engines: Parameters<typeof sweepAlone>[0]): Promise<Swept> {
  for (;;) {
    const swept = await sweepAlone(engines);
    if (swept) return swept;
    await setTimeout(200);
  }
}
