import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { checkLog, type LogFinding, openLog } from '../domain/evidence/check-log.ts';
import { listLogs } from '../domain/evidence/read-log.ts';
import { repairLog } from '../domain/evidence/repair-log.ts';
import { untilKilled } from './backup-place.ts';
import { addExamples, print, type WithEngines } from './command.ts';
import { Progress } from './progress.ts';

/** The first ones are listed; they are enough to see what is wrong. */
const listed = 1_000;

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
      withEngines(async (engines) => {
        const findings: LogFinding[] = [];
        const total = { leaves: 0, erased: 0, lost: 0, findings: 0 };
        const progress = new Progress();
        let repaired = 0;
        const unrepaired: number[] = [];
        const kept = (options.checkpoint ?? []).map((path) => ({ source: path, note: readFileSync(path, 'utf8') }));
        const logs = await listLogs(engines);
        for (const one of options.from === undefined ? logs : logs.slice(-1)) {
          if (options.repair) {
            progress.show(() => `epoch ${one.epoch} is being repaired`);
            repaired += await repairLog(engines, one, untilKilled);
          }
          let isDamaged = false;
          const checked = await checkLog(await openLog(engines, one, kept, untilKilled), {
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
