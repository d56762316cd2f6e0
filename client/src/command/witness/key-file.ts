import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import { createSigner, formatVerifierKey, type SignatureType, type Signer } from '@waybill/evidence';
import { CommandError, exitCodes } from '../exit-codes.ts';

/** The keys of a witness, with the texts by which others pin them. */
export interface WitnessKeys {
  signers: Signer[];
  verifierKeys: string[];
}

interface KeyFile {
  name: string;
  private_keys: string[];
}

/** The types of cosignature by the type of the key. */
const types: Readonly<Record<string, SignatureType>> = { ed25519: 4, 'ml-dsa-44': 6 };

/** Creates a file with new keys that only its owner can read. Throws if it exists: a key that is in use is not replaced. */
export async function createKeyFile(path: string, name: string, isPostQuantum: boolean): Promise<WitnessKeys> {
  const keys = [generateKeyPairSync('ed25519').privateKey, ...(isPostQuantum ? [generatePostQuantumKey()] : [])];
  const content: KeyFile = {
    name,
    private_keys: keys.map((key) => key.export({ type: 'pkcs8', format: 'pem' })),
  };
  const made = loadKeys(name, keys, () => 0);
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    const next = 'Choose another path, or use the key that is there.';
    throw new CommandError(exitCodes.failed, 'key_file', `${path} exists already, and is not replaced.`, next);
  });
  try {
    await file.chmod(0o600); // regardless of the umask
    await file.writeFile(`${JSON.stringify(content, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return made;
}

/** Reads the keys of a witness. `readTime` returns the seconds since 1970 that its cosignatures state. */
export async function readKeyFile(path: string, readTime: () => number): Promise<WitnessKeys> {
  const { mode } = await stat(path);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const message = `${path} can be read by other users, so its key is not used.`;
    throw new CommandError(exitCodes.failed, 'key_exposed', message, `Run: chmod 600 ${path}`);
  }
  try {
    const { name, private_keys: keys } = JSON.parse(await readFile(path, 'utf8')) as KeyFile;
    return loadKeys(name, keys.map(createPrivateKey), readTime);
  } catch {
    const message = `${path} is not a key file of a witness, or has a key of ML-DSA-44 for which this Node is too old.`;
    const next = 'Use Node 24.7 or newer, or create a file with: waybill witness init';
    throw new CommandError(exitCodes.failed, 'key_file', message, next);
  }
}

function loadKeys(name: string, keys: readonly KeyObject[], readTime: () => number): WitnessKeys {
  const parts = keys.map((key) => {
    const type = types[key.asymmetricKeyType ?? ''];
    if (type === undefined) throw new TypeError('unknown type of key');
    return {
      name,
      type,
      publicKey: readPublicKey(key),
      sign: (message: Uint8Array) => sign(null, message, key),
      readTime,
    };
  });
  return {
    signers: parts.map(createSigner),
    verifierKeys: parts.map(({ type, publicKey }) => formatVerifierKey(name, type, publicKey)),
  };
}

/** The last part of the structure in which public keys are exported is the key itself. */
function readPublicKey(key: KeyObject): Uint8Array {
  const length = key.asymmetricKeyType === 'ed25519' ? 32 : 1312;
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-length);
}

function generatePostQuantumKey(): KeyObject {
  try {
    return generateKeyPairSync('ml-dsa-44').privateKey;
  } catch {
    const next = 'Use Node 24.7 or newer, or omit --post-quantum.';
    throw new CommandError(exitCodes.failed, 'no_ml_dsa', 'This version of Node has no ML-DSA-44.', next);
  }
}
