import { ExchangeError } from '../../domain/exchange-error.ts';
import type { DeclaredDigests } from '../../domain/uploads/upload-store.ts';

const lengths: Readonly<Record<string, number>> = { 'sha-256': 32, 'sha-512': 64 };
/** A member of a dictionary whose value is a byte sequence (RFC 9651). */
const memberShape = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):(?:;.*)?$/;

/**
 * Reads the digest of the whole file that the caller declares (RFC 9530). Unknown algorithms are ignored, but a header
 * with nothing else is refused, because the caller relies on a comparison.
 */
export function readReprDigest(header: string | string[] | undefined): DeclaredDigests | undefined {
  if (header === undefined) return undefined;
  const found = new Map<string, Buffer>();
  for (const member of String(header).split(',')) {
    const [, algorithm, value] = memberShape.exec(member.trim()) ?? [];
    if (algorithm === undefined || value === undefined) throw refusal();
    const digest = Buffer.from(value, 'base64');
    if (lengths[algorithm] === undefined) continue;
    if (digest.length !== lengths[algorithm]) throw refusal();
    found.set(algorithm, digest);
  }
  if (found.size === 0) throw refusal();
  return { sha256: found.get('sha-256') ?? null, sha512: found.get('sha-512') ?? null };
}

function refusal(): ExchangeError {
  return new ExchangeError('malformed_request', 'Repr-Digest takes sha-256=:…: or sha-512=:…:, in Base64.');
}
