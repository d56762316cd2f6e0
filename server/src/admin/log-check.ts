import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { checkLog, type LogFinding, type LogToCheck } from '../domain/evidence/check-log.ts';
import type { Log } from '../domain/evidence/log-store.ts';
import { toNothing } from '../domain/evidence/published-checkpoint.ts';
import { readLogFile } from '../domain/evidence/read-log.ts';
import { repairLog } from '../domain/evidence/repair-log.ts';
import { toVerifier } from '../domain/evidence/signing-keys.ts';
import { untilKilled } from './backup-place.ts';
import { type AdminContext, addExamples, print, type WithEngines } from './command.ts';
import { Progress } from './progress.ts';

/** The first ones are listed; they are enough to see what is wrong. */
const listed = 1_000;
const entriesAtOnce = 256;
/** An entry that waits for longer is late: batches are a second apart. */
export const lateSeconds = 60;

interface CheckOptions {
  readonly from?: number;
  readonly checkpoint?: readonly string[];
  readonly repair?: boolean;
  readonly json?: boolean;
}

/** Adds `log check`. */
export function addLogCheck(log: Command, withEngines: WithEngines): void {
  const check = log
    .command('check')
    .description(
      'compute the log anew from the database, and compare it with the bucket and with the checkpoints. Names every entry that was edited, deleted, swapped or invented, or has been waiting for a checkpoint for more than a minute. Without --repair, it changes nothing. Exits with 1 if anything was found',
    )
    .option('--from <index>', 'begin at this entry of the last epoch, and trust what is before it', parseIndex)
    .option(
      '--checkpoint <file>',
      'a checkpoint that was kept elsewhere, which the log must contain; can be repeated. Only such a one detects a log that was rewritten everywhere and signed again',
      collectPath,
    )
    .option(
      '--repair',
      'first write the public files again that are missing or damaged in the bucket, if the entries in the database lead to what was signed',
    )
    .option('--json', 'print JSON')
    .action((options: CheckOptions) =>
      withEngines(async ({ engines }) => {
        const findings: LogFinding[] = [];
        const total = { leaves: 0, erased: 0, lost: 0, findings: 0 };
        const progress = new Progress();
        let repaired = 0;
        const unrepaired: number[] = [];
        const logs = await engines.store.evidenceLog.list();
        for (const one of options.from === undefined ? logs : logs.slice(-1)) {
          if (options.repair) {
            progress.show(() => `epoch ${one.epoch} is being repaired`);
            repaired += await repairLog(engines, one, untilKilled);
          }
          let isDamaged = false;
          const checked = await checkLog(await openLog(engines, one, options), {
            ...(options.from !== undefined && { from: options.from }),
            onFinding(finding) {
              isDamaged ||= finding.problem === 'file missing' || finding.problem === 'file changed';
              if (findings.length < listed) findings.push(finding);
            },
            onProgress: (leaves) => progress.show(() => `epoch ${one.epoch}: ${leaves} entries`),
          });
          if (options.repair && isDamaged) unrepaired.push(one.epoch);
          for (const key of ['leaves', 'erased', 'lost', 'findings'] as const) total[key] += checked[key];
        }
        progress.clear();
        print(
          options.json,
          {
            entries: total.leaves,
            erased: total.erased,
            lost: total.lost,
            ...(options.repair && { repaired, unrepaired }),
            found: total.findings,
            findings,
          },
          [
            ...(options.repair ? [`${repaired} public files were written again.`] : []),
            ...unrepaired.map(
              (epoch) =>
                `Epoch ${epoch} is not repaired: the entries in the database do not lead to the checkpoint in the bucket, or were lost when the database was restored.`,
            ),
            `${total.leaves} entries checked, ${total.erased} of them erased, ${total.lost} lost by a restored database. ${total.findings} contradictions found.`,
            ...findings.map(describeFinding),
            ...(total.findings > findings.length ? [`… and ${total.findings - findings.length} more`] : []),
          ],
        );
        if (total.findings > 0) process.exitCode = 1;
      }),
    );
  addExamples(
    check,
    'waybilld admin log check',
    'waybilld admin log check --from 1200000 --json',
    'waybilld admin log check --checkpoint kept-checkpoint.txt',
    'waybilld admin log check --repair',
  );
}

async function openLog(
  { store, logObjects }: AdminContext['engines'],
  log: Log,
  { checkpoint: paths = [] }: CheckOptions,
): Promise<LogToCheck> {
  const { epoch, origin, size, publishedSize } = log;
  const keys = await store.evidenceLog.listKeys(epoch);
  const kept = paths.map((path) => ({ source: path, note: readFileSync(path, 'utf8') }));
  const stored = [
    { source: 'the database', note: log.checkpoint },
    { source: 'the cosigned checkpoint', note: log.cosignedCheckpoint },
  ];
  return {
    epoch,
    origin,
    size,
    publishedSize,
    isEnded: log.endedAt !== null,
    verifiers: keys.map((key) => toVerifier(origin, key)),
    known: [...stored.flatMap(({ source, note }) => (note === null ? [] : [{ source, note }])), ...kept],
    readEntries: async (from, to) => {
      const rows = await store.evidence.readLeaves({ epoch, leafIndex: from }, Math.min(to - from, entriesAtOnce));
      return rows.filter(({ leafIndex }) => leafIndex < to);
    },
    readSizes: async () => (await store.evidenceLog.find(epoch)) ?? { size, publishedSize },
    publishedUntil: new Date(((await store.dayKeys.clock()) - lateSeconds) * 1000),
    readFile: (path) => readLogFile(logObjects, epoch, path, untilKilled).catch(toNothing),
  };
}

function describeFinding({ epoch, problem, index, entry, kind, message }: LogFinding): string {
  const place = index === undefined ? `epoch ${epoch}` : `epoch ${epoch}, leaf ${index}`;
  return `${problem}: ${place}${entry === undefined ? '' : `, entry ${entry} (${kind})`}: ${message}`;
}

function parseIndex(value: string): number {
  if (!/^(?:0|[1-9]\d{0,14})$/.test(value))
    throw new InvalidArgumentError('Use the index of an entry, such as 1200000.');
  return Number(value);
}

function collectPath(path: string, before: readonly string[] = []): readonly string[] {
  return [...before, path];
}
