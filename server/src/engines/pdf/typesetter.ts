import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import type PDFDocument from 'pdfkit';

/** The weights in which receipts are set. */
type Weight = 'regular' | 'semibold';

const folder = fileURLToPath(new URL('../../../fonts/', import.meta.url));
/** For characters that the fonts of both weights lack, the most handsome first. The last one has nearly all of Unicode's first plane. */
const fallbacks = ['noto-sans-arabic.ttf', 'noto-sans-jp.woff', 'unifont.woff'] as const;

const fontNames = {
  regular: ['noto-sans-regular.ttf', ...fallbacks],
  semibold: ['noto-sans-semibold.ttf', ...fallbacks],
} as const satisfies Record<Weight, readonly string[]>;

type FontName = (typeof fontNames)[Weight][number];

const opened = new Map<FontName, Buffer>();

/** Reads a font when its first character is needed: few receipts need all. */
function readFont(name: FontName): Buffer {
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

export interface Style {
  readonly size: number;
  readonly weight?: Weight;
  readonly color: string;
}

/** Characters of one font and one direction, which are drawn at once. */
interface Run {
  readonly font: FontName;
  readonly text: string;
}

export interface Block {
  readonly lines: readonly (readonly Run[])[];
  readonly width: number;
  readonly height: number;
  readonly style: Style;
}

/** The part of pdfkit's font that its types leave out. */
interface OpenFont {
  readonly _font: { readonly font: { hasGlyphForCodePoint(codePoint: number): boolean } };
}

const lineHeight = 1.42;
const replacement = '\uFFFD';
const isolates = /[\u2066-\u2069\u200E\u200F\u202A-\u202E]/g;
const ideographs = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`;
/** A line may end after a space or between ideographs. */
const words = new RegExp(String.raw`\s+|[${ideographs}]|[^\s${ideographs}]+`, 'gu');
/** A word that is longer than a line may also be divided after a sign. */
const parts = /[^-_/@.]*[-_/@.]+|[^-_/@.]+/g;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Sets text of any script in lines: pdfkit itself draws a text in one font, and breaks lines only at spaces. */
export class Typesetter {
  /** Whether a character was in no font, and was replaced. */
  hasReplaced = false;
  readonly #document: InstanceType<typeof PDFDocument>;
  readonly #registered = new Set<FontName>();
  readonly #covered = new Map<string, boolean>();

  constructor(document: InstanceType<typeof PDFDocument>) {
    this.#document = document;
  }

  /** Breaks a text into lines of at most this width. */
  set(text: string, width: number, style: Style): Block {
    const weight = style.weight ?? 'regular';
    const lines: Run[][] = [];
    for (const paragraph of text.replace(isolates, '').split('\n'))
      for (const line of this.#breakLines(paragraph, width, style)) lines.push(this.#toRuns(line, weight));
    return { lines, width, height: lines.length * style.size * lineHeight, style };
  }

  /** Draws a block with its upper left corner here. */
  draw(block: Block, x: number, y: number, align: 'left' | 'right' = 'left'): void {
    const { size, color } = block.style;
    block.lines.forEach((line, index) => {
      const length = line.reduce((sum, run) => sum + this.#measureRun(run, size), 0);
      let at = align === 'left' ? x : x + block.width - length;
      for (const run of line) {
        this.#use(run.font);
        this.#document
          .fontSize(size)
          .fillColor(color)
          // The fonts differ in height: they stand on one line.
          .text(toDrawn(run), at, y + index * size * lineHeight + size * 1.07, {
            lineBreak: false,
            baseline: 'alphabetic',
            ...toFeatures(run.text),
          });
        at += this.#measureRun(run, size);
      }
    });
  }

  #breakLines(text: string, width: number, style: Style): string[] {
    const lines: string[] = [];
    let line = '';
    const fits = (candidate: string) => this.#measure(candidate.trimEnd(), style) <= width;
    const add = (atom: string) => {
      if (!fits(line + atom)) {
        if (line !== '') lines.push(line.trimEnd());
        line = atom.trimStart();
      } else line += atom;
    };
    for (const word of text.match(words) ?? []) {
      if (fits(word)) add(word);
      else
        for (const part of word.match(parts) ?? [])
          if (fits(part)) add(part);
          else for (const { segment } of graphemes.segment(part)) add(segment);
    }
    return [...lines, line.trimEnd()];
  }

  #measure(text: string, { size, weight = 'regular' }: Style): number {
    return this.#toRuns(text, weight).reduce((sum, run) => sum + this.#measureRun(run, size), 0);
  }

  #measureRun({ font, text }: Run, size: number): number {
    this.#use(font);
    return this.#document.fontSize(size).widthOfString(text, toFeatures(text));
  }

  /** Gives every word the first font that has all of it, so that a name is not set in two faces if it can be avoided. */
  #toRuns(text: string, weight: Weight): Run[] {
    const runs: { font: FontName; text: string; isReversed: boolean }[] = [];
    const add = (font: FontName, part: string) => {
      const last = runs.at(-1);
      const isReversed = rightToLeft.test(part);
      const before = runs.at(-2);
      // A space between two words that are written from right to left belongs to both.
      if (isReversed && before?.font === font && before.isReversed && /^\s+$/.test(last?.text ?? '')) {
        before.text += `${runs.pop()?.text}${part}`;
      } else if (last?.font === font && last.isReversed === isReversed) last.text += part;
      else runs.push({ font, text: part, isReversed });
    };
    for (const word of text.match(/\s+|[^\s]+/g) ?? []) {
      const isSpace = /^\s/.test(word);
      const font = isSpace ? runs.at(-1)?.font : this.#findFont(word, weight);
      // Digits and signs beside a word that is written from right to left keep their own direction.
      if (font !== undefined && (isSpace || !rightToLeft.test(word))) add(font, word);
      else
        for (const { segment } of graphemes.segment(word)) {
          const found = this.#findFont(segment, weight);
          if (found === undefined) this.hasReplaced = true;
          add(found ?? fontNames[weight][0], found === undefined ? replacement : segment);
        }
    }
    return runs;
  }

  #findFont(text: string, weight: Weight): FontName | undefined {
    return fontNames[weight].find((font) => this.#covers(font, text));
  }

  #covers(font: FontName, text: string): boolean {
    return Array.from(text).every((character) => {
      const key = `${font} ${character}`;
      let isCovered = this.#covered.get(key);
      if (isCovered === undefined) {
        this.#use(font);
        const { _font } = this.#document as unknown as OpenFont;
        isCovered = _font.font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
        this.#covered.set(key, isCovered);
      }
      return isCovered;
    });
  }

  #use(font: FontName): void {
    if (!this.#registered.has(font)) {
      this.#document.registerFont(font, readFont(font));
      this.#registered.add(font);
    }
    this.#document.font(font);
  }
}

/** pdfkit sets each word for itself unless features are given: a text from right to left would have its words reversed. */
function toFeatures(text: string): { features?: [] } {
  return rightToLeft.test(text) ? { features: [] } : {};
}

/** A font without rules for layout draws every text from left to right. */
function toDrawn({ font, text }: Run): string {
  if (font !== 'unifont.woff' || !rightToLeft.test(text)) return text;
  return Array.from(graphemes.segment(text), ({ segment }) => segment)
    .toReversed()
    .join('');
}
