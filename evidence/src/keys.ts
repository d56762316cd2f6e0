import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { ml_dsa44 } from '@noble/post-quantum/ml-dsa.js';
import { concatBytes, decodeBase64, encodeBase64, encodeText, encodeUint64 } from './bytes.ts';
import { buildEd25519Cosignature, buildMlDsaCosignature } from './cosignature.ts';
import { decodeKeyId, isKeyName, type SignatureType, type Signer, type Verifier } from './note.ts';

/** Verifier keys and signers for every type of signature. */

const keyLengths: Readonly<Record<SignatureType, number>> = { 1: 32, 4: 32, 6: 1312 };

/** The last second of the year 9999. */
const maxTimestamp = 253_402_300_799n;

function isSignatureType(type: number | undefined): type is SignatureType {
  return type === 1 || type === 4 || type === 6;
}

export function computeKeyId(name: string, type: SignatureType, publicKey: Uint8Array): number {
  return decodeKeyId(sha256(concatBytes(encodeText(`${name}\n`), Uint8Array.of(type), publicKey)));
}

/** Returns `name+id+key`, the text by which others pin a key. */
export function formatVerifierKey(name: string, type: SignatureType, publicKey: Uint8Array): string {
  const keyId = computeKeyId(name, type, publicKey).toString(16).padStart(8, '0');
  return `${name}+${keyId}+${encodeBase64(concatBytes(Uint8Array.of(type), publicKey))}`;
}

/** Throws a TypeError if the text is not a verifier key of a type that this library knows. */
export function parseVerifierKey(text: string): Verifier {
  const [, name = '', base64 = ''] = /^([^+]+)\+[0-9a-f]{8}\+(.+)$/.exec(text) ?? [];
  const [type, ...key] = decodeBase64(base64) ?? [];
  const publicKey = Uint8Array.from(key);
  if (!isKeyName(name)) throw new TypeError('a verifier key has the form NAME+ID+KEY');
  if (!isSignatureType(type) || publicKey.length !== keyLengths[type])
    throw new TypeError(`the verifier key of ${name} has an unknown type`);
  if (formatVerifierKey(name, type, publicKey) !== text)
    throw new TypeError(`the verifier key of ${name} is damaged: its id belongs to another key`);
  return createVerifier(name, type, publicKey);
}

export function createVerifier(name: string, type: SignatureType, publicKey: Uint8Array): Verifier {
  const verify: Record<SignatureType, Verifier['verify']> = {
    1: (text, signature) => (verifyEd25519(signature, encodeText(text), publicKey) ? {} : undefined),
    4: (text, signature) => {
      const timestamp = readTimestamp(signature);
      if (timestamp === undefined) return undefined;
      const message = buildEd25519Cosignature(text, timestamp);
      return verifyEd25519(signature.subarray(8), message, publicKey) ? { timestamp } : undefined;
    },
    6: (text, signature) => {
      const timestamp = readTimestamp(signature);
      const message = timestamp === undefined ? undefined : buildMlDsaCosignature(name, text, timestamp);
      if (!message || !verifyMlDsa(signature.subarray(8), message, publicKey)) return undefined;
      return timestamp ? { timestamp } : {};
    },
  };
  return { name, keyId: computeKeyId(name, type, publicKey), type, publicKey, verify: verify[type] };
}

/**
 * Makes a signer from a function that signs a message with the private key, wherever that is. `readTime` returns the seconds
 * since 1970 that a cosignature states.
 */
export function createSigner(key: {
  readonly name: string;
  readonly type: SignatureType;
  readonly publicKey: Uint8Array;
  readonly sign: (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  readonly readTime: () => number;
}): Signer {
  const { name, type, publicKey } = key;
  if (!isKeyName(name)) throw new TypeError(`${name} cannot be the name of a key`);
  const sign: Signer['sign'] = async (text) => {
    if (type === 1) return key.sign(encodeText(text));
    const timestamp = key.readTime();
    const message =
      type === 4 ? buildEd25519Cosignature(text, timestamp) : buildMlDsaCosignature(name, text, timestamp);
    if (!message) throw new TypeError('only a checkpoint can be cosigned');
    return concatBytes(encodeUint64(timestamp), await key.sign(message));
  };
  return { name, keyId: computeKeyId(name, type, publicKey), sign };
}

function readTimestamp(signature: Uint8Array): number | undefined {
  if (signature.length < 8) return undefined;
  const timestamp = new DataView(signature.buffer, signature.byteOffset, 8).getBigUint64(0);
  return timestamp <= maxTimestamp ? Number(timestamp) : undefined;
}

/**
 * Verifies as RFC 8032 says, without the lenience of ZIP 215. Both points must be in the group of prime order, as those of every
 * honest signer are: of others, RFC 8032 lets verifiers judge differently.
 */
function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || !ed25519.verify(signature, message, publicKey, { zip215: false })) return false;
  return [publicKey, signature.subarray(0, 32)].every((point) => ed25519.Point.fromBytes(point).isTorsionFree());
}

function verifyMlDsa(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  return signature.length === 2420 && ml_dsa44.verify(signature, message, publicKey);
}
