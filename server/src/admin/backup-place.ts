import { type Command, InvalidArgumentError } from 'commander';
import type { BackupAddress } from '../assemble/assemble.ts';
import { resolveInStartDirectory } from '../config/start-directory.ts';
import type { BackupPlace } from '../domain/backup/backup-place.ts';
import { type DayKeyMirror, readMirror } from '../domain/backup/day-key-mirror.ts';
import type { Copied } from '../domain/backup/make-backup.ts';
import { ExchangeError, MissingObject } from '../domain/exchange-error.ts';
import type { AdminEngines } from './command.ts';
import { Progress, size } from './progress.ts';

/** For an option that names a place for backups. */
export function placeAddress(value: string): BackupAddress {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(value) ?? [];
  if (bucket !== undefined) return { bucket, prefix: path === '' || path.endsWith('/') ? path : `${path}/` };
  if (value === '' || /^[a-z0-9]+:\/\//i.test(value)) {
    throw new InvalidArgumentError('Use a directory, or s3://BUCKET/PREFIX on the same S3 server.');
  }
  return { folder: resolveInStartDirectory(value) };
}

/** The day keys in the place that an option names; undefined if it names none. */
export async function openMirror(
  engines: AdminEngines,
  address: BackupAddress | undefined,
): Promise<DayKeyMirror | undefined> {
  if (!address) return undefined;
  return await usePlace(engines, address, readMirror).catch((error: unknown) => {
    if (!(error instanceof MissingObject)) throw error;
    throw new ExchangeError(
      'not_found',
      'There are no day keys in this place. Name the one that `day-keys export` wrote to.',
    );
  });
}

export function addPlaceOption(command: Command): Command {
  return command
    .requiredOption('--from <place>', 'a directory, or s3://BUCKET/PREFIX, that `backup` wrote to', placeAddress)
    .option('--backup <id>', 'one of the backups in it; otherwise the newest')
    .option('--day-keys <place>', 'a directory, or s3://BUCKET/PREFIX, that `day-keys export` wrote to', placeAddress)
    .option('--json', 'print JSON');
}

/** Opens a place, works with it, and closes it afterwards. */
export async function usePlace<Result>(
  engines: AdminEngines,
  address: BackupAddress,
  work: (place: BackupPlace) => Promise<Result>,
): Promise<Result> {
  const place = engines.openBackupPlace(address);
  try {
    return await work(place);
  } finally {
    place.close();
  }
}

/** The same for a command that shows its progress. */
export async function withPlace(
  engines: AdminEngines,
  address: BackupAddress,
  work: (place: BackupPlace, progress: Progress) => Promise<void>,
): Promise<void> {
  const progress = new Progress();
  await usePlace(engines, address, (place) => work(place, progress)).finally(() => progress.clear());
}

/** An interrupted command simply ends: each of them can be repeated. */
export const untilKilled = new AbortController().signal;

export function reportProgress(progress: Progress) {
  let step = '';
  return {
    signal: untilKilled,
    onStep(next: string) {
      step = next;
      progress.show(() => step);
    },
    onObject: ({ objects, kept, bytes }: Copied) =>
      progress.show(() => `${step}: ${objects} copied (${size(bytes)}), ${kept} already there`),
  };
}
