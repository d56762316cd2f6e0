import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { createSigner, createVerifier, formatVerifierKey, type Signer, type Verifier } from '@waybill/evidence';
import type { Engines } from '../engines.ts';
import type { LogKey, NewLogKey, SigningAlgorithm } from './log-store.ts';

const seedBytes = 32;
/** A private key in PKCS #8 is one of these followed by its seed. */
const encodings: Readonly<Record<SigningAlgorithm, Buffer>> = {
  ed25519: Buffer.from('302e020100300506032b657004220420', 'hex'),
  'ml-dsa-44': Buffer.from('3034020100300b060960864801650304031104228020', 'hex'),
};
/** The types of their signatures in a note: as the log, and as a cosigner of the log's own name. */
const signatureTypes = { ed25519: 1, 'ml-dsa-44': 6 } as const;

/** Whether this version of Node can sign with it. ML-DSA-44 needs Node 24.7 with OpenSSL 3.5; verifying it needs nothing. */
export function isSupported(algorithm: SigningAlgorithm): boolean {
  return openSeed(algorithm, Buffer.alloc(seedBytes)) !== undefined;
}

/** The id of a key as commands and verifier keys show it. */
export const formatKeyId = (keyId: number) => keyId.toString(16).padStart(8, '0');

export const toContext = (origin: string, keyId: number) => `log key ${origin} ${keyId}`;

/** Makes a key of each algorithm that this version of Node has, and wraps the private parts. */
export async function createKeys(
  { masterKeys, random }: Pick<Engines, 'masterKeys' | 'random'>,
  origin: string,
): Promise<NewLogKey[]> {
  const keys: NewLogKey[] = [];
  for (const algorithm of ['ed25519', 'ml-dsa-44'] as const) {
    const seed = random.bytes(seedBytes);
    const privateKey = openSeed(algorithm, seed);
    if (!privateKey) continue;
    const publicKey = exportPublicKey(privateKey);
    const { keyId } = createVerifier(origin, signatureTypes[algorithm], publicKey);
    keys.push({ keyId, algorithm, publicKey, ...(await masterKeys.wrap(seed, toContext(origin, keyId))) });
    seed.fill(0);
  }
  return keys;
}

export function toVerifier(
  origin: string,
  { algorithm, publicKey }: Pick<LogKey, 'algorithm' | 'publicKey'>,
): Verifier {
  return createVerifier(origin, signatureTypes[algorithm], publicKey);
}

/** The text by which others know the key. */
export function toVerifierKey(
  origin: string,
  { algorithm, publicKey }: Pick<LogKey, 'algorithm' | 'publicKey'>,
): string {
  return formatVerifierKey(origin, signatureTypes[algorithm], publicKey);
}

/** Opens keys to sign with. One that is destroyed, or whose algorithm this version of Node does not have, is left out. */
export async function openSigners(
  { masterKeys }: Pick<Engines, 'masterKeys'>,
  origin: string,
  keys: readonly LogKey[],
  readTime: () => number,
): Promise<Signer[]> {
  const signers: Signer[] = [];
  for (const key of keys) {
    if (key.wrapped === null) continue;
    const seed = await masterKeys.unwrap(key.wrapped, key.version, toContext(origin, key.keyId));
    const privateKey = openSeed(key.algorithm, seed);
    seed.fill(0);
    if (!privateKey) continue;
    signers.push(
      createSigner({
        name: origin,
        type: signatureTypes[key.algorithm],
        publicKey: key.publicKey,
        sign: (message) => sign(null, message, privateKey),
        readTime,
      }),
    );
  }
  return signers;
}

/** Undefined if this version of Node does not have the algorithm. */
function openSeed(algorithm: SigningAlgorithm, seed: Buffer): KeyObject | undefined {
  const key = Buffer.concat([encodings[algorithm], seed]);
  try {
    const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    // OpenSSL may know an algorithm that Node does not: then the key is read, and signing fails.
    return privateKey.asymmetricKeyType === algorithm ? privateKey : undefined;
  } catch (error) {
    if (algorithm === 'ed25519') throw error;
    return undefined;
  } finally {
    key.fill(0);
  }
}

/** The bytes of the key itself, which are the last ones of its SPKI. */
function exportPublicKey(privateKey: KeyObject): Buffer {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const rawBytes = privateKey.asymmetricKeyType === 'ed25519' ? 32 : 1312;
  return spki.subarray(-rawBytes);
}
