import { InvalidArgumentError } from 'commander';
import { lateSeconds } from '../domain/evidence/check-log.ts';
import type { Log, LogKey } from '../domain/evidence/log-store.ts';
import { readCheckpoint } from '../domain/evidence/published-checkpoint.ts';
import { listLogKeys, listLogs, readLogCondition } from '../domain/evidence/read-log.ts';
import { addSigningKeys, retireSigningKey } from '../domain/evidence/rotate-signing-keys.ts';
import { formatKeyId, isSupported, toVerifierKey } from '../domain/evidence/signing-keys.ts';
import { startEpoch } from '../domain/evidence/start-epoch.ts';
import { type AddCommand, addExamples, print } from './command.ts';
import { addLogCheck } from './log-check.ts';

export const logCommands: AddCommand = (parent, withEngines) => {
  const log = parent
    .command('log')
    .description('show and check the evidence log, start a new epoch of it, and rotate the keys that sign it');
  addLogCheck(log, withEngines);
  addExamples(log, 'waybilld admin log status', 'waybilld admin log rotate-key');

  const status = log
    .command('status')
    .description(
      'show the epochs of the log, how many entries are published, cosigned by witnesses and stamped, the keys that sign it, and why nothing is signed if that is so. Exits with 1 if the log refuses to sign, or entries have been waiting for more than a minute, or no checkpoint will ever cover them',
    )
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withEngines(async (engines) => {
        const logs = await listLogs(engines);
        const keys = await listLogKeys(engines);
        const condition = await readLogCondition(engines);
        const epochs = logs.map((one) =>
          toStatus(
            one,
            keys.filter(({ epoch }) => epoch === one.epoch),
          ),
        );
        print(
          options.json,
          {
            waiting: condition.waiting,
            stranded: condition.stranded,
            lag_seconds: Math.round(condition.lagSeconds),
            refusal: condition.refusal,
            epochs,
          },
          [
            ...(epochs.length === 0 ? ['There is no log yet. It starts with the process `work`.'] : []),
            ...epochs.flatMap((one) => [
              `epoch ${one.epoch}  ${one.origin}  ${describeSizes(one)}${one.ended_at === null ? '' : `  ended ${one.ended_at}`}`,
              ...one.keys.map((key) => `  key ${key.id}  ${key.algorithm}  ${describeKey(key)}`),
            ]),
            `${condition.waiting} entries are waiting${condition.waiting > 0 ? `, the oldest for ${Math.round(condition.lagSeconds)} seconds` : ''}.`,
            ...(condition.stranded === 0
              ? []
              : [
                  `${condition.stranded} entries of ended epochs have a place, and no checkpoint that proves it. Log them again: waybilld admin log start-epoch --reason "entries without a checkpoint"`,
                ]),
            ...(condition.refusal === null ? [] : [`Nothing is signed: ${condition.refusal}`]),
          ],
        );
        if (condition.refusal !== null || condition.stranded > 0 || condition.lagSeconds > lateSeconds)
          process.exitCode = 1;
      }),
    );
  addExamples(status, 'waybilld admin log status', 'waybilld admin log status --json');

  const starting = log
    .command('start-epoch')
    .description(
      'end the log and start another one, with a new name and new keys, whose first entry links to the last checkpoint of the old one. Needed when the log refuses to sign, because the database or the bucket was restored; `waybilld admin restore` does it by itself',
    )
    .requiredOption('--reason <text>', 'why, for everyone who reads the log; at most 200 characters', parseReason)
    .option('--json', 'print JSON')
    .action((options: { reason: string; json?: boolean }) =>
      withEngines(async (engines) => {
        const author = engines.administrator;
        const { epoch, origin, moved } = await startEpoch(engines, { reason: options.reason, author });
        print(options.json, { epoch, origin, moved_entries: moved }, [
          `Epoch ${epoch} has started: ${origin}.`,
          `${moved} entries that the old log has not published are logged in the new one.`,
          'Give everyone who verifies receipts, and the operators of witnesses, the new policy: /log/policy',
        ]);
      }),
    );
  addExamples(starting, 'waybilld admin log start-epoch --reason "restored from the backup of 17 November"');

  const rotating = log
    .command('rotate-key')
    .description(
      'add a new key of each algorithm. The log signs with the old and the new keys until the old ones are retired',
    )
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withEngines(async (engines) => {
        const { log: current, keys } = await addSigningKeys(engines);
        print(options.json, { epoch: current.epoch, keys }, [
          ...keys.map((key) => `Added: ${key}`),
          'Give everyone who verifies receipts, and the operators of witnesses, the new policy: /log/policy',
          'Once they have it, retire the old keys: waybilld admin log retire-key ID',
        ]);
      }),
    );
  addExamples(rotating, 'waybilld admin log rotate-key', 'waybilld admin log rotate-key --json');

  const retiring = log
    .command('retire-key')
    .description('sign no longer with a key, and destroy its private part. What it has signed can still be verified')
    .argument('<id>', 'the id of the key, as `log status` shows it', parseKeyId)
    .option('--json', 'print JSON')
    .action((keyId: number, options: { json?: boolean }) =>
      withEngines(async (engines) => {
        const key = await retireSigningKey(engines, keyId);
        print(options.json, { key }, [`Retired: ${key}`]);
      }),
    );
  addExamples(retiring, 'waybilld admin log retire-key 7f3a29d1');
};

function toStatus(log: Log, keys: readonly LogKey[]) {
  return {
    epoch: log.epoch,
    origin: log.origin,
    size: log.size,
    published_size: log.publishedSize,
    published_at: log.publishedAt,
    cosigned_size: readCheckpoint(log.cosignedCheckpoint)?.size ?? 0,
    cosigned_at: log.cosignedAt,
    stamped_size: log.stampedSize,
    started_at: log.startedAt,
    ended_at: log.endedAt?.toISOString() ?? null,
    keys: keys.map((key) => ({
      id: formatKeyId(key.keyId),
      algorithm: key.algorithm,
      verifier_key: toVerifierKey(log.origin, key),
      created_at: key.createdAt,
      retired_at: key.retiredAt?.toISOString() ?? null,
      signs: key.retiredAt === null && log.endedAt === null && isSupported(key.algorithm),
    })),
  };
}

/** A log without witnesses or time stamps has neither. */
function describeSizes(
  sizes: Pick<ReturnType<typeof toStatus>, `${'published' | 'cosigned' | 'stamped'}_size`>,
): string {
  const others = [
    ...(sizes.cosigned_size > 0 ? [`${sizes.cosigned_size} cosigned`] : []),
    ...(sizes.stamped_size > 0 ? [`${sizes.stamped_size} stamped`] : []),
  ];
  return [`${sizes.published_size} entries published`, ...others].join(', ');
}

function describeKey({ signs, retired_at: retiredAt, algorithm }: ReturnType<typeof toStatus>['keys'][number]): string {
  if (retiredAt !== null) return `retired ${retiredAt}`;
  if (signs) return 'signs';
  return isSupported(algorithm) ? 'signs no longer' : 'cannot sign: this version of Node does not have the algorithm';
}

function parseKeyId(value: string): number {
  if (!/^[0-9a-f]{8}$/.test(value)) throw new InvalidArgumentError('Use the id of a key as `log status` shows it.');
  return Number.parseInt(value, 16);
}

function parseReason(value: string): string {
  const reason = value.trim();
  if (reason === '' || reason.length > 200) throw new InvalidArgumentError('Use 1 to 200 characters.');
  return reason;
}
