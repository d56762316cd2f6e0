import { ExchangeError } from '../exchange-error.ts';
import { checkFile } from '../files/check-file.ts';
import type { CheckedFile, Damage } from '../files/scrub-store.ts';
import { toDay } from '../keys/day-keys.ts';
import type { KeyProvider } from '../ports/key-provider.ts';
import type { BackupPlace } from './backup-place.ts';
import { type DayKeyMirror, mirroredDayKeys } from './day-key-mirror.ts';
import { type AbsentFile, type FileLine, fromFileLine, type Manifest } from './format.ts';
import { openBackup, readPart } from './open-backup.ts';
import { fromLines, inOrder } from './streams.ts';

const filesAtOnce = 4;
const needsDayKeys =
  'The keys of its files are wrapped by day keys, which are not in a backup. Name the place that `day-keys export` wrote to: --day-keys PLACE';

export interface VerifyResult {
  readonly manifest: Manifest;
  readonly files: number;
  readonly bytes: number;
  /** Files that cannot be read any more, because the key of their day is destroyed. */
  readonly ended: number;
}

/**
 * Reads everything that a restore would read: the parts of the backup have their digests, and every object is there and
 * opens with the master keys and the day keys. Reports each file that does not.
 */
export async function verifyBackup(
  here: { readonly masterKeys: KeyProvider; readonly pepper: Buffer },
  place: BackupPlace,
  options: {
    readonly id?: string | undefined;
    /** May be undefined if the backup has no files. */
    readonly dayKeys: DayKeyMirror | undefined;
    readonly signal: AbortSignal;
    readonly onDamage: (file: CheckedFile, damage: Damage) => void;
    readonly onProgress?: (progress: Omit<VerifyResult, 'manifest'>) => void;
  },
): Promise<VerifyResult> {
  const { signal, onDamage, onProgress } = options;
  const manifest = await openBackup(here, place, options.id);
  const progress = { files: 0, bytes: 0, ended: 0 };
  const dayKeys = options.dayKeys && mirroredDayKeys(options.dayKeys, here.masterKeys);
  const today = toDay(Date.now() / 1000);
  const check = async (file: CheckedFile) => {
    if (!dayKeys) throw new ExchangeError('invalid_input', needsDayKeys);
    if (file.keyDay < today && !options.dayKeys?.has(file.keyDay)) return { file, hasEnded: true };
    const afterEach = (bytes: number) => {
      progress.bytes += bytes;
      onProgress?.(progress);
    };
    const damage = await checkFile({ objects: place.objects, dayKeys }, file, { signal, afterEach });
    return { file, damage, hasEnded: false };
  };
  for await (const { file, damage, hasEnded } of inOrder(presentFiles(place, manifest), filesAtOnce, check)) {
    progress[hasEnded ? 'ended' : 'files'] += 1;
    if (damage) onDamage(file, damage);
  }
  return { manifest, ...progress };
}

/** The listed files without those that are known to be absent. */
const presentFiles = (place: BackupPlace, manifest: Manifest) => listFiles(place, manifest, () => true);

/** The listed files without the absent ones for which this is true. Both lists have the same order. */
export async function* listFiles(
  place: BackupPlace,
  manifest: Manifest,
  isLeftOut: (absent: AbsentFile) => boolean,
): AsyncGenerator<CheckedFile, void, void> {
  const absent = fromLines<AbsentFile>(readPart(place, manifest, 'absent'));
  let next = await absent.next();
  for await (const line of fromLines<FileLine>(readPart(place, manifest, 'files'))) {
    const found = !next.done && next.value.id === line.id ? next.value : undefined;
    if (found) next = await absent.next();
    if (!found || !isLeftOut(found)) yield fromFileLine(line);
  }
  // To its end, where it is compared with what was written.
  while (!next.done) next = await absent.next();
}
