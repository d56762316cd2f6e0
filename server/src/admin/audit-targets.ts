import { type Command, InvalidArgumentError } from 'commander';
import {
  type AuditTargetName,
  type AuditTargetState,
  auditTargetNames,
  countedUpTo,
} from '../domain/audit/audit-target-store.ts';
import { judgeTarget } from '../domain/audit/examine-audit-targets.ts';
import { listAuditTargets } from '../domain/audit/follow-audit.ts';
import { skipRefusedEntry } from '../domain/audit/forward-audit.ts';
import { formatPosition } from '../domain/audit/to-audit-json.ts';
import { addExamples, parseId, print, type WithEngines } from './command.ts';

/** The commands about the systems that the audit is sent to. */
export function addTargetCommands(audit: Command, withEngines: WithEngines): void {
  const targets = audit
    .command('targets')
    .description('list the systems that the audit is sent to, how far, and what to do if one does not take it')
    .option('--json', 'print one JSON array')
    .action((options: { json?: boolean }) =>
      withEngines(async (engines) => {
        const states = await listAuditTargets(engines);
        const configured = new Set(engines.auditTargets.keys());
        const names = auditTargetNames.filter(
          (name) => configured.has(name) || states.some((one) => one.name === name),
        );
        const shown = names.map((name) => {
          const state = states.find((one) => one.name === name);
          return toShown(name, state, configured.has(name));
        });
        if (shown.length === 0) process.stderr.write('The audit is sent nowhere. docs/audit-forwarding.md says how.\n');
        print(options.json, shown, shown.map(describeTarget));
      }),
    );
  addExamples(targets, 'waybilld admin audit targets', 'waybilld admin audit targets --json');

  const skip = audit
    .command('skip')
    .description('leave out the one entry that a target refuses, so that those after it are sent; this is recorded')
    .argument('<target>', 'syslog or https', parseTarget)
    .argument('<entry>', 'the id of the entry, as `audit targets` shows it', parseId('audit targets'))
    .option('--json', 'print JSON')
    .action((name: AuditTargetName, id: string, options: { json?: boolean }) =>
      withEngines(async (engines) => {
        await skipRefusedEntry(engines, name, id);
        print(options.json, { skipped: id }, [
          `The target ${name} does not get the entry ${id}. Those after it are sent within two minutes.`,
        ]);
      }),
    );
  addExamples(skip, 'waybilld admin audit skip https 01a1dca1-b6e4-73d7-b45e-3306c96c241d');
}

function toShown(name: AuditTargetName, state: AuditTargetState | undefined, isConfigured: boolean) {
  const { status, says, remedy } = isConfigured
    ? judgeTarget(name, state)
    : { status: 'off' as const, says: `The target ${name} is not set any more.`, remedy: undefined };
  return {
    target: name,
    status,
    position: state?.position ? formatPosition(state.position) : null,
    waiting_entries: state?.waitingEntries ?? null,
    waiting_seconds: state ? Math.round(state.waitingSeconds) : null,
    last_success: state?.deliveredAt ?? null,
    failing_since: state?.failingSince ?? null,
    last_error: state?.failure ?? null,
    refused_entry: state?.refusedId ?? null,
    says,
    remedy: remedy ?? null,
  };
}

function describeTarget(shown: ReturnType<typeof toShown>): string {
  const { target, status, position, waiting_entries: entries, waiting_seconds: seconds, last_success: success } = shown;
  const waiting = entries === countedUpTo ? `${entries} or more` : `${entries ?? 'all'}`;
  const lines = [
    `${target}: ${status}. ${shown.says}`,
    ...(shown.remedy === null ? [] : [`  ${shown.remedy}`]),
    `  position ${position ?? 'none'}, ${waiting} entries wait${seconds ? ` for up to ${seconds} s` : ''}, last success ${success?.toISOString() ?? 'never'}`,
  ];
  return lines.join('\n');
}

function parseTarget(value: string): AuditTargetName {
  const name = auditTargetNames.find((one) => one === value);
  if (name === undefined) throw new InvalidArgumentError('Use syslog or https.');
  return name;
}
