// A user presses Tab in the real shells, with the scripts where the Debian package installs them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInstalled } from '../shared/installed-program.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-completions-'));
  const program = fileURLToPath(new URL('completions.ts', import.meta.url));
  await runInstalled(process.execPath, ['--conditions=source', program, join(folder, 'share')]);
  // A folder with the name of a command.
  for (const name of ['home', 'here', 'here/inbox']) mkdirSync(join(folder, name));
  for (const name of ['here/report.pdf', 'here/with space.txt', 'home/notes.txt'])
    writeFileSync(join(folder, name), '');
  writeFileSync(join(folder, 'home/.zshrc'), zshSettings);
  writeFileSync(join(folder, 'home/.bashrc'), bashSettings);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Ctrl-X prints the line, between signs that nothing else prints. */
const zshSettings = `fpath=($SHARE/zsh/vendor-completions $fpath)
autoload -Uz compinit
compinit -u -D
print_line() { print -r -- "«$BUFFER»"; BUFFER= }
zle -N print_line
bindkey '^X' print_line
`;
const bashSettings = `for script in "$SHARE"/bash-completion/completions/*; do . "$script"; done
bind -x '"\\C-x": echo "«$READLINE_LINE»"; READLINE_LINE='
`;

/** Types a line and Tab in an interactive shell. */
async function pressTab(shell: 'bash' | 'zsh', line: string): Promise<string> {
  const interactive = shell === 'zsh' ? 'zsh -i' : 'bash --rcfile $HOME/.bashrc -i';
  const script = `zmodload zsh/zpty; zpty shell ${interactive}; zpty -w -n shell "$LINE"$'\\t\\x18'; zpty -r shell shown '*»*'; print -r -- $shown`;
  const { stdout } = await runInstalled('zsh', ['-f', '-c', script], {
    cwd: join(folder, 'here'),
    env: environment(line),
  });
  return /«(.*)»/.exec(stdout)?.[1] ?? stdout;
}

const environment = (line: string) => ({
  PATH: process.env['PATH'],
  HOME: join(folder, 'home'),
  SHARE: join(folder, 'share'),
  TERM: 'dumb',
  LANG: 'C.UTF-8',
  LINE: line,
});

/** Lines, and as much as Tab adds to each: a word, or the beginning of it that is certain. */
const lines: [line: string, completed: string][] = [
  ['waybill se', 'waybill send '],
  ['waybill inb', 'waybill inbox '],
  ['waybill --json inb', 'waybill --json inbox '],
  ['waybill contacts imp', 'waybill contacts import '],
  ['waybill help se', 'waybill help send '],
  ['waybill completion f', 'waybill completion fish '],
  ['waybill send --me', 'waybill send --message '],
  ['waybill send a --second-factor s', 'waybill send a --second-factor sms '],
  ['waybill inbox --state av', 'waybill inbox --state available '],
  ['waybill inbox --state=av', 'waybill inbox --state=available '],
  ['waybill webhooks listen --type drop.co', 'waybill webhooks listen --type drop.completed '],
  ['waybill send re', 'waybill send report.pdf '],
  ['waybill send wi', 'waybill send with\\ space.txt '],
  ['waybill send a b ~/no', 'waybill send a b ~/notes.txt '],
  ['waybill pull inb', 'waybill pull inbox/'],
  ['waybill receipt WB-7F3K-29QD --output re', 'waybill receipt WB-7F3K-29QD --output report.pdf '],
  // A drop is no path.
  ['waybill show re', 'waybill show re'],
  ['waybilld admin out', 'waybilld admin outbox '],
  ['waybilld admin outbox list --state wait', 'waybilld admin outbox list --state waiting '],
];

describe.each(['bash', 'zsh'] as const)('%s', (shell) => {
  test.each(lines)('completes %j', async (line, completed) => {
    expect(await pressTab(shell, line)).toBe(completed);
  });
});

describe('fish', () => {
  test.each(lines)('completes %j', async (line, completed) => {
    const script =
      'for script in $SHARE/fish/vendor_completions.d/*; source $script; end; for word in (complete -C "$LINE"); echo "$word"; end';
    const { stdout } = await runInstalled('fish', ['-c', script], {
      cwd: join(folder, 'here'),
      env: environment(line),
    });
    const words = stdout.split('\n').flatMap((found) => (found === '' ? [] : [found.split('\t')[0] ?? '']));
    const last = completed.replaceAll('\\ ', '\0').trimEnd().split(' ').at(-1)?.replaceAll('\0', ' ');
    expect(words).toEqual(completed === line ? [] : [last]);
  });
});
