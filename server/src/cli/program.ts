import { Command, type CommanderError, Help, Option } from 'commander';
import { accountCommands } from '../admin/accounts.ts';
import { apiKeyCommands } from '../admin/api-keys.ts';
import { auditCommands } from '../admin/audit.ts';
import { backupCommands } from '../admin/backup.ts';
import { bucketCommand } from '../admin/bucket.ts';
import { addExamples, type WithEngines } from '../admin/command.ts';
import { contactCommands } from '../admin/contacts.ts';
import { dayKeyCommands } from '../admin/day-keys.ts';
import { type Diagnose, doctorCommand } from '../admin/doctor.ts';
import { dropCommands } from '../admin/drops.ts';
import { evidenceCommands } from '../admin/evidence.ts';
import { groupCommands } from '../admin/groups.ts';
import { holdCommands } from '../admin/holds.ts';
import { logCommands } from '../admin/log.ts';
import { mailCommands } from '../admin/mail.ts';
import { masterKeyCommands } from '../admin/master-keys.ts';
import { migrateCommand } from '../admin/migrate.ts';
import { outboxCommands } from '../admin/outbox.ts';
import { memberCommands, peopleCommands } from '../admin/people.ts';
import { restoreCommand } from '../admin/restore.ts';
import { scrubCommand } from '../admin/scrub.ts';
import { sweepCommand } from '../admin/sweep.ts';
import { examinedParts } from '../assemble/examined-parts.ts';
import { type SetUp, setupCommand } from './setup/command.ts';

export interface Roles {
  readonly serve: (options: { readonly sockets: string }) => Promise<void>;
  readonly work: () => Promise<void>;
  readonly withEngines: WithEngines;
  readonly diagnose: Diagnose;
  readonly setUp: SetUp;
}

/** The commands with their options and help; what they do is in their own files. */
export function makeProgram({ serve, work, withEngines, diagnose, setUp }: Roles, version: string): Command {
  const program = new Command('waybilld')
    .description('Secure file exchange for machines and people.')
    .version(version, '-V, --version', 'print the version')
    .configureHelp({ optionDescription: describeOption })
    // The handler of all failures reports them to the user, in one form.
    .configureOutput({ outputError: () => undefined });
  addExamples(
    program,
    'waybilld setup',
    'waybilld serve',
    'waybilld work',
    'waybilld admin accounts list',
    'waybilld admin drops --help',
  );
  program.addHelpText(
    'after',
    `
Settings come from the environment: docs/configuration.md.

Exit codes:
  0   done
  1   refused or failed
  2   the command line is wrong
  78  a setting is missing or wrong, or does not fit what it names: repeating does not help`,
  );

  addExamples(
    program
      .command('serve')
      .description('serve HTTP requests')
      // Passed by a process to the one that replaces it, which it starts itself.
      .addOption(new Option('--sockets <list>', 'listening sockets, by HOST:PORT=NUMBER').default('').hideHelp())
      .action(serve),
    'waybilld serve',
  );
  addExamples(
    program.command('work').description('run jobs: send messages, check uploads, delete what has ended').action(work),
    'waybilld work',
  );
  setupCommand(program, setUp);
  const admin = program.command('admin').description('run an administrator’s command');
  addExamples(
    admin,
    'waybilld admin accounts create --email orders@example.org --phone 46700000001',
    'waybilld admin drops list --account orders@example.org',
    'waybilld admin outbox list --state abandoned',
  );
  for (const add of [
    accountCommands,
    peopleCommands,
    memberCommands,
    groupCommands,
    apiKeyCommands,
    masterKeyCommands,
    dayKeyCommands,
    logCommands,
    contactCommands,
    dropCommands,
    holdCommands,
    evidenceCommands,
    outboxCommands,
    mailCommands,
    auditCommands,
    sweepCommand,
    scrubCommand,
    backupCommands,
    migrateCommand,
    bucketCommand,
  ])
    add(admin, withEngines);
  // No `serve` is running yet that could respond through the proxy.
  restoreCommand(admin, withEngines, { diagnose, parts: examinedParts.filter((part) => part !== 'proxy') });
  doctorCommand(admin, examinedParts, diagnose);
  for (const command of withDescendants(program)) {
    command.exitOverride((error) => {
      throw new UsageError(error, command);
    });
  }
  return program;
}

function describeOption(this: Help, option: Option): string {
  const description = Help.prototype.optionDescription.call(this, option);
  return option.mandatory ? `${description} (required)` : description;
}

export function withDescendants(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withDescendants)];
}

/** A command line that cannot be run. Also thrown, with `isHelp`, after help or the version was shown on request. */
export class UsageError extends Error {
  readonly isHelp: boolean;
  /** Help was shown instead of a message, because a command was missing. */
  readonly isShown: boolean;
  readonly next: string;

  constructor({ code, message, exitCode }: CommanderError, command: Command) {
    super(toSentence(message.replace(/^error: /, '')));
    this.name = 'UsageError';
    this.isHelp = exitCode === 0;
    this.isShown = code === 'commander.help';
    this.next = `See: ${findPath(command)} --help`;
  }
}

function findPath(command: Command): string {
  return command.parent ? `${findPath(command.parent)} ${command.name()}` : command.name();
}

/** `unknown command 'creat'\n(Did you mean create?)` → `Unknown command 'creat'. (Did you mean create?)` */
function toSentence(text: string): string {
  const [first = '', ...more] = text.split('\n');
  const ended = /[.?!]$/.test(first) ? first : `${first}.`;
  return [`${ended.charAt(0).toUpperCase()}${ended.slice(1)}`, ...more].join(' ');
}
