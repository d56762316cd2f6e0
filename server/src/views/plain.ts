/** Characters that change the direction of what follows: a file called `photo[U+202E]gpj.exe` would look like a picture. */
const direction = /[\u202A-\u202E\u2066-\u2069]/g;

/** On one line: whatever breaks a line or a header becomes a space. */
export function collapse(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim();
}

/** Somebody else's words on one line; what would turn the text around is made visible. */
export function oneLine(text: string): string {
  return collapse(text).replace(direction, '\uFFFD');
}

/** Somebody else's words on several lines: only line feeds and tabs of all that is not visible. */
export function manyLines(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(direction, '\uFFFD')
    .trim();
}

/** Broken at spaces so that no line is longer than this, where the words allow it. */
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
 * For a value in the middle of a sentence: a name written from right to left must not turn the words around it. Only
 * then, because old mail programs draw a box for the invisible marks.
 */
export function isolate(text: string): string {
  const line = oneLine(text);
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(line)
    ? `\u2068${line}\u2069`
    : line;
}
