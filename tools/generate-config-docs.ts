/**
 * Writes docs/configuration.md from the table in server/src/config.ts. With --check it writes nothing, and exits with 1
 * if the document is out of date.
 */
import { configTable } from '../server/src/config.ts';
import { writeOrCheck } from './generated-document.ts';

const introduction = `# Configuration

<!-- Written by tools/generate-config-docs.ts from server/src/config.ts. Do not edit. -->

\`waybilld\` is configured only by environment variables, and by [a file of them](operations.md#the-environment-file) that
\`WAYBILL_ENVIRONMENT_FILE\` names. They are read once, when the process starts.

- A setting without a default is required. All problems are reported at once, and the process exits with 78.
- A secret may also be given as \`NAME_FILE\`: the path of a file that contains the value. Whitespace around the value is ignored.
  If both are set, \`NAME\` takes precedence.
- A relative path starts from the directory that the process is started in. Inside URLs, paths must be absolute.
- If a variable starts with \`WAYBILL_\` and is not in this table, the process does not start: it is most likely a spelling mistake.
- \`serve\`, \`work\` and \`admin\` read the same settings. Give every process of an installation the same values, except for the
  addresses on which it listens.

[operations.md](operations.md#the-environment-file) explains how to choose the values.
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

if (import.meta.main)
  writeOrCheck('docs/configuration.md', configurationDocument(), 'node tools/generate-config-docs.ts');
