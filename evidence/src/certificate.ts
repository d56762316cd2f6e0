import { decodeBase64 } from './bytes.ts';
import {
  context,
  DerCursor,
  type DerElement,
  DerError,
  readBits,
  readBoolean,
  readCount,
  readDer,
  readElements,
  readObjectId,
  readOctets,
  readTime,
  tags,
} from './der.ts';

/** An X.509 certificate, as far as the chain of a time stamp needs it. */
export interface Certificate {
  readonly raw: Uint8Array;
  /** The part that is signed. */
  readonly signed: Uint8Array;
  readonly algorithm: Algorithm;
  readonly signature: Uint8Array;
  /** Raw, to be compared. */
  readonly issuer: Uint8Array;
  readonly serial: Uint8Array;
  readonly subject: Uint8Array;
  /** The subject, for people: its common name and organisation. */
  readonly name: string;
  readonly notBefore: string;
  readonly notAfter: string;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  readonly extensions: ReadonlyMap<string, { readonly isCritical: boolean; readonly value: Uint8Array }>;
}

/** An algorithm of a signature or a digest: its object identifier. */
export type Algorithm = string;

export const extensionIds = {
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  certificatePolicies: '2.5.29.32',
  extendedKeyUsage: '2.5.29.37',
} as const;

const nameIds = { commonName: '2.5.4.3', organisation: '2.5.4.10' } as const;

/** Reads all certificates of a PEM file. Throws a DerError if there is none, or one that cannot be read. */
export function readCertificates(pem: string): Certificate[] {
  const blocks = [...pem.matchAll(/-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g)];
  if (blocks.length === 0) throw new DerError('there is no certificate in PEM');
  return blocks.map(([, base64 = '']) => {
    const bytes = decodeBase64(base64.replaceAll(/\s/g, ''));
    if (!bytes) throw new DerError('a certificate is not base64');
    return readCertificate(readDer(bytes));
  });
}

export function readCertificate(element: DerElement): Certificate {
  const parts = new DerCursor(element);
  const signed = parts.take(tags.sequence);
  const algorithm = parts.take(tags.sequence);
  const signature = readBits(parts.take(tags.bitString));
  const fields = new DerCursor(signed);
  fields.takeIf(context(0));
  const serial = fields.take(tags.integer).raw;
  if (readAlgorithm(fields.take(tags.sequence)) !== readAlgorithm(algorithm))
    throw new DerError('a certificate names two algorithms');
  const issuer = fields.take(tags.sequence).raw;
  const validity = new DerCursor(fields.take(tags.sequence));
  const [notBefore, notAfter] = [readTime(validity.takeAny()), readTime(validity.takeAny())];
  const subject = fields.take(tags.sequence);
  const publicKey = fields.take(tags.sequence).raw;
  const list = fields.takeAll().find(({ tag }) => tag === context(3));
  return {
    raw: element.raw,
    signed: signed.raw,
    algorithm: readAlgorithm(algorithm),
    signature,
    issuer,
    serial,
    subject: subject.raw,
    name: readName(subject),
    notBefore,
    notAfter,
    publicKey,
    extensions: list ? readExtensions(list) : new Map(),
  };
}

export function readAlgorithm(element: DerElement | undefined): Algorithm {
  return readObjectId(new DerCursor(element).take(tags.objectId));
}

function readExtensions(list: DerElement): Certificate['extensions'] {
  const extensions = new Map<string, { isCritical: boolean; value: Uint8Array }>();
  for (const element of new DerCursor(new DerCursor(list, context(3)).take(tags.sequence)).takeAll()) {
    const parts = new DerCursor(element);
    const id = readObjectId(parts.take(tags.objectId));
    if (extensions.has(id)) throw new DerError('a certificate has an extension twice');
    extensions.set(id, {
      isCritical: readBoolean(parts.takeIf(tags.boolean)),
      value: readOctets(parts.take(tags.octetString)),
    });
  }
  return extensions;
}

function readName(subject: DerElement): string {
  const attributes = readElements(subject).flatMap((set) => readElements(set).map((pair) => readElements(pair)));
  const find = (id: string) => {
    const value = attributes.find(([type]) => readObjectId(type) === id)?.[1];
    const isText = value && [tags.utf8String, tags.printableString, tags.ia5String].some((tag) => tag === value.tag);
    return isText ? new TextDecoder().decode(value.content.subarray(0, 200)) : undefined;
  };
  return [find(nameIds.commonName), find(nameIds.organisation)].filter((part) => part !== undefined).join(', ');
}

/** The constraints of a certificate authority; undefined if the certificate is none. */
export function readAuthority({ extensions }: Certificate): { readonly maxPath: number } | undefined {
  const extension = extensions.get(extensionIds.basicConstraints);
  if (!extension) return undefined;
  const parts = new DerCursor(readDer(extension.value));
  if (!readBoolean(parts.takeIf(tags.boolean))) return undefined;
  const length = parts.takeIf(tags.integer);
  return { maxPath: length ? readCount(length) : Number.POSITIVE_INFINITY };
}

const keyUsageBits = { digitalSignature: 0x80, nonRepudiation: 0x40, keyCertSign: 0x04 } as const;

/** Tells whether a key may be used in one of these ways. A certificate that restricts nothing allows all. */
export function allowsUsage({ extensions }: Certificate, ...usages: (keyof typeof keyUsageBits)[]): boolean {
  const extension = extensions.get(extensionIds.keyUsage);
  if (!extension) return true;
  const [bits = 0] = readBits(readDer(extension.value, tags.bitString));
  return usages.some((usage) => bits & keyUsageBits[usage]);
}

/** Tells whether the certificate is for time stamps and nothing else, as RFC 3161 requires. */
export function isForTimeStamps({ extensions }: Certificate): boolean {
  const extension = extensions.get(extensionIds.extendedKeyUsage);
  if (!extension?.isCritical) return false;
  return readElements(readDer(extension.value)).map(readObjectId).join(' ') === '1.3.6.1.5.5.7.3.8';
}

export const digests: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
};

const rsaEncryption = '1.2.840.113549.1.1.1';
const ecPublicKey = '1.2.840.10045.2.1';
const ed25519 = '1.3.101.112';

const rsaSignatures: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.11': 'SHA-256',
  '1.2.840.113549.1.1.12': 'SHA-384',
  '1.2.840.113549.1.1.13': 'SHA-512',
};
const ecdsaSignatures: Readonly<Record<string, string>> = {
  '1.2.840.10045.4.3.2': 'SHA-256',
  '1.2.840.10045.4.3.3': 'SHA-384',
  '1.2.840.10045.4.3.4': 'SHA-512',
};
const curves: Readonly<Record<string, readonly [name: string, bytes: number]>> = {
  '1.2.840.10045.3.1.7': ['P-256', 32],
  '1.3.132.0.34': ['P-384', 48],
  '1.3.132.0.35': ['P-521', 66],
};

/**
 * Verifies a signature by the key of a certificate. `digest` is that of the message, for signatures whose algorithm does not
 * name one. Throws a DerError if the algorithm is unknown.
 */
export async function verifySignature(
  { publicKey }: Pick<Certificate, 'publicKey'>,
  { algorithm, digest, signature }: { algorithm: Algorithm; digest?: string | undefined; signature: Uint8Array },
  message: Uint8Array,
): Promise<boolean> {
  const key = new DerCursor(readDer(publicKey)).take(tags.sequence);
  const [type, parameter] = readElements(key);
  const keyType = readObjectId(type);
  const rsaDigest = rsaSignatures[algorithm] ?? (algorithm === rsaEncryption ? digest : undefined);
  if (keyType === rsaEncryption && rsaDigest)
    return verifyBy({ name: 'RSASSA-PKCS1-v1_5', hash: rsaDigest }, publicKey, signature, message);
  const ecDigest = ecdsaSignatures[algorithm];
  const [namedCurve, bytes] = keyType === ecPublicKey ? (curves[readObjectId(parameter)] ?? []) : [];
  if (namedCurve !== undefined && bytes !== undefined && ecDigest)
    return verifyBy({ name: 'ECDSA', namedCurve, hash: ecDigest }, publicKey, toFixed(signature, bytes), message);
  if (keyType === ed25519 && algorithm === ed25519) return verifyBy({ name: 'Ed25519' }, publicKey, signature, message);
  throw new DerError(`the signature is of a kind that is not known here (${algorithm})`);
}

async function verifyBy(
  algorithm: { name: string; hash?: string; namedCurve?: string },
  publicKey: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
): Promise<boolean> {
  const key = await crypto.subtle
    .importKey('spki', Uint8Array.from(publicKey), algorithm, false, ['verify'])
    .catch(() => undefined);
  if (!key) throw new DerError('a public key cannot be used');
  return crypto.subtle.verify(algorithm, key, Uint8Array.from(signature), Uint8Array.from(message));
}

/** Writes the two numbers of an ECDSA signature as Web Crypto expects them: with a fixed length. */
function toFixed(signature: Uint8Array, bytes: number): Uint8Array {
  const fixed = new Uint8Array(bytes * 2);
  const numbers = readElements(readDer(signature));
  if (numbers.length !== 2) throw new DerError('a signature is malformed');
  for (const [place, { content }] of numbers.entries()) {
    const digits = content[0] === 0 ? content.subarray(1) : content;
    if (digits.length > bytes) throw new DerError('a signature is malformed');
    fixed.set(digits, bytes * (place + 1) - digits.length);
  }
  return fixed;
}
