/**
 * Writes docs/configuration.md from the table in server/src/config.ts. With --check it writes nothing and exits 1
 * when the document is not what it would write.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configTable } from '../server/src/config.ts';

const introduction = `# Configuration

<!-- Written by tools/generate-config-docs.ts from server/src/config.ts. Do not edit. -->

\`waybilld\` is configured by environment variables and by nothing else. They are read once, when the process starts.

- A setting without a default is required. All problems are reported at once, and the process exits with 78.
- A secret may also be given as \`NAME_FILE\`: the path of a file that holds the value. Space around the value is ignored.
  When both are set, \`NAME\` wins.
- A name that starts with \`WAYBILL_\` and is not in this table stops the start: it is most likely a spelling mistake.
- \`serve\`, \`work\` and \`admin\` read the same settings; give every process of an installation the same values, apart
  from where it listens.

How to choose the values: [operations.md](operations.md#the-environment-file).
`;

export function configurationDocument(): string {
  const rows = Object.entries(configTable).map(([name, { about, default: defaultValue, secret }]) => [
    `\`${name}\``,
    about.replaceAll('|', '\\|'),
    defaultValue === undefined ? 'required' : defaultValue === '' ? 'empty' : `\`${defaultValue}\``,
    secret ? `secret; also \`${name}_FILE\`` : '',
  ]);
  const table = [['Name', 'Meaning', 'Default', 'Secret'], ['---', '---', '---', '---'], ...rows];
  return `${introduction}\n${table.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`;
}

if (import.meta.main) {
  const path = fileURLToPath(new URL('../docs/configuration.md', import.meta.url));
  if (!process.argv.includes('--check')) writeFileSync(path, configurationDocument());
  else if (readFileSync(path, 'utf8') !== configurationDocument()) {
    process.stderr.write('docs/configuration.md is out of date: run node tools/generate-config-docs.ts\n');
    process.exitCode = 1;
  }
}
