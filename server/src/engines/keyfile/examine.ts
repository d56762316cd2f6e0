import type { Finding } from '../../domain/doctor/finding.ts';
import { fault, ok, reason, skipped } from '../../domain/doctor/finding.ts';
import { checkMasterKeys } from '../../domain/keys/check-master-keys.ts';
import type { KeyProvider } from '../../domain/ports/key-provider.ts';
import type { Random } from '../../domain/ports/random.ts';
import { SetupError } from '../../domain/setup-error.ts';
import type { Store } from '../../domain/store.ts';
import { keyfileProvider } from './key-provider.ts';

export interface KeyfileExamination {
  readonly path: string;
  readonly random: Random;
  /** Undefined if the settings name no database. */
  readonly store: Pick<Store, 'sampleWrappedKeys'> | undefined;
}

export async function* examineKeyfile({ path, random, store }: KeyfileExamination): AsyncGenerator<Finding> {
  let keys: KeyProvider;
  try {
    keys = keyfileProvider(path, random);
  } catch (error) {
    const remedy = `Copy the file from the backup or another machine, readable for Waybill’s group only: chown root:waybill ${path} && chmod 640 ${path}`;
    yield fault('keys.file', `The master keys cannot be used: ${reason(error)}.`, remedy);
    return;
  }
  const [current] = await keys.masterKeys();
  yield ok('keys.file', `The master keys are readable; version ${current?.version} is used.`);
  if (!store) {
    yield skipped('keys.data', 'The settings name no database to compare the keys with.');
    return;
  }
  try {
    await checkMasterKeys({ store, keys });
    yield ok('keys.data', 'The master keys open what is stored.');
  } catch (error) {
    if (!(error instanceof SetupError)) {
      yield skipped('keys.data', 'The database cannot be asked for keys to compare with.');
      return;
    }
    const [says = '', remedy = ''] = error.message.split(/(?<=stored\.) /);
    yield fault('keys.data', says, remedy);
  }
}
