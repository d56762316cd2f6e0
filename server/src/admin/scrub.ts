import { setTimeout } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import { countDamaged, listDamagedFiles, scrubAlone } from '../domain/files/scrub.ts';
import type { DamagedFile, ScrubPass } from '../domain/files/scrub-store.ts';
import { RateLimiter } from '../domain/flow/rate-limiter.ts';
import { type AddCommand, type AdminEngines, addExamples, print, printPages } from './command.ts';
import { Progress, size } from './progress.ts';

const filesPerPage = 500;

interface ScrubOptions {
  readonly fromStart?: boolean;
  readonly rate?: number;
  readonly report?: boolean;
  readonly json?: boolean;
}

export const scrubCommand: AddCommand = (parent, withEngines) => {
  const scrub = parent
    .command('scrub')
    .description(
      'read all stored files again and find damaged, missing and swapped objects; continues the pass in progress. Deletes nothing. Exits with 1 if any file is damaged',
    )
    .option('--from-start', 'begin a new pass instead of continuing the one in progress')
    .option('--rate <bytes>', 'read at most this many bytes per second', rate)
    .option('--report', 'read nothing: list the damaged files that are known, one JSON array with --json')
    .option('--json', 'print JSON')
    .action((options: ScrubOptions) =>
      withEngines(async (engines) => {
        if (options.report) return await listDamaged(engines, options.json);
        const pass = await scrubExclusively(engines, options);
        const damaged = await countDamaged(engines);
        const { files, bytes, startedAt, completedAt } = pass;
        print(options.json, { files, bytes, damaged, started_at: startedAt, completed_at: completedAt }, [
          `${files} files (${size(bytes)}) read, ${damaged} damaged.`,
          ...(damaged > 0 ? ['See: waybilld admin scrub --report'] : []),
        ]);
        if (damaged > 0) process.exitCode = 1;
      }),
    );
  addExamples(
    scrub,
    'waybilld admin scrub',
    'waybilld admin scrub --from-start --rate 50000000',
    'waybilld admin scrub --report --json',
  );
};

async function listDamaged(engines: AdminEngines, json: boolean | undefined): Promise<void> {
  await printPages(
    json,
    (after?: DamagedFile) => listDamagedFiles(engines, after, filesPerPage),
    ({ account, id, dropId, name, problem, object, foundAt }) => {
      process.exitCode = 1;
      return { account, file: id, drop: dropId, name, problem, object, found_at: foundAt };
    },
    (file) => `${file.problem.padEnd(8)} ${file.object}  ${file.account}  ${file.drop ?? 'draft'}  ${file.name}`,
    'No damaged file is known.',
  );
}

/** A worker that is scrubbing pauses every minute; then it is our turn. */
async function scrubExclusively(engines: AdminEngines, { fromStart, rate: bytes }: ScrubOptions): Promise<ScrubPass> {
  const progress = new Progress();
  const rateLimiter = bytes === undefined ? undefined : new RateLimiter(bytes);
  for (;;) {
    const pass = await scrubAlone(engines, {
      fromStart,
      rateLimiter,
      onProgress: (now) => progress.show(() => `${now.files} files, ${size(now.bytes)} read`),
    });
    progress.clear();
    if (pass) return pass;
    await setTimeout(200);
  }
}

function rate(value: string): number {
  const bytes = Number(value);
  if (!/^\d+$/.test(value) || bytes < 1024) throw new InvalidArgumentError('Use a number of bytes, 1024 or more.');
  return bytes;
}
