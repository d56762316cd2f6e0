import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';

/** The weights in which receipts are set. */
export type Weight = 'regular' | 'semibold';

const folder = fileURLToPath(new URL('../../../fonts/', import.meta.url));
/** For characters that the fonts of both weights lack, the most handsome first. The last one has nearly all of Unicode's first plane. */
const fallbacks = ['noto-sans-arabic.ttf', 'noto-sans-jp.woff', 'unifont.woff'] as const;

export const fontNames = {
  regular: ['noto-sans-regular.ttf', ...fallbacks],
  semibold: ['noto-sans-semibold.ttf', ...fallbacks],
} as const satisfies Record<Weight, readonly string[]>;

export type FontName = (typeof fontNames)[Weight][number];

const opened = new Map<FontName, Buffer>();

/** Reads a font when its first character is needed: few receipts need all. */
export function readFont(name: FontName): Buffer {
  const known = opened.get(name);
  if (known) return known;
  const file = readFileSync(`${folder}${name}`);
  const content = name.endsWith('.woff') ? unpackWoff(file) : file;
  opened.set(name, content);
  return content;
}

const woff = { header: 44, tableEntry: 20 } as const;
const sfnt = { header: 12, tableEntry: 16 } as const;

/** Unpacks all tables of a WOFF 1.0 file at once: pdfkit would unpack one again for each character. */
function unpackWoff(file: Buffer): Buffer {
  const count = file.readUInt16BE(12);
  const head = Buffer.alloc(sfnt.header + count * sfnt.tableEntry);
  file.copy(head, 0, 4, 8);
  head.writeUInt16BE(count, 4);
  const tables: Buffer[] = [];
  let offset = head.length;
  for (let index = 0; index < count; index += 1) {
    const entry = woff.header + index * woff.tableEntry;
    const [start, packedSize, size] = [4, 8, 12].map((at) => file.readUInt32BE(entry + at)) as [number, number, number];
    const packed = file.subarray(start, start + packedSize);
    const table = Buffer.alloc(Math.ceil(size / 4) * 4);
    (packedSize < size ? inflateSync(packed, { maxOutputLength: size }) : packed).copy(table);
    const target = sfnt.header + index * sfnt.tableEntry;
    file.copy(head, target, entry, entry + 4);
    file.copy(head, target + 4, entry + 16, entry + 20);
    head.writeUInt32BE(offset, target + 8);
    head.writeUInt32BE(size, target + 12);
    tables.push(table);
    offset += table.length;
  }
  return Buffer.concat([head, ...tables]);
}
