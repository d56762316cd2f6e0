import type { Scan, Scanner, Verdict } from '../ports/scanner.ts';

/** Enough for the keys of several receivers of an OpenPGP message. */
const examinedBytes = 4096;
const encrypted: Verdict = { result: 'unscanned', why: 'encrypted' };

const ageHeader = 'age-encryption.org/';
/** Both may follow white space. */
const armorHeaders = ['-----BEGIN AGE ENCRYPTED FILE-----', '-----BEGIN PGP MESSAGE'];

/**
 * Scanners find nothing in a file that age, OpenPGP or Office has encrypted, and call it clean. Here it has the verdict of a
 * file that cannot be inspected. The kinds that a scanner reports by itself, such as archives with a password, are left to it.
 */
export function recognizeEncryption(begin: Scanner['begin']): Scanner['begin'] {
  return (source) => {
    const scan = begin(source);
    const first = Buffer.alloc(examinedBytes);
    let length = 0;
    const office = new OfficeContainer();
    const correct = (verdict: Verdict): Verdict =>
      verdict.result === 'clean' && (office.isEncrypted || isEncrypted(first.subarray(0, length)))
        ? encrypted
        : verdict;
    return {
      write(bytes) {
        length += bytes.copy(first, length);
        office.read(bytes);
        return scan.write(bytes);
      },
      get early() {
        return scan.early && correct(scan.early);
      },
      verdict: () => scan.verdict().then(correct),
      abandon: () => scan.abandon(),
    } satisfies Scan;
  };
}

/** Whether a file that begins like this is encrypted by age or OpenPGP. */
export function isEncrypted(first: Buffer): boolean {
  const text = first.toString('latin1').replace(/^ï»¿/, '').trimStart();
  return (
    first.toString('latin1').startsWith(ageHeader) ||
    armorHeaders.some((header) => text.startsWith(header)) ||
    isOpenPgpMessage(first)
  );
}

const containerMark = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** An entry of the directory of a container: its name, and how many bytes that has with its end. */
const entryBytes = 128;
const encryptedPackage = Buffer.alloc(66);
encryptedPackage.write('EncryptedPackage', 'utf16le');
encryptedPackage.writeUInt16LE(2 * ('EncryptedPackage'.length + 1), 64);

/**
 * Office keeps a document with a password as one stream in a container of its older formats (MS-CFB, MS-OFFCRYPTO), whose
 * directory may be anywhere.
 */
class OfficeContainer {
  isEncrypted = false;
  #isContainer: boolean | undefined;
  /** The beginning of an entry of which the rest has not arrived. */
  #rest: Buffer = Buffer.alloc(0);

  read(bytes: Buffer): void {
    if (this.#isContainer === false || this.isEncrypted) return;
    const known = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    if (known.length >= entryBytes) this.#isContainer ??= known.subarray(0, containerMark.length).equals(containerMark);
    if (this.#isContainer === false) return;
    const end = known.length - (known.length % entryBytes);
    for (let at = known.indexOf(encryptedPackage); at !== -1 && at < end; at = known.indexOf(encryptedPackage, at + 1))
      if (at % entryBytes === 0) this.isEncrypted = true;
    // A copy: the memory of the piece is freed.
    this.#rest = Buffer.from(known.subarray(end));
  }
}

/** The packets of an OpenPGP message (RFC 9580): session keys, of which each is for a receiver or a password, then data. */
const tags = { sessionKeyForReceiver: 1, sessionKeyForPassword: 3, marker: 10, data: new Set([9, 18, 20]) };
/**
 * The longest session key: more than one for RSA with 16,384 bits or ML-KEM-1024 has, and so little that a whole one is
 * always examined.
 */
const maxSessionKeyBytes = 3000;
/** The bytes of a packet that are looked at: its header, and what is before a receiver's algorithm. */
const maxBeginBytes = 6 + 36;

/** An encrypted message begins with at least one session key; other data hardly ever looks like a whole one. */
function isOpenPgpMessage(first: Buffer): boolean {
  const end = first.length < examinedBytes ? Number.POSITIVE_INFINITY : first.length - maxBeginBytes;
  let hasSessionKey = false;
  for (let offset = 0; offset <= end; ) {
    const packet = readPacketHeader(first, offset);
    if (!packet) return false;
    const { tag, start, bytes } = packet;
    if (tags.data.has(tag)) return hasSessionKey;
    if (bytes === undefined || bytes > maxSessionKeyBytes || !isExpected(tag, first.subarray(start, start + bytes)))
      return false;
    hasSessionKey ||= tag !== tags.marker;
    offset = start + bytes;
  }
  return hasSessionKey;
}

function isExpected(tag: number, body: Buffer): boolean {
  if (tag === tags.marker) return body.toString('latin1') === 'PGP';
  if (tag === tags.sessionKeyForReceiver) return isKeyForReceiver(body);
  return tag === tags.sessionKeyForPassword && isKeyForPassword(body);
}

/** Names the receiver's key, then the algorithm: RSA, Elgamal, ECDH, X25519, X448, or a later one. */
function isKeyForReceiver(body: Buffer): boolean {
  const [version, nameBytes = 0, keyVersion] = body;
  if (version === 3) return isAlgorithm(body[9]);
  // A version and a fingerprint, which is longer in keys of version 6, or nothing.
  const isName = nameBytes === 0 || (nameBytes === 21 && keyVersion === 4) || (nameBytes === 33 && keyVersion === 6);
  return version === 6 && isName && isAlgorithm(body[2 + nameBytes]);
}

/** Names a cipher, from version 5 on its mode, and how the password becomes a key. Version 6 counts the bytes of these. */
function isKeyForPassword(body: Buffer): boolean {
  const [version, ...fields] = body.subarray(0, 6);
  if (version === 4) return isCipher(fields[0]) && isDerivation(fields[1]);
  if (version === 5) return isCipher(fields[0]) && isMode(fields[1]) && isDerivation(fields[2]);
  const [count = 0, cipher, mode, derivationBytes = 0, derivation] = fields;
  const isCounted = isWithin(count - derivationBytes - 3, 12, 16);
  return version === 6 && isCounted && isCipher(cipher) && isMode(mode) && isDerivation(derivation);
}

const isAlgorithm = (value: number | undefined) => isWithin(value, 1, 110);
const isCipher = (value: number | undefined) => isWithin(value, 1, 13);
const isMode = (value: number | undefined) => isWithin(value, 1, 3);
const isDerivation = (value: number | undefined) => isWithin(value, 0, 4);

const isWithin = (value: number | undefined, least: number, most: number) =>
  value !== undefined && value >= least && value <= most;

const maxHeaderBytes = 6;

/** `bytes` is undefined if the packet has no definite length. Returns nothing if no packet begins there. */
function readPacketHeader(
  buffer: Buffer,
  offset: number,
): { readonly tag: number; readonly start: number; readonly bytes: number | undefined } | undefined {
  const header = buffer[offset] ?? 0;
  const at = (index: number) => buffer[offset + index] ?? 0;
  if ((header & 0x80) === 0 || offset + maxHeaderBytes > buffer.length) return undefined;
  if ((header & 0x40) === 0) {
    const tag = (header >> 2) & 0xf;
    const size = [1, 2, 4][header & 3];
    const bytes = size === undefined ? undefined : buffer.readUIntBE(offset + 1, size);
    return { tag, start: offset + 1 + (size ?? 0), bytes };
  }
  const tag = header & 0x3f;
  const length = at(1);
  if (length < 192) return { tag, start: offset + 2, bytes: length };
  if (length < 224) return { tag, start: offset + 3, bytes: ((length - 192) << 8) + at(2) + 192 };
  if (length === 255) return { tag, start: offset + 6, bytes: buffer.readUInt32BE(offset + 2) };
  return { tag, start: offset + 2, bytes: undefined };
}
