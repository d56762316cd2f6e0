import { buffer } from 'node:stream/consumers';
import PdfKit from 'pdfkit';
import type {
  PrintedFact,
  PrintedFiles,
  PrintedStep,
  ReceiptAttachment,
  ReceiptPages,
  Tone,
} from '../../domain/ports/receipt-printer.ts';
import { colors, contentWidth, type Element, page, Sheet, styles } from './sheet.ts';

/** Prints on A4. The same input makes the same bytes. */
export async function printPages(
  pages: ReceiptPages,
  attachments: readonly ReceiptAttachment[],
): Promise<Buffer<ArrayBuffer>> {
  const { title, reference, operator, issuedAt } = pages;
  const document = new PdfKit({
    size: 'A4',
    margin: 0,
    font: '',
    autoFirstPage: false,
    bufferPages: true,
    pdfVersion: '1.7',
    tagged: true,
    displayTitle: true,
    lang: pages.language,
    info: {
      Title: `${title} ${reference}`,
      Producer: 'Waybill',
      Creator: 'Waybill',
      CreationDate: issuedAt,
      ModDate: issuedAt,
    },
  });
  const read = buffer(document);
  const sheet = new Sheet(document, operator);
  writeHead(sheet, pages);
  writeFacts(sheet, pages.facts);
  if (pages.files) writeFiles(sheet, pages.files);
  writeStory(sheet, pages.story);
  for (const list of pages.lists) writeList(sheet, list);
  writeVerification(sheet, pages);
  if (sheet.setter.hasReplaced) {
    sheet.y += 8;
    sheet.writeParagraph(sheet.root, 'P', pages.missingCharacters, styles.small, 0);
  }
  writeFeet(sheet, pages);
  sheet.root.end();
  for (const { name, type, description, content } of attachments) {
    const dates = { creationDate: issuedAt, modifiedDate: issuedAt };
    document.file(Buffer.from(content), { name, type, description, ...dates });
  }
  document.end();
  return read;
}

function writeHead(sheet: Sheet, { operator, reference, title, result }: ReceiptPages): void {
  const { logo, accent } = operator;
  sheet.decorate((document) => {
    document.rect(0, 0, page.width, 7).fill(accent);
    if (logo) document.image(Buffer.from(logo.content), page.left, sheet.y, { width: logo.width, height: logo.height });
    else drawMark(document, page.left, sheet.y, accent);
  });
  const nameLeft = page.left + (logo?.width ?? 26) + 9;
  const name = sheet.set(operator.name, 300, { ...styles.result, size: 12 });
  sheet.write(sheet.root, 'P', name, nameLeft, sheet.y + 5);
  const code = sheet.set(reference, 150, { ...styles.quiet, size: 11 });
  sheet.write(sheet.root, 'P', code, page.right - 150, sheet.y + 6, 'right');
  sheet.y += 50;
  sheet.writeParagraph(sheet.root, 'H1', title, styles.title, 10);

  const { tint, ink } = toneColors(result.tone, operator.accent, operator.tint);
  const text = sheet.set(result.text, contentWidth - 36, { ...styles.result, color: ink });
  const detail = sheet.set(result.detail, contentWidth - 36, styles.text);
  const height = text.height + detail.height + 30;
  sheet.decorate((document) => {
    document.roundedRect(page.left, sheet.y, contentWidth, height, 8).fill(tint);
    document.roundedRect(page.left, sheet.y, 5, height, 2.5).fill(ink);
  });
  sheet.write(sheet.root, 'P', text, page.left + 20, sheet.y + 13);
  sheet.write(sheet.root, 'P', detail, page.left + 20, sheet.y + 17 + text.height);
  sheet.y += height + 18;
}

const factWidth = (contentWidth - 24) / 2;
const factGap = 11;

/** The facts in rows of two, each row as high as the higher one. */
function setFacts(sheet: Sheet, facts: readonly PrintedFact[]) {
  return Array.from({ length: Math.ceil(facts.length / 2) }, (_, index) => {
    const row = facts.slice(2 * index, 2 * index + 2).map(({ label, value, detail }) => ({
      label: sheet.set(label, factWidth, styles.label),
      value: sheet.set(value, factWidth, styles.strong),
      detail: detail === undefined ? undefined : sheet.set(detail, factWidth, styles.quiet),
    }));
    const heights = row.map((fact) => fact.label.height + fact.value.height + (fact.detail?.height ?? 0));
    return { row, height: Math.max(...heights) };
  });
}

function measureFacts(sheet: Sheet, facts: readonly PrintedFact[]): number {
  return setFacts(sheet, facts).reduce((sum, { height }) => sum + height + factGap, 0);
}

function writeFacts(sheet: Sheet, facts: readonly PrintedFact[]): void {
  const list = sheet.document.struct('L');
  sheet.root.add(list);
  for (const { row, height } of setFacts(sheet, facts)) {
    sheet.require(height);
    row.forEach(({ label, value, detail }, column) => {
      const x = page.left + column * (factWidth + 24);
      const item = sheet.document.struct('LI');
      list.add(item);
      sheet.write(item, 'Lbl', label, x, sheet.y);
      sheet.write(item, 'LBody', value, x, sheet.y + label.height);
      if (detail) sheet.write(item, 'LBody', detail, x, sheet.y + label.height + value.height);
      item.end();
    });
    sheet.y += height + factGap;
  }
  list.end();
}

const columns = { name: 262, size: 58, time: contentWidth - 262 - 58 - 24 } as const;

function writeFiles(sheet: Sheet, { heading, columns: labels, rows, note }: PrintedFiles): void {
  sheet.writeHeading(heading, 70);
  const table = sheet.document.struct('Table');
  sheet.root.add(table);
  const left = [page.left, page.left + columns.name + 12, page.left + columns.name + columns.size + 24] as const;
  const writeRow = (
    cells: readonly ReturnType<Sheet['set']>[],
    type: 'TH' | 'TD',
    below?: ReturnType<Sheet['set']>,
  ) => {
    const [first] = cells;
    const height = Math.max(...cells.map((cell) => cell.height), (first?.height ?? 0) + (below?.height ?? 0));
    sheet.require(height + 12);
    const row = sheet.document.struct('TR');
    table.add(row);
    const y = sheet.y + 5;
    cells.forEach((cell, index) => {
      const element = sheet.document.struct(type);
      row.add(element);
      sheet.write(element, 'P', cell, left[index] ?? page.left, y, index === 1 ? 'right' : 'left');
      if (index === 0 && below) sheet.write(element, 'P', below, page.left, y + cell.height);
      element.end();
    });
    row.end();
    sheet.y += height + 11;
    sheet.rule();
  };
  const { name, size, time } = columns;
  const writeLabels = () =>
    writeRow(
      labels.map((label, index) => sheet.set(label, [name, size, time][index] ?? name, styles.label)),
      'TH',
    );
  writeLabels();
  for (const row of rows) {
    const cells = [
      sheet.set(row.name, name, styles.strong),
      sheet.set(row.size, size, styles.text),
      sheet.set(row.time, time, row.isHandedOver ? { ...styles.text, color: colors.good } : styles.quiet),
    ];
    writeRow(cells, 'TD', sheet.set(row.digest, name + size, { ...styles.small, size: 7 }));
  }
  table.end();
  if (note !== undefined) {
    sheet.y += 6;
    sheet.writeParagraph(sheet.root, 'P', note, styles.quiet, 0);
  }
}

const timeWidth = 146;

/** A line from step to step, with the time on its left and what happened on its right. */
function writeStory(
  sheet: Sheet,
  { heading, steps, note }: { heading: string; steps: readonly PrintedStep[]; note?: string | undefined },
): void {
  sheet.writeHeading(heading, 60);
  const list = sheet.document.struct('L');
  sheet.root.add(list);
  const lineLeft = page.left + timeWidth + 10;
  const textLeft = lineLeft + 16;
  steps.forEach(({ time, text, tone }, index) => {
    const when = sheet.set(time, timeWidth, styles.quiet);
    const what = sheet.set(text, page.right - textLeft, styles.text);
    const height = Math.max(when.height, what.height) + 9;
    // The last two stay together.
    sheet.require(index === steps.length - 2 ? 2 * height : height);
    const { y } = sheet;
    const { ink } = toneColors(tone, sheet.operator.accent, sheet.operator.tint);
    sheet.decorate((document) => {
      if (index < steps.length - 1)
        document
          .moveTo(lineLeft, y + 11)
          .lineTo(lineLeft, Math.min(y + height + 4, page.bottom + 6))
          .lineWidth(1.2)
          .strokeColor(colors.line)
          .stroke();
      document.circle(lineLeft, y + 7, 3.4).fill(ink);
    });
    const item = sheet.document.struct('LI');
    list.add(item);
    sheet.write(item, 'Lbl', when, page.left, y);
    sheet.write(item, 'LBody', what, textLeft, y);
    item.end();
    sheet.y += height;
  });
  list.end();
  if (note !== undefined) sheet.writeParagraph(sheet.root, 'P', note, styles.quiet, 0);
}

/** A part of a sheet up to which a section stays together: a few lines of it alone on the next sheet say little. */
const togetherHeight = (page.bottom - page.top) / 2;

function writeList(sheet: Sheet, { heading, items }: { heading: string; items: readonly string[] }): void {
  const height = items.reduce((sum, text) => sum + measureItem(sheet, text, contentWidth), 0);
  sheet.writeHeading(heading, height <= togetherHeight ? height : 40);
  const list = sheet.document.struct('L');
  sheet.root.add(list);
  for (const text of items) writeItem(sheet, list, '•', text, contentWidth);
  list.end();
}

const itemGap = 3;

function measureItem(sheet: Sheet, text: string, width: number): number {
  return sheet.set(text, width - 16, styles.text).height + itemGap;
}

function writeItem(sheet: Sheet, list: Element, label: string, text: string, width: number): void {
  const block = sheet.set(text, width - 16, styles.text);
  sheet.require(block.height);
  const item = sheet.document.struct('LI');
  list.add(item);
  const accent = { ...styles.strong, color: sheet.operator.accent };
  sheet.write(item, 'Lbl', sheet.set(label, 16, accent), page.left, sheet.y);
  sheet.write(item, 'LBody', block, page.left + 16, sheet.y);
  item.end();
  sheet.y += block.height + itemGap;
}

const codeSide = 92;

function writeVerification(sheet: Sheet, { verification }: ReceiptPages): void {
  const { heading, steps, facts, code } = verification;
  const width = contentWidth - codeSide - 18;
  const stepsHeight = steps.reduce((sum, text) => sum + measureItem(sheet, text, width), 0);
  const height = Math.max(codeSide, stepsHeight) + 8 + measureFacts(sheet, facts);
  sheet.writeHeading(heading, height <= togetherHeight ? height : codeSide + 10);
  const top = sheet.y;
  const { count } = sheet.document.bufferedPageRange();
  sheet.decorate((document) => {
    document
      .save()
      .translate(page.right - codeSide, top)
      .scale(codeSide / code.size);
    document.path(code.path).fill(colors.ink).restore();
  });
  const list = sheet.document.struct('L');
  sheet.root.add(list);
  steps.forEach((text, index) => writeItem(sheet, list, `${index + 1}.`, text, width));
  list.end();
  if (sheet.document.bufferedPageRange().count === count) sheet.y = Math.max(sheet.y, top + codeSide);
  sheet.y += 8;
  writeFacts(sheet, facts);
}

function writeFeet(sheet: Sheet, { operator, reference, pageNumber }: ReceiptPages): void {
  const { start, count } = sheet.document.bufferedPageRange();
  for (let index = start; index < start + count; index += 1) {
    sheet.document.switchToPage(index);
    const y = page.bottom + 22;
    sheet.decorate((document) => {
      document
        .moveTo(page.left, y - 6)
        .lineTo(page.right, y - 6)
        .lineWidth(0.6)
        .strokeColor(colors.line)
        .stroke();
      sheet.setter.draw(sheet.set(`${operator.name} · ${reference}`, 300, styles.small), page.left, y);
      const text = pageNumber.replace('{page}', String(index + 1)).replace('{pages}', String(count));
      const number = sheet.set(text, 150, styles.small);
      sheet.setter.draw(number, page.right - 150, y, 'right');
    });
  }
}

function toneColors(tone: Tone, accent: string, tint: string): { ink: string; tint: string } {
  const tones = {
    good: { ink: colors.good, tint: colors.goodTint },
    warn: { ink: colors.warn, tint: colors.warnTint },
    bad: { ink: colors.bad, tint: colors.badTint },
    calm: { ink: accent, tint },
  } as const;
  return tones[tone];
}

/** The mark of Waybill, as on the pages. */
function drawMark(document: Sheet['document'], x: number, y: number, accent: string): void {
  document
    .save()
    .translate(x - 4, y - 2)
    .scale(0.95);
  document.path('M7 3h13l6 6v18a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2Z').fill(accent);
  document.path('m9.5 14 3 9 3-7 3 7 3-9').lineWidth(2).lineCap('round').lineJoin('round').stroke('#ffffff');
  document.restore();
}
