import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the examples at the end of a command's help. */
export function parseExamples(help: string): string[] {
  const [, list = ''] = /\nExamples:\n((?: {2}.*\n)+)/.exec(help) ?? [];
  return list
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Returns the arguments that a shell passes to the program. PATH is empty, so that nothing else on the line runs. */
export function parseShellWords(example: string, folder: string): string[] {
  const words = join(folder, 'words');
  const script = `PATH=; waybill() { printf '%s\\0' "$@" > '${words}'; }; ${example}`;
  execFileSync('bash', ['-c', script], { cwd: folder, stdio: 'ignore', env: { HOME: folder } });
  return readFileSync(words, 'utf8').split('\0').slice(0, -1);
}
