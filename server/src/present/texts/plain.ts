/**
 * Characters that change the direction of the text after them: a file named `photo[U+202E]gpj.exe` would look like a
 * picture.
 */
const direction = /[\u202A-\u202E\u2066-\u2069]/g;

/** A name followed by the address, because anyone can choose a name. */
export function formatName(name: string, address: string): string {
  return name === address ? address : `${name} (${address})`;
}

/** Puts a text on one line: anything that breaks a line or a header becomes a space. */
export function collapse(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim();
}

/** Puts another person's text on one line; characters that would reverse text become visible. */
export function oneLine(text: string): string {
  return collapse(text).replace(direction, '\uFFFD');
}

/** Keeps the lines of another person's text: of all invisible characters, only line feeds and tabs remain. */
export function manyLines(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(direction, '\uFFFD')
    .trim();
}

/**
 * Splits a long message in two, at the end of a paragraph, a line or a sentence, or otherwise a word, but never inside
 * a character.
 */
export function splitMessage(message: string, maxLength: number): [start: string, rest: string] {
  const head = message.slice(0, maxLength);
  const cut = ['\n\n', '\n', '. ', ' ']
    .map((end) => head.lastIndexOf(end) + end.trimEnd().length)
    .find((at) => at > maxLength / 2);
  const at = cut ?? (Array.from(new Intl.Segmenter().segment(head)).at(-1)?.index || maxLength);
  return [message.slice(0, at).trimEnd(), message.slice(at).trim()];
}

/** Breaks lines at spaces, so that none is longer than the width unless a word is. */
export function wrap(text: string, width = 76): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  if (line.length <= width) return line.trimEnd();
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...lines, current].join('\n');
}

/**
 * Isolates a value in the middle of a sentence: a name written from right to left must not reverse the words around it.
 * Only such a value gets marks, because old mail programs draw a box for them.
 */
export function isolate(text: string): string {
  const line = oneLine(text);
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(line)
    ? `\u2068${line}\u2069`
    : line;
}
