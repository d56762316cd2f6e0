import type PDFDocument from 'pdfkit';
import type { PrintedOperator } from '../../domain/ports/receipt-printer.ts';
import { type Block, type Style, Typesetter } from './typesetter.ts';

type Document = InstanceType<typeof PDFDocument>;
export type Element = PDFKit.PDFStructureElement;

/** A4, in points. */
export const page = { width: 595.28, height: 841.89, left: 56, right: 539.28, top: 56, bottom: 776 } as const;
export const contentWidth = page.right - page.left;
/** The tokens of the pages, on paper. */
export const colors = {
  ink: '#182126',
  quiet: '#525d63',
  line: '#dedbd3',
  good: '#19653a',
  goodTint: '#e4f2e9',
  warn: '#7a4b00',
  warnTint: '#fbf0da',
  bad: '#9c2b1f',
  badTint: '#fbeae7',
} as const;

export const styles = {
  title: { size: 25, weight: 'semibold', color: colors.ink },
  heading: { size: 12.5, weight: 'semibold', color: colors.ink },
  result: { size: 14, weight: 'semibold', color: colors.ink },
  text: { size: 9.5, color: colors.ink },
  strong: { size: 9.5, weight: 'semibold', color: colors.ink },
  quiet: { size: 9.5, color: colors.quiet },
  small: { size: 8, color: colors.quiet },
  label: { size: 8, weight: 'semibold', color: colors.quiet },
} as const satisfies Record<string, Style>;

/** Sheets of paper, filled from top to bottom. Text is tagged, so that it can be read aloud; decoration is not. */
export class Sheet {
  y: number = page.top;
  readonly setter: Typesetter;
  readonly root: Element;
  readonly document: Document;
  readonly operator: PrintedOperator;

  constructor(document: Document, operator: PrintedOperator) {
    this.document = document;
    this.operator = operator;
    this.setter = new Typesetter(document);
    document.addPage();
    this.root = document.struct('Document');
    document.addStructure(this.root);
  }

  /** Begins another sheet unless this height is left. */
  require(height: number): void {
    if (this.y + height <= page.bottom) return;
    this.document.addPage();
    this.y = page.top;
  }

  set(text: string, width: number, style: Style): Block {
    return this.setter.set(text, width, style);
  }

  /** Draws a block as an element of the structure. */
  write(parent: Element, type: string, block: Block, x: number, y: number, align: 'left' | 'right' = 'left'): Element {
    const content = this.document.markStructureContent(type);
    this.setter.draw(block, x, y, align);
    this.document.endMarkedContent();
    const element = this.document.struct(type, {}, [content]);
    parent.add(element);
    return element;
  }

  /** Draws a paragraph, and goes on below it. */
  writeParagraph(parent: Element, type: string, text: string, style: Style, after: number): void {
    const block = this.set(text, contentWidth, style);
    this.require(block.height);
    this.write(parent, type, block, page.left, this.y);
    this.y += block.height + after;
  }

  /** Draws a heading; the height that follows stays on the same sheet. */
  writeHeading(text: string, following: number): void {
    this.y += 20;
    const block = this.set(text, contentWidth, styles.heading);
    this.require(block.height + following);
    this.write(this.root, 'H2', block, page.left, this.y);
    this.y += block.height + 5;
  }

  decorate(draw: (document: Document) => void): void {
    this.document.markContent('Artifact', { type: 'Layout' });
    draw(this.document);
    this.document.endMarkedContent();
  }

  rule(y = this.y): void {
    this.decorate((document) =>
      document.moveTo(page.left, y).lineTo(page.right, y).lineWidth(0.6).strokeColor(colors.line).stroke(),
    );
  }
}
