import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stylesheets } from '../src/web/shared/asset-sources.ts';

const server = fileURLToPath(new URL('../', import.meta.url));

/** Reads a stylesheet with everything that it imports. */
export function readStylesheet(name: keyof typeof stylesheets): string {
  return readWithImports(join(server, stylesheets[name]));
}

function readWithImports(path: string): string {
  return readFileSync(path, 'utf8').replaceAll(/@import "(.+)";/g, (_, imported: string) =>
    readWithImports(join(dirname(path), imported)),
  );
}
