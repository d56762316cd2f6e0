import { isIP } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Assembly } from '../assemble/assemble.ts';
import type { ByCommand } from '../domain/audit/audit-store.ts';
import { isUuid } from '../domain/is-uuid.ts';
import { toJsonText } from './json-text.ts';

/** The engines that commands use, and the administrator who runs them. */
export type AdminEngines = Pick<
  Assembly,
  | 'store'
  | 'createBucket'
  | 'random'
  | 'pepper'
  | 'objects'
  | 'logObjects'
  | 'masterKeys'
  | 'dayKeys'
  | 'checkpoint'
  | 'policy'
  | 'readReport'
  | 'mailer'
  | 'mailTemplates'
  | 'probeMailServer'
  | 'dns'
  | 'returnPaths'
  | 'personLinks'
  | 'logger'
  | 'migrate'
  | 'planMigrations'
  | 'database'
  | 'bucket'
  | 'openBackupPlace'
  | 'auditTargets'
> &
  ByCommand;

/** Opens the engines on a database that has a schema, which is brought up to date, runs a command with them, and closes them afterwards. */
export type WithEngines = (
  work: (engines: AdminEngines) => Promise<void>,
  options?: { readonly migrateFirst: boolean; readonly role?: 'restore' },
) => Promise<void>;

/** One file per command: it adds itself to its parent. */
export type AddCommand = (parent: Command, withEngines: WithEngines) => void;

/** Shown at the end of the command's help. */
export function addExamples(command: Command, ...lines: readonly string[]): void {
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

/** Adds the option with which every command names an account. */
export function addAccountOption(command: Command): Command {
  return (
    command
      .requiredOption('--account <address>', 'the account')
      // Its name in scripts that were written for the previews.
      .addOption(new Option('--email <address>', 'the same').hideHelp())
      .on('option:email', (address: string) => command.setOptionValue('account', address))
  );
}

/** For an argument or option that is an id, as shown in a list. */
export function parseId(list: string): (value: string) => string {
  return (value) => {
    if (!isUuid(value)) throw new InvalidArgumentError(`Use an id as \`${list}\` shows it.`);
    return value;
  };
}

/** For an option that is a time. A time without a zone would mean a different moment on a different machine. */
export function parseTime(value: string): Date {
  const at = new Date(value);
  if (!/^\d{4}-\d{2}-\d{2}(?:T.*(?:Z|[+-]\d{2}:?\d{2}))?$/.test(value) || Number.isNaN(at.getTime())) {
    throw new InvalidArgumentError(
      'Use a date or a time with its zone, such as 2026-11-15, 2026-11-15T08:00:00Z or 2026-11-15T09:00+01:00.',
    );
  }
  return at;
}

/** For an option that is the address of a DNS server. */
export function dnsServer(value: string): string {
  const [, bracketed, plain = bracketed ?? '', port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(value) ?? [];
  if (isIP(value) === 0 && (isIP(plain) === 0 || Number(port) > 65_535)) {
    throw new InvalidArgumentError('Use an IP address, with or without a port: 192.0.2.53 or [2001:db8::53]:5353.');
  }
  return value;
}

/** Prints for a person, or as one JSON value for a program. */
export function print(json: boolean | undefined, value: unknown, lines: readonly string[]): void {
  process.stdout.write(json ? `${toJsonText(value)}\n` : lines.map((line) => `${line}\n`).join(''));
}

/**
 * A list of any length, printed page by page: one line per item for a person, or one JSON array for a program. A person
 * is told if it is empty, apart from the output, in which a program may count lines.
 */
export async function printPages<Row, Shown>(
  json: boolean | undefined,
  page: (after: Row | undefined) => Promise<readonly Row[]>,
  shown: (row: Row) => Shown,
  line: (shown: Shown) => string,
  none?: string,
): Promise<void> {
  let separator = '[';
  for (let after: Row | undefined; ; ) {
    const rows = await page(after);
    for (const row of rows) {
      process.stdout.write(json ? `${separator}${toJsonText(shown(row))}` : `${line(shown(row))}\n`);
      separator = ',';
    }
    after = rows.at(-1);
    if (!after) break;
  }
  const isEmpty = separator === '[';
  if (json) process.stdout.write(isEmpty ? '[]\n' : ']\n');
  else if (isEmpty && none) process.stderr.write(`${none}\n`);
}
