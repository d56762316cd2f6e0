/**
 * Writes what makes bash, zsh and fish complete `waybilld` and `waybill`, from their commands, where Debian's shells look
 * for it: node tools/package/completions.ts FOLDER.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { completionScript, type Shell } from '../../client/src/command/commands/completion.ts';
import { makePrograms } from './man-pages.ts';

const paths: Readonly<Record<Shell, (program: string) => string>> = {
  bash: (program) => `bash-completion/completions/${program}`,
  zsh: (program) => `zsh/vendor-completions/_${program}`,
  fish: (program) => `fish/vendor_completions.d/${program}.fish`,
};

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node tools/package/completions.ts FOLDER');
for (const program of Object.values(makePrograms())) {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const path = join(folder, paths[shell](program.name()));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, completionScript(program, shell));
  }
}
