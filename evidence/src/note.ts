import { concatBytes, decodeBase64, encodeBase64 } from './bytes.ts';

/** Texts with signatures (C2SP signed-note). */

export interface Signer {
  readonly name: string;
  readonly keyId: number;
  /** Signs the text of a note; returns the signature without the key id. */
  sign(text: string): Uint8Array | Promise<Uint8Array>;
}

/** The types of signatures: a note by Ed25519, and cosignatures of a checkpoint by Ed25519 and by ML-DSA-44. */
export type SignatureType = 1 | 4 | 6;

export interface Verifier {
  readonly name: string;
  readonly keyId: number;
  readonly type: SignatureType;
  readonly publicKey: Uint8Array;
  /** Returns undefined if the signature does not verify. The time, in seconds since 1970, is part of a cosignature. */
  verify(text: string, signature: Uint8Array): { timestamp?: number } | undefined;
}

export interface VerifiedSignature {
  readonly verifier: Verifier;
  readonly timestamp?: number;
}

/** A text that is not a note, or a note without a valid signature. */
export class NoteError extends Error {
  override readonly name = 'NoteError';
}

/** Room for a hundred signatures of ML-DSA-44. */
const maxNoteLength = 500_000;
const maxSignatures = 100;

export function isKeyName(name: string): boolean {
  return name !== '' && name.isWellFormed() && !/[\s+\u0000-\u001f\u007f\u0085]/u.test(name);
}

export async function signNote(text: string, signers: readonly Signer[]): Promise<string> {
  if (!text.endsWith('\n')) throw new NoteError('the text of a note ends with a newline');
  if (signers.length === 0) throw new NoteError('nobody signs the note');
  return addSignatures(`${text}\n`, await Promise.all(signers.map((signer) => signText(text, signer))));
}

/** Returns one signature line, as a witness returns it. */
export async function signText(text: string, signer: Signer): Promise<string> {
  const signature = await signer.sign(text);
  return `— ${signer.name} ${encodeBase64(concatBytes(encodeKeyId(signer.keyId), signature))}\n`;
}

/** Appends signature lines to a note. A line of a key that has signed already replaces the earlier one. */
export function addSignatures(note: string, lines: readonly string[]): string {
  const end = note.lastIndexOf('\n\n') + 2;
  const signatures = new Map<string, string>();
  for (const line of [...splitLines(note.slice(end)), ...lines.flatMap(splitLines)]) {
    const { name, keyId } = parseSignature(line);
    signatures.set(`${name} ${keyId}`, `${line}\n`);
  }
  const added = note.slice(0, end) + [...signatures.values()].join('');
  parseNote(added);
  return added;
}

/**
 * Checks a note and returns its text with the signatures of the keys that are known, in the order of the note. As the
 * specification demands, it ignores signatures of other keys, and throws if any of a known key is wrong or if there is none.
 */
export function openNote(
  note: string,
  verifiers: readonly Verifier[],
): { text: string; verified: VerifiedSignature[] } {
  const { text, signatures } = parseNote(note);
  const verified: VerifiedSignature[] = [];
  for (const { name, keyId, signature } of signatures) {
    const known = verifiers.filter((verifier) => verifier.name === name && verifier.keyId === keyId);
    if (known.length > 1) throw new NoteError(`two known keys have the name ${name} and the same id`);
    for (const verifier of known) {
      if (verified.some((other) => other.verifier === verifier)) throw new NoteError(`${name} signed twice`);
      const result = verifier.verify(text, signature);
      if (!result) throw new NoteError(`the signature of ${name} is wrong`);
      verified.push({ verifier, ...result });
    }
  }
  if (verified.length === 0) throw new NoteError('the note has no signature of a known key');
  return { text, verified };
}

function parseNote(note: string) {
  if (note.length > maxNoteLength) throw new NoteError('the note is too long');
  if (!note.isWellFormed() || /[\u0000-\u0009\u000b-\u001f]/.test(note))
    throw new NoteError('the note contains characters that are not allowed');
  const end = note.lastIndexOf('\n\n');
  if (end < 0) throw new NoteError('no empty line separates the text from signatures');
  const signatures = splitLines(note.slice(end + 2)).map(parseSignature);
  if (signatures.length > maxSignatures) throw new NoteError(`the note has more than ${maxSignatures} signatures`);
  return { text: note.slice(0, end + 1), signatures };
}

function splitLines(lines: string): string[] {
  if (lines === '') return [];
  if (!lines.endsWith('\n')) throw new NoteError('the last line of the note has no newline');
  return lines.slice(0, -1).split('\n');
}

function parseSignature(line: string) {
  const [dash, name = '', base64 = '', ...rest] = line.split(' ');
  const bytes = decodeBase64(base64);
  if (dash !== '—' || !isKeyName(name) || !bytes || bytes.length < 5 || rest.length > 0)
    throw new NoteError('a line after the text of the note is not a signature');
  return { name, keyId: decodeKeyId(bytes), signature: bytes.subarray(4) };
}

function encodeKeyId(keyId: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, keyId);
  return bytes;
}

/** Reads a key id from the first four bytes of a hash or signature. */
export function decodeKeyId(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
}
