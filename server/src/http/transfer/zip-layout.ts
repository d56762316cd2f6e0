/**
 * Computes the position of every byte of a ZIP before any is sent. Files are stored uncompressed: most files that
 * people send are compressed already, and only this way are all offsets known. The same files and time give the same
 * bytes, so that any range can be requested at any time. APPNOTE.TXT 6.3.10
 * (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT).
 */
export interface ZipEntry {
  /** The path, with `/` between folders. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly crc32: number;
}

/** A part of the archive: the content of an entry, or a header, which is created when needed. */
export type ZipPiece = {
  readonly start: number;
  readonly end: number;
} & ({ readonly entry: number } | { readonly header: () => Buffer });

export interface ZipLayout {
  readonly pieces: readonly ZipPiece[];
  readonly sizeBytes: number;
}

/** Larger values are stored in ZIP64 fields. */
const max32 = 0xffff_ffff;
const max16 = 0xffff;
const utf8Flag = 0x0800;
const plainVersion = 20;
const zip64Version = 45;
const madeOnUnix = 3 << 8;
const regularFile = (0o100644 << 16) >>> 0;

export function zipLayout(entries: readonly ZipEntry[], time: Date): ZipLayout {
  const when = dosTime(time);
  const pieces: ZipPiece[] = [];
  let end = 0;
  const add = (length: number, what: { entry: number } | { header: () => Buffer }) => {
    pieces.push({ start: end, end: end + length, ...what });
    end += length;
  };
  const addHeader = (header: () => Buffer) => add(header().length, { header });
  const offsets = entries.map((entry, index) => {
    const offset = end;
    addHeader(() => localHeader(entry, when));
    add(entry.sizeBytes, { entry: index });
    return offset;
  });
  const directory = end;
  for (const [index, entry] of entries.entries()) {
    addHeader(() => directoryRecord(entry, when, offsets[index] as number));
  }
  const ending = directoryEnd(entries.length, directory, end);
  add(ending.length, { header: () => ending });
  return { pieces, sizeBytes: end };
}

function localHeader(entry: ZipEntry, when: Buffer): Buffer {
  const name = Buffer.from(entry.path);
  const isLarge = entry.sizeBytes >= max32;
  const extra = isLarge ? zip64Field([entry.sizeBytes, entry.sizeBytes]) : Buffer.alloc(0);
  const size = Math.min(entry.sizeBytes, max32);
  return Buffer.concat([
    u32(0x0403_4b50),
    u16(isLarge ? zip64Version : plainVersion, utf8Flag, 0),
    when,
    u32(entry.crc32, size, size),
    u16(name.length, extra.length),
    name,
    extra,
  ]);
}

function directoryRecord(entry: ZipEntry, when: Buffer, offset: number): Buffer {
  const name = Buffer.from(entry.path);
  const { sizeBytes, crc32 } = entry;
  const large = [...(sizeBytes >= max32 ? [sizeBytes, sizeBytes] : []), ...(offset >= max32 ? [offset] : [])];
  const extra = large.length > 0 ? zip64Field(large) : Buffer.alloc(0);
  const version = large.length > 0 ? zip64Version : plainVersion;
  return Buffer.concat([
    u32(0x0201_4b50),
    u16(madeOnUnix | version, version, utf8Flag, 0),
    when,
    u32(crc32, Math.min(sizeBytes, max32), Math.min(sizeBytes, max32)),
    u16(name.length, extra.length, 0, 0, 0),
    u32(regularFile, Math.min(offset, max32)),
    name,
    extra,
  ]);
}

function directoryEnd(count: number, start: number, end: number): Buffer {
  const length = end - start;
  const parts: Buffer[] = [];
  if (count >= max16 || start >= max32 || length >= max32) {
    parts.push(u32(0x0606_4b50), u64(44), u16(madeOnUnix | zip64Version, zip64Version), u32(0, 0));
    parts.push(u64(count, count, length, start));
    parts.push(u32(0x0706_4b50, 0), u64(end), u32(1));
  }
  const shown = Math.min(count, max16);
  parts.push(u32(0x0605_4b50), u16(0, 0, shown, shown), u32(Math.min(length, max32), Math.min(start, max32)), u16(0));
  return Buffer.concat(parts);
}

function zip64Field(values: readonly number[]): Buffer {
  return Buffer.concat([u16(0x0001, 8 * values.length), u64(...values)]);
}

/** Encodes a time in UTC, in steps of two seconds: the format has no time zone. */
function dosTime(time: Date): Buffer {
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  const day = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  return u16(clock, day);
}

function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, 2 * index);
  return bytes;
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

function u64(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 8 * index);
  return bytes;
}
