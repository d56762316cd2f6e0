import type { Finding } from '../../domain/doctor/finding.ts';
import { fault, ok, reason } from '../../domain/doctor/finding.ts';
import type { KeyProvider } from '../../domain/ports/key-provider.ts';
import type { Random } from '../../domain/ports/random.ts';
import { keyfileProvider, WrongRights } from './key-provider.ts';

export interface KeyfileExamination {
  readonly path: string;
  readonly random: Random;
}

export async function* examineKeyfile({ path, random }: KeyfileExamination): AsyncGenerator<Finding> {
  let keys: KeyProvider;
  try {
    keys = keyfileProvider(path, random);
  } catch (error) {
    const isThere = error instanceof WrongRights;
    const step = isThere ? 'Make the file' : 'Copy the file from the backup or another machine,';
    // At the start of a process, the reason includes a remedy.
    const problem = reason(error).replace(/\. Run: .*$/, '');
    yield fault(
      'keys.file',
      `The master keys cannot be used: ${problem}.`,
      `${step} readable for Waybill’s group only: chown root:waybill ${path} && chmod 640 ${path}`,
    );
    return;
  }
  const [current] = await keys.list();
  yield ok('keys.file', `The master keys are readable; version ${current?.version} is used.`);
}
