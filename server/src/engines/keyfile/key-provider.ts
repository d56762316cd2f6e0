import { readFileSync, statSync } from 'node:fs';
import { fingerprint } from '../../domain/backup/key-fingerprints.ts';
import { LostKey, unwrapWith, wrapWith } from '../../domain/keys/wrapping.ts';
import type { KeyProvider } from '../../domain/ports/key-provider.ts';
import type { Random } from '../../domain/ports/random.ts';
import { SetupError } from '../../domain/setup-error.ts';

/**
 * Master keys from a file, one per line: `VERSION:BASE64 OF 32 BYTES`. The first line's key wraps; the others can still
 * unwrap. A key is replaced in two steps, so that no process meets a version it does not know: first the new line is
 * added at the end everywhere, then it is moved to the top.
 */
export function keyfileProvider(path: string, random: Random): KeyProvider {
  const masterKeys = parse(readContent(path), path);
  const [currentVersion] = masterKeys.keys() as Iterable<number> as [number];
  const master = (version: number) => {
    const key = masterKeys.get(version);
    if (!key) throw new LostKey(`${path} has no master key of version ${version}`);
    return key;
  };

  return {
    list: async () => [...masterKeys].map(([version, key]) => ({ version, fingerprint: fingerprint(key) })),
    wrap: async (dataKey, context) => ({
      wrapped: wrapWith(master(currentVersion), dataKey, context, random),
      version: currentVersion,
    }),
    unwrap: async (wrapped, version, context) => unwrapWith(master(version), wrapped, context),
  };
}

/** The file is there, and is open to everybody or closed to Waybill. */
export class WrongRights extends SetupError {}

function readContent(path: string): string {
  try {
    if ((statSync(path).mode & 0o007) === 0) return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const Problem = code === 'EACCES' ? WrongRights : SetupError;
    throw new Problem(`WAYBILL_MASTER_KEY_FILE names ${path}, which cannot be read (${code}).`, { cause });
  }
  throw new WrongRights(
    `${path} holds the master keys and is open to every user of this machine. Run: chmod o= ${path}`,
  );
}

function parse(text: string, path: string): Map<number, Buffer> {
  const keys = new Map<number, Buffer>();
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [, version, base64] = /^([1-9][0-9]{0,8}):([A-Za-z0-9+/]{43}=)$/.exec(line) ?? [];
    if (!version || !base64) throw new SetupError(`${path}: a line is not VERSION:BASE64 OF 32 BYTES`);
    keys.set(Number(version), Buffer.from(base64, 'base64'));
  }
  if (keys.size === 0) throw new SetupError(`${path}: no master key in it`);
  return keys;
}
