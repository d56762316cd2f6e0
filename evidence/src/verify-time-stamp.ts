import { equalBytes } from './bytes.ts';
import {
  allowsUsage,
  type Certificate,
  digests,
  extensionIds,
  isForTimeStamps,
  readAlgorithm,
  readAuthority,
  readCertificates,
  verifySignature,
} from './certificate.ts';
import { DerCursor, type DerElement, DerError, readElements, tags } from './der.ts';
import {
  readTimeStamp,
  readTimeStampSignature,
  refuseUnreadable,
  requireId,
  requireText,
  TimeStampError,
  type TimeStampSignature,
} from './time-stamp.ts';

/** The certificates of time-stamping authorities, or of those that issue them, which somebody trusts. */
export type Authorities = readonly Certificate[];

const attributeIds = {
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
} as const;
const timeStampContent = '1.2.840.113549.1.9.16.1.4';

/** A critical extension that is not among these is a rule that nobody would apply. */
const knownExtensions: readonly string[] = Object.values(extensionIds);

/** Reads trusted certificates from PEM. Throws a TimeStampError. */
export function parseAuthorities(pem: string): Authorities {
  return refuseUnreadable('The certificates cannot be read', () => readCertificates(pem));
}

/**
 * Verifies that a trusted authority has signed a time stamp of this text: the signature, the chain of certificates at the time
 * of the stamp, and that the certificate is for time stamps. Whether a certificate was revoked is not looked up. Returns the
 * time and the name of the authority; throws a TimeStampError.
 */
export async function verifyTimeStamp(
  token: Uint8Array,
  text: string,
  authorities: Authorities,
): Promise<{ readonly at: string; readonly authority: string }> {
  try {
    const stamp = readTimeStamp(token);
    requireText(stamp, text);
    const signature = readTimeStampSignature(token);
    const signer = await findSigner(signature, authorities);
    await verifySigner(signature, signer);
    if (!isForTimeStamps(signer) || !allowsUsage(signer, 'digitalSignature', 'nonRepudiation'))
      throw new TimeStampError('The certificate that signed the time stamp is not for time stamps');
    await verifyChain(signer, [...authorities, ...signature.certificates], authorities, stamp.at);
    return { at: stamp.at, authority: signer.name || 'an authority without a name' };
  } catch (error) {
    if (error instanceof DerError) throw new TimeStampError(`The time stamp cannot be verified: ${error.message}`);
    throw error;
  }
}

/** Finds the certificate that the signed attributes name, so that no other with the same key or name can take its place. */
async function findSigner(
  { certificates, values, issuer, serial }: TimeStampSignature,
  authorities: Authorities,
): Promise<Certificate> {
  const [digest, hash] = readSignerHash(values);
  for (const certificate of [...certificates, ...authorities]) {
    if (!equalBytes(await computeDigest(digest, certificate.raw), hash)) continue;
    const isNamed =
      !issuer || !serial || (equalBytes(issuer, certificate.issuer) && equalBytes(serial, certificate.serial));
    if (isNamed) return certificate;
  }
  throw new TimeStampError('The certificate that signed the time stamp is missing');
}

/** Reads RFC 2634 (SHA-1) or RFC 5035. The first certificate is the one that signed. */
function readSignerHash(values: ReadonlyMap<string, DerElement>): readonly [digest: string, hash: Uint8Array] {
  const second = values.get(attributeIds.signingCertificateV2);
  const list = new DerCursor(second ?? values.get(attributeIds.signingCertificate)).take(tags.sequence);
  const fields = new DerCursor(readElements(list)[0]);
  const algorithm = second ? fields.takeIf(tags.sequence) : undefined;
  const digest = algorithm ? digests[readAlgorithm(algorithm)] : second ? 'SHA-256' : 'SHA-1';
  if (!digest) throw new DerError('a digest is of a kind that is not known here');
  return [digest, fields.take(tags.octetString).content];
}

async function verifySigner(
  { content, values, digest, attributes, algorithm, signature }: TimeStampSignature,
  certificate: Certificate,
): Promise<void> {
  requireId(values.get(attributeIds.contentType), timeStampContent);
  const stated = values.get(attributeIds.messageDigest)?.content ?? new Uint8Array();
  const isOfContent = equalBytes(await computeDigest(digest, content), stated);
  if (!isOfContent || !(await verifySignature(certificate, { algorithm, digest, signature }, attributes)))
    throw new TimeStampError('The signature of the time stamp is wrong');
}

/** Follows the issuers of a certificate to one that is trusted. Each certificate is tried once. */
async function verifyChain(
  signer: Certificate,
  known: readonly Certificate[],
  trusted: Authorities,
  at: string,
): Promise<void> {
  const tried = new Set<Certificate>();
  let certificates = [signer];
  for (let length = 0; certificates.length > 0; length++) {
    const issuers: Certificate[] = [];
    for (const certificate of certificates) {
      if (!isUsable(certificate, at)) continue;
      if (trusted.some(({ raw }) => equalBytes(raw, certificate.raw))) return;
      for (const issuer of known) {
        if (tried.has(issuer) || !mayIssue(issuer, certificate, length)) continue;
        tried.add(issuer);
        if (await verifySignature(issuer, certificate, certificate.signed)) issuers.push(issuer);
      }
    }
    certificates = issuers;
  }
  throw new TimeStampError(
    `The time stamp is signed by ${signer.name || 'an authority without a name'}, which no given certificate leads to, or which was not valid at ${at}`,
  );
}

function isUsable({ notBefore, notAfter, extensions }: Certificate, at: string): boolean {
  const isUnderstood = [...extensions].every(([id, { isCritical }]) => !isCritical || knownExtensions.includes(id));
  return notBefore <= at && at <= notAfter && isUnderstood;
}

/** `between` is the number of certificates between the issuer's own and that of the signer. */
function mayIssue(issuer: Certificate, certificate: Certificate, between: number): boolean {
  return (
    equalBytes(issuer.subject, certificate.issuer) &&
    (readAuthority(issuer)?.maxPath ?? -1) >= between &&
    allowsUsage(issuer, 'keyCertSign')
  );
}

async function computeDigest(digest: string, bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest(digest, Uint8Array.from(bytes)));
}
