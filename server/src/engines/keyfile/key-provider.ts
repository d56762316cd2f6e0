import { createCipheriv, createDecipheriv } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { KeyProvider, Random } from '../../domain/ports/index.ts';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Master keys from a file, one per line: `VERSION:BASE64 OF 32 BYTES`. The first line wraps; the others still unwrap.
 * A key is replaced in two steps, so that no process meets a version it does not know: first the new line is added at
 * the end everywhere, then it is moved to the top.
 */
export function keyfileProvider(path: string, random: Random): KeyProvider {
  if (statSync(path).mode & 0o007) {
    throw new Error(`${path} holds the master keys and is open to every user of this machine. Run: chmod o= ${path}`);
  }
  const masterKeys = parse(readFileSync(path, 'utf8'), path);
  const [currentVersion] = masterKeys.keys() as Iterable<number> as [number];
  const master = (version: number) => {
    const key = masterKeys.get(version);
    if (!key) throw new Error(`${path} has no master key of version ${version}`);
    return key;
  };

  return {
    currentVersion,

    async wrap(dataKey, context) {
      const nonce = random.bytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', master(currentVersion), nonce, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]);
    },

    async unwrap(wrapped, version, context) {
      const nonce = wrapped.subarray(0, nonceBytes);
      const decipher = createDecipheriv('aes-256-gcm', master(version), nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(wrapped.subarray(-tagBytes));
      return Buffer.concat([decipher.update(wrapped.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    },
  };
}

function parse(text: string, path: string): Map<number, Buffer> {
  const keys = new Map<number, Buffer>();
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [, version, base64] = /^([1-9][0-9]{0,8}):([A-Za-z0-9+/]{43}=)$/.exec(line) ?? [];
    if (!version || !base64) throw new Error(`${path}: a line is not VERSION:BASE64 OF 32 BYTES`);
    keys.set(Number(version), Buffer.from(base64, 'base64'));
  }
  if (keys.size === 0) throw new Error(`${path}: no master key in it`);
  return keys;
}
