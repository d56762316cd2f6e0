import { recordMaintenance } from '../domain/audit/record.ts';
import { wrapSigningKeysAgain } from '../domain/evidence/rotate-signing-keys.ts';
import { describeOther } from '../domain/keys/check-master-keys.ts';
import { findWrongKeys } from '../domain/keys/examine-day-keys.ts';
import { currentVersion, rotateMasterKey } from '../domain/keys/rotate-master-key.ts';
import { type AddCommand, type AdminEngines, addExamples, print } from './command.ts';
import { Progress } from './progress.ts';

export const masterKeyCommands: AddCommand = (parent, withEngines) => {
  const keys = parent
    .command('master-keys')
    .description('show what each master key wraps, and wrap stored keys by the newest one');
  addExamples(keys, 'waybilld admin master-keys status', 'waybilld admin master-keys rotate');

  const rotate = keys
    .command('rotate')
    .description(
      'wrap all stored keys by the newest master key (the first of the key file), while everything keeps running; can be interrupted and repeated. Exits with 1 if other master keys are still needed',
    )
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withEngines(async (engines) => {
        const since = performance.now();
        const replaced = await wrapAgain(engines);
        const tookMs = Math.round(performance.now() - since);
        const versions = await listMasterKeys(engines);
        const current = await currentVersion(engines.masterKeys);
        const isDone = versions.every(
          ({ version, day_keys: dayKeys, log_keys: logKeys }) => version === current || dayKeys + logKeys === 0,
        );
        print(options.json, { replaced, done: isDone, master_keys: versions, took_ms: tookMs }, [
          `${replaced} keys wrapped again by the master key of version ${current}.`,
          isDone
            ? 'No other master key is needed. Keep the old ones for as long as you keep backups made with them.'
            : 'Another master key is still used: restart all processes that were started before the key file was changed, then repeat this command.',
        ]);
        if (!isDone) process.exitCode = 1;
      }),
    );
  addExamples(rotate, 'waybilld admin master-keys rotate', 'waybilld admin master-keys rotate --json');

  const status = keys
    .command('status')
    .description(
      'show how many day keys each master key wraps, which wrap the keys of the files that end on their days, and how many keys that sign the evidence log. Exits with 1 if one does not open what it should have wrapped',
    )
    .option('--json', 'print one JSON array')
    .action((options: { json?: boolean }) =>
      withEngines(async (engines) => {
        const versions = await listMasterKeys(engines);
        const current = await currentVersion(engines.masterKeys);
        const wrong = await findWrongKeys(engines);
        print(
          options.json,
          versions.map((key) => ({ ...key, is_wrong: wrong.includes(key.version) })),
          [
            ...versions.map(
              ({ version, day_keys: dayKeys, log_keys: logKeys, fingerprint }) =>
                `version ${version}  ${dayKeys} day keys  ${logKeys} log keys  ${fingerprint === null ? 'NOT available here' : `fingerprint ${fingerprint}`}${version === current ? '  current' : ''}`,
            ),
            ...wrong.map(describeOther),
          ],
        );
        if (wrong.length > 0) process.exitCode = 1;
      }),
    );
  addExamples(status, 'waybilld admin master-keys status', 'waybilld admin master-keys status --json');
};

/** Lists the master keys that are known here, and those that stored keys need. */
async function listMasterKeys({ masterKeys, database }: AdminEngines) {
  const used = await database.usedMasterKeys();
  const known = await masterKeys.list();
  const versions = new Set([...known, ...used].map(({ version }) => version));
  return [...versions]
    .toSorted((a, b) => a - b)
    .map((version) => {
      const { dayKeys = 0, logKeys = 0 } = used.find((key) => key.version === version) ?? {};
      const fingerprint = known.find((key) => key.version === version)?.fingerprint ?? null;
      return { version, day_keys: dayKeys, log_keys: logKeys, fingerprint };
    });
}

/** Wraps stored keys by the current keys, and shows how far it is. Returns how many. */
async function wrapAgain(engines: AdminEngines): Promise<number> {
  const progress = new Progress();
  const onLost = (remedy: string) => (key: string) => {
    progress.clear();
    process.stderr.write(`Lost, and passed over: ${key}. ${remedy}\n`);
  };
  const dayKeys = await rotateMasterKey(
    engines,
    (count) => progress.show(() => `${count} keys wrapped again`),
    onLost('Put day keys back: waybilld admin day-keys import --from PLACE'),
  );
  const version = await currentVersion(engines.masterKeys);
  const logKeys = await wrapSigningKeysAgain(
    engines,
    version,
    onLost(
      'Add new keys for the log, then retire this one: waybilld admin log rotate-key, waybilld admin log retire-key ID',
    ),
  );
  progress.clear();
  if (dayKeys + logKeys > 0) {
    await recordMaintenance(engines, engines.administrator, 'master_key.rotated', { version, dayKeys, logKeys });
  }
  return dayKeys + logKeys;
}
