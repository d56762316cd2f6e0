import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The words that a shell passes to `program` on this line. Without a PATH, nothing else on the line runs. */
export function shellWords(program: string, line: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'shell-words-'));
  try {
    const words = join(folder, 'words');
    const script = `PATH=; ${program}() { printf '%s\\0' "$@" > '${words}'; }; ${line}`;
    execFileSync('bash', ['-c', script], { cwd: folder, stdio: 'ignore' });
    return readFileSync(words, 'utf8').split('\0').slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
