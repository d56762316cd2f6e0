import { createHash } from 'node:crypto';
import { ExchangeError, MissingObject } from '../exchange-error.ts';
import type { KeyProvider } from '../ports/key-provider.ts';
import type { BackupPlace } from './backup-place.ts';
import { formatVersion, type Manifest, partPath } from './format.ts';
import { requireSameKeys } from './key-fingerprints.ts';
import { sealContext } from './make-backup.ts';
import { readWhole, verifyStream } from './streams.ts';

const maxManifestBytes = 1024 * 1024;

/**
 * The manifest of a backup, or of the newest complete one. Throws when the keys here are not those of the backup, when
 * we did not write the manifest, or when what it describes is not what was written.
 */
export async function openBackup(
  here: { readonly masterKeys: KeyProvider; readonly pepper: Buffer },
  place: BackupPlace,
  wanted: string | undefined,
): Promise<Manifest> {
  const { id, text } = await findText(place, wanted);
  const manifest = parse(id, text);
  await requireSameKeys(manifest, here);
  const seal = JSON.parse((await readWhole(place, partPath(id, 'manifest.seal'), maxManifestBytes)).toString()) as {
    version: number;
    wrapped: string;
  };
  const wrapped = Buffer.from(seal.wrapped, 'base64');
  const digest = await here.masterKeys.unwrap(wrapped, seal.version, sealContext(id)).catch(() => undefined);
  if (!digest?.equals(createHash('sha256').update(text).digest())) {
    throw new ExchangeError('damaged', `The manifest of the backup ${id} was changed after it was made. Use another.`);
  }
  for (const name of ['database', 'files', 'absent'] as const) for await (const _ of readPart(place, manifest, name));
  return manifest;
}

const partNames = { database: 'database.dump', files: 'files.jsonl', absent: 'absent.jsonl' } as const;

/**
 * A part of a backup. Throws at its end when it is not what the manifest describes, each time it is read: what was
 * verified hours ago may have changed since.
 */
export function readPart(place: BackupPlace, manifest: Manifest, part: keyof typeof partNames): AsyncIterable<Buffer> {
  const path = partPath(manifest.id, partNames[part]);
  return verifyStream(path, place.read(path), manifest[part]);
}

/** The manifest of this backup, as it is. Throws MissingObject if the backup is not complete. */
export async function findManifest(place: BackupPlace, id: string): Promise<Manifest> {
  return parse(id, await readWhole(place, partPath(id, 'manifest.json'), maxManifestBytes));
}

async function findText(place: BackupPlace, wanted: string | undefined): Promise<{ id: string; text: Buffer }> {
  const ids = wanted === undefined ? (await place.folders('backups')).toSorted().toReversed() : [wanted];
  for (const id of ids) {
    const text = await readWhole(place, partPath(id, 'manifest.json'), maxManifestBytes).catch((error: unknown) => {
      if (!(error instanceof MissingObject)) throw error;
    });
    if (text) return { id, text };
  }
  throw new ExchangeError(
    'not_found',
    `There is no complete backup${wanted === undefined ? '' : ` ${wanted}`} in this place. Use the place that \`waybilld admin backup --to\` wrote to.`,
  );
}

function parse(id: string, text: Buffer): Manifest {
  const manifest = readJson(text);
  if (!manifest?.keys || manifest.id !== id) {
    throw new ExchangeError('damaged', `The manifest of the backup ${id} is damaged. Use another backup.`);
  }
  if (manifest.format !== formatVersion) {
    throw new ExchangeError(
      'invalid_input',
      `The backup ${id} has format ${manifest.format}, and this program reads format ${formatVersion}. Use the version that made it, or a later one.`,
    );
  }
  return manifest;
}

function readJson(text: Buffer): Manifest | undefined {
  try {
    return JSON.parse(text.toString()) as Manifest;
  } catch {
    return undefined;
  }
}
