import { sha256 } from '@noble/hashes/sha2.js';
import { encodeText, equalBytes } from './bytes.ts';
import { type Algorithm, type Certificate, digests, readAlgorithm, readCertificate } from './certificate.ts';
import {
  context,
  DerCursor,
  type DerElement,
  DerError,
  readCount,
  readDer,
  readElements,
  readObjectId,
  readOctets,
  readTime,
  tags,
  writeDer,
} from './der.ts';

/** Time stamps of RFC 3161: requests, responses, and the tokens that responses contain. */

export const maxTokenBytes = 64 * 1024;

/** A time stamp, or a response of an authority, that is not accepted. The message says why. */
export class TimeStampError extends Error {
  override readonly name = 'TimeStampError';
}

const sha256Id = Uint8Array.of(0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01);
const contentIds = { signedData: '1.2.840.113549.1.7.2', timeStamp: '1.2.840.113549.1.9.16.1.4' } as const;
const maxCertificates = 20;

/** Asks for a time stamp of a text, with the certificates that verify it. The nonce is in the response again. */
export function formatTimeStampRequest(text: string, nonce: Uint8Array): Uint8Array {
  const algorithm = writeDer(tags.sequence, writeDer(tags.objectId, sha256Id), Uint8Array.of(5, 0));
  return writeDer(
    tags.sequence,
    writeDer(tags.integer, Uint8Array.of(1)),
    writeDer(tags.sequence, algorithm, writeDer(tags.octetString, sha256(encodeText(text)))),
    writeDer(tags.integer, toPositive(nonce)),
    writeDer(tags.boolean, Uint8Array.of(0xff)),
  );
}

/** The digits of a number that is neither negative nor written with needless zeros. */
function toPositive(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(0x40 | ((bytes[0] ?? 0) & 0x3f), ...bytes.subarray(1));
}

/** Returns the token of a response that is for this text and this nonce. Its signature is not verified. */
export function readTimeStampResponse(response: Uint8Array, text: string, nonce: Uint8Array): Uint8Array {
  const token = refuseUnreadable('The response is not one of RFC 3161', () => {
    const parts = new DerCursor(readDer(response));
    const info = new DerCursor(parts.take(tags.sequence));
    const status = readCount(info.take(tags.integer));
    if (status > 1) throw new TimeStampError(`The authority refused the request (status ${status})${readReason(info)}`);
    return parts.take(tags.sequence).raw;
  });
  const stamp = readTimeStamp(token);
  requireText(stamp, text);
  if (!stamp.nonce || !equalBytes(stamp.nonce, toPositive(nonce)))
    throw new TimeStampError('The time stamp is a response to another request');
  return token;
}

function readReason(info: DerCursor): string {
  const texts = info.takeIf(tags.sequence);
  const [first] = texts ? readElements(texts) : [];
  return first ? `: ${new TextDecoder().decode(first.content.subarray(0, 200))}` : '';
}

/** The statements of a token. */
export interface TimeStamp {
  /** The time that the authority states. */
  readonly at: string;
  /** The SHA-256 of what was stamped. */
  readonly imprint: Uint8Array;
  readonly nonce: Uint8Array | undefined;
}

/** The parts by which a token is verified. */
export interface TimeStampSignature {
  /** The content that is signed: RFC 3161, TSTInfo. */
  readonly content: Uint8Array;
  readonly certificates: readonly Certificate[];
  /** Raw, to be compared; absent if the certificate is named in another way. */
  readonly issuer: Uint8Array | undefined;
  readonly serial: Uint8Array | undefined;
  readonly digest: string;
  /** As they are signed, and by their identifiers. */
  readonly attributes: Uint8Array;
  readonly values: ReadonlyMap<string, DerElement>;
  readonly algorithm: Algorithm;
  readonly signature: Uint8Array;
}

/** Reads what a token says. Its signature is not verified. Throws a TimeStampError. */
export function readTimeStamp(token: Uint8Array): TimeStamp {
  return refuseUnreadable('The time stamp cannot be read', () => readContent(openToken(token).content));
}

/** Reads the signature of a token without verifying it. Throws a DerError. */
export function readTimeStampSignature(token: Uint8Array): TimeStampSignature {
  const { content, rest } = openToken(token);
  const list = rest.takeIf(context(0));
  rest.takeIf(context(1));
  const [signer, ...others] = new DerCursor(rest.take(tags.set), tags.set).takeAll();
  if (others.length > 0) throw new DerError('it has several signatures');
  const certificates = list ? readElements(list).filter(({ tag }) => tag === tags.sequence) : [];
  if (certificates.length > maxCertificates) throw new DerError('it has too many certificates');
  return { content, certificates: certificates.map(readCertificate), ...readSigner(signer) };
}

/** Returns what is signed, and the elements after it. */
function openToken(token: Uint8Array): { readonly content: Uint8Array; readonly rest: DerCursor } {
  if (token.length > maxTokenBytes) throw new DerError('it is too large');
  const outer = new DerCursor(readDer(token));
  requireId(outer.take(tags.objectId), contentIds.signedData);
  const rest = new DerCursor(new DerCursor(outer.take(context(0)), context(0)).take(tags.sequence));
  rest.take(tags.integer);
  rest.take(tags.set);
  const inner = new DerCursor(rest.take(tags.sequence));
  requireId(inner.take(tags.objectId), contentIds.timeStamp);
  return { content: readOctets(new DerCursor(inner.take(context(0)), context(0)).takeAny()), rest };
}

function readContent(content: Uint8Array): TimeStamp {
  const fields = new DerCursor(readDer(content));
  if (readCount(fields.take(tags.integer)) !== 1) throw new DerError('its version is not known');
  fields.take(tags.objectId);
  const imprint = new DerCursor(fields.take(tags.sequence));
  const digest = digests[readAlgorithm(imprint.take(tags.sequence))];
  if (digest !== 'SHA-256') throw new DerError('it is not for a SHA-256');
  const hash = imprint.take(tags.octetString).content;
  fields.take(tags.integer);
  const at = readTime(fields.take(tags.generalizedTime));
  fields.takeIf(tags.sequence);
  fields.takeIf(tags.boolean);
  return { at, imprint: hash, nonce: fields.takeIf(tags.integer)?.content };
}

function readSigner(element: DerElement | undefined): Omit<TimeStampSignature, 'content' | 'certificates'> {
  const fields = new DerCursor(element);
  fields.take(tags.integer);
  const id = fields.takeAny();
  const [issuer, serial] = id.tag === tags.sequence ? readElements(id) : [];
  const digest = digests[readAlgorithm(fields.take(tags.sequence))];
  if (!digest) throw new DerError('its digest is of a kind that is not known here');
  const attributes = fields.take(context(0));
  const values = new Map<string, DerElement>();
  for (const attribute of readElements(attributes)) {
    const parts = new DerCursor(attribute);
    const name = readObjectId(parts.take(tags.objectId));
    const [value, ...others] = readElements(parts.take(tags.set));
    if (!value || others.length > 0 || values.has(name)) throw new DerError('an attribute is ambiguous');
    values.set(name, value);
  }
  return {
    issuer: issuer?.raw,
    serial: serial?.raw,
    digest,
    // They are signed as a set, and stored under the tag of their place.
    attributes: Uint8Array.of(tags.set, ...attributes.raw.subarray(1)),
    values,
    algorithm: readAlgorithm(fields.take(tags.sequence)),
    signature: fields.take(tags.octetString).content,
  };
}

export function requireId(element: DerElement | undefined, id: string): void {
  if (readObjectId(element) !== id) throw new DerError('it is of another kind');
}

/** Throws a TimeStampError unless the time stamp is for these bytes. */
export function requireText({ imprint }: TimeStamp, text: string): void {
  if (!equalBytes(imprint, sha256(encodeText(text)))) throw new TimeStampError('The time stamp is for something else');
}

export function refuseUnreadable<T>(message: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DerError) throw new TimeStampError(`${message}: ${error.message}`);
    throw error;
  }
}
