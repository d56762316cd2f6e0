import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { isIP } from 'node:net';
import { writeCsv } from '@waybill/protocol';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { findAccount, findAuthors } from '../domain/accounts/read-accounts.ts';
import { type AuditAction, listActions } from '../domain/audit/actions.ts';
import type { AuditFilter, FullAuditEntry } from '../domain/audit/audit-store.ts';
import { followEntries, searchAudit } from '../domain/audit/follow-audit.ts';
import { serverAccountId } from '../domain/audit/record.ts';
import { toAuditJson } from '../domain/audit/to-audit-json.ts';
import { emailAddress } from '../domain/contacts/email-address.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { isUuid } from '../domain/is-uuid.ts';
import { readIdEnd } from '../domain/reference.ts';
import { csvColumns, describeEntry, toCsvRow } from './audit-entry.ts';
import { addTargetCommands } from './audit-targets.ts';
import { untilKilled } from './backup-place.ts';
import { type AddCommand, type AdminEngines, addExamples, parseTime } from './command.ts';
import { toJsonText } from './json-text.ts';
import { Progress } from './progress.ts';

const entriesPerPage = 1_000;
const maxListed = 10_000;

interface FilterOptions {
  readonly account?: string;
  readonly actor?: string;
  readonly reference?: string;
  readonly address?: Pick<AuditFilter, 'networkAddress' | 'mailAddress'>;
  readonly kind?: readonly AuditAction[];
  readonly since?: Date;
  readonly until?: Date;
}

export const auditCommands: AddCommand = (parent, withEngines) => {
  const audit = parent.command('audit').description('read the audit: who changed what, when and from where');
  addExamples(
    audit,
    'waybilld admin audit list --account orders@example.org',
    'waybilld admin audit export --since 2026-11-01 --format csv --output audit.csv',
    'waybilld admin audit follow --json',
  );

  const list = addFilters(audit.command('list').description('list changes, newest first'))
    .option('--limit <count>', `how many, from 1 to ${maxListed}`, parseLimit, 50)
    .option('--after <cursor>', 'begin after this entry, as the output before has told you', parseCursor)
    .option('--json', 'print one JSON array')
    .action((options: FilterOptions & { limit: number; after?: string; json?: boolean }) =>
      withEngines(async (engines) => {
        const filter = await readFilter(engines, options);
        const { limit: count, after } = options;
        const found = await searchAudit(engines, filter, { order: 'newest first', after, count });
        if (options.json) process.stdout.write(`${toJsonText(found.map(toAuditJson))}\n`);
        else for (const entry of found) process.stdout.write(`${describeEntry(entry)}\n`);
        const last = found.at(-1);
        if (!last) process.stderr.write('There is no such change.\n');
        else if (found.length === count) process.stderr.write(`There may be more: --after ${last.cursor}\n`);
      }),
    );
  addExamples(
    list,
    'waybilld admin audit list --reference WB-7F3K-29QD',
    'waybilld admin audit list --actor anna@example.org --kind "key.*" --since 2026-11-01',
    'waybilld admin audit list --address 192.0.2.17 --limit 500 --json',
  );

  const exported = addFilters(
    audit.command('export').description('write changes to a file or to standard output, oldest first'),
  )
    .addOption(new Option('--format <format>', 'the format').choices(['csv', 'jsonl']).default('jsonl'))
    .option('--output <file>', 'the file, which must not exist; readable only by you')
    .action((options: FilterOptions & { format: 'csv' | 'jsonl'; output?: string }) =>
      withEngines(async (engines) => {
        const filter = await readFilter(engines, options);
        const progress = new Progress();
        const entries = readAll(engines, filter, progress);
        const pieces = options.format === 'csv' ? writeCsv(toRows(entries)) : toLines(entries);
        await writeTo(options.output, pieces);
        progress.clear();
      }),
    );
  addExamples(
    exported,
    'waybilld admin audit export --since 2026-11-01 --until 2026-12-01 --output november.jsonl',
    'waybilld admin audit export --account orders@example.org --format csv > orders.csv',
  );

  const follow = addFilters(
    audit.command('follow').description('print changes as they are made, until you press Ctrl-C'),
  )
    .option('--json', 'print one JSON value in each line')
    .action((options: FilterOptions & { json?: boolean }) =>
      withEngines(async (engines) => {
        const filter = await readFilter(engines, options);
        for await (const entry of followEntries(engines, filter, { signal: untilKilled, pollMs: 1_000 })) {
          process.stdout.write(`${options.json ? toJsonText(toAuditJson(entry)) : describeEntry(entry)}\n`);
        }
      }),
    );
  addExamples(follow, 'waybilld admin audit follow --kind "person.*"', 'waybilld admin audit follow --json');

  addTargetCommands(audit, withEngines);
};

function addFilters(command: Command): Command {
  return command
    .option('--account <address>', 'of this account, by its address or id; `server` for what belongs to none')
    .option('--actor <who>', 'by this person or account’s keys, by address, or by the id of a person, a key or a user')
    .option('--reference <reference>', 'about this drop or request, such as WB-7F3K-29QD', parseReference)
    .option('--address <address>', 'from this network address, or about this mail address', parseAddress)
    .option('--kind <action>', 'this action, such as drop.created, or all of a kind, such as "drop.*"', parseKind)
    .option('--since <time>', 'at this time or later, such as 2026-11-01 or 2026-11-15T08:00:00Z', parseTime)
    .option('--until <time>', 'before this time', parseTime);
}

async function readFilter(engines: Pick<AdminEngines, 'store'>, options: FilterOptions): Promise<AuditFilter> {
  return {
    accountId: options.account === undefined ? undefined : await findAuditAccount(engines, options.account),
    authorIds: options.actor === undefined ? undefined : await findAuthors(engines, options.actor),
    dropIdEnd: options.reference,
    ...options.address,
    actions: options.kind,
    since: options.since,
    until: options.until,
  };
}

/** One page at a time, so that memory does not grow with the audit. */
async function* readAll(
  engines: Pick<AdminEngines, 'store'>,
  filter: AuditFilter,
  progress: Progress,
): AsyncGenerator<FullAuditEntry> {
  let count = 0;
  for (let after: string | undefined; ; ) {
    const page = await searchAudit(engines, filter, { order: 'oldest first', after, count: entriesPerPage });
    yield* page;
    count += page.length;
    const last = page.at(-1);
    if (!last || page.length < entriesPerPage) return;
    after = last.cursor;
    progress.show(() => `${count} changes, up to ${last.at.toISOString()}`);
  }
}

async function* toRows(entries: AsyncIterable<FullAuditEntry>): AsyncGenerator<readonly string[]> {
  yield csvColumns;
  for await (const entry of entries) yield toCsvRow(entry);
}

async function* toLines(entries: AsyncIterable<FullAuditEntry>): AsyncGenerator<string> {
  for await (const entry of entries) yield `${toJsonText(toAuditJson(entry))}\n`;
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it exists already. Choose another name, or remove it first.',
  ENOENT: 'its directory does not exist. Create it first.',
  ENOTDIR: 'its directory is a file. Choose another one.',
  EACCES: 'permission is denied. Choose another directory.',
  ENOSPC: 'the file system is full. Make room, or choose another directory.',
};

async function writeTo(path: string | undefined, pieces: AsyncIterable<string>): Promise<void> {
  const output = path === undefined ? process.stdout : createWriteStream(path, { flags: 'wx', mode: 0o600 });
  try {
    if (output !== process.stdout) await once(output, 'open');
    for await (const piece of pieces) if (!output.write(piece)) await once(output, 'drain');
    if (output === process.stdout) return;
    output.end();
    await once(output, 'finish');
  } catch (error) {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw error;
    throw new ExchangeError('invalid_input', `${path} cannot be written: ${reason}`);
  }
}

function parseReference(value: string): string {
  const end = readIdEnd(value);
  if (end === undefined) throw new InvalidArgumentError('Use a reference such as WB-7F3K-29QD.');
  return end;
}

function parseAddress(value: string): Pick<AuditFilter, 'networkAddress' | 'mailAddress'> {
  if (isIP(value) === 4) return { networkAddress: value };
  // Entries have the shortest form.
  if (isIP(value) === 6 && !value.includes('%'))
    return { networkAddress: new URL(`http://[${value}]`).hostname.slice(1, -1) };
  try {
    return { mailAddress: emailAddress(value) };
  } catch {
    throw new InvalidArgumentError('Use a network address such as 192.0.2.17, or a mail address.');
  }
}

function parseKind(value: string): AuditAction[] {
  const actions = listActions(value);
  if (actions.length > 0) return actions;
  throw new InvalidArgumentError('There is no such action. docs/audit.md lists all; "drop.*" means all about drops.');
}

function parseLimit(value: string): number {
  const count = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (count < 1 || count > maxListed) throw new InvalidArgumentError(`Use a number from 1 to ${maxListed}.`);
  return count;
}

function parseCursor(value: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\/\d{1,19}$/.test(value)) return value;
  throw new InvalidArgumentError(
    'Use a cursor as the output before has told you, or as it is in the JSON of an entry.',
  );
}

/** The id of an account for a search. One that was deleted can only be named by its id. */
async function findAuditAccount(engines: Pick<AdminEngines, 'store'>, value: string): Promise<string> {
  if (value === 'server') return serverAccountId;
  return isUuid(value) ? value : (await findAccount(engines, value)).id;
}
