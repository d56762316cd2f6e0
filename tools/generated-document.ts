import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Writes a generated document. With --check it writes nothing, and the process exits with 1 if the document is out of date. */
export function writeOrCheck(path: string, document: string, command: string): void {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  if (!process.argv.includes('--check')) writeFileSync(file, document);
  else if (readFileSync(file, 'utf8') !== document) {
    process.stderr.write(`${path} is out of date: run ${command}\n`);
    process.exitCode = 1;
  }
}
