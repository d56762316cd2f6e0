import { Argument, type Command } from 'commander';
import type { Finding } from '../domain/doctor/finding.ts';
import { addExamples, dnsServer, print } from './command.ts';

export type Diagnose = (options: {
  readonly parts: readonly string[];
  readonly dnsServer?: string | undefined;
}) => Promise<readonly Finding[]>;

/** Unlike other commands, it also runs with settings that are wrong and without a database. */
export function doctorCommand(parent: Command, parts: readonly string[], diagnose: Diagnose): void {
  const doctor = parent
    .command('doctor')
    .description('examine the settings and every engine, and say what is wrong and what to do; changes nothing')
    .addArgument(new Argument('[parts...]', 'what to examine; without it, everything').choices(parts))
    .option('--dns-server <address>', 'ask this DNS server instead of the system’s: IP or IP:PORT', dnsServer)
    .option('--json', 'print JSON')
    .action(async (chosen: string[], options: { dnsServer?: string; json?: boolean }) => {
      const findings = await diagnose({ parts: chosen.length > 0 ? chosen : parts, dnsServer: options.dnsServer });
      print(options.json, { ...countByStatus(findings), findings }, [...toLines(findings), '', summarize(findings)]);
      if (findings.some(({ status }) => status === 'fault')) process.exitCode = 1;
    });
  doctor.addHelpText('after', '\nExit codes: 0 no fault, perhaps warnings; 1 at least one fault.');
  addExamples(doctor, 'waybilld admin doctor', 'waybilld admin doctor s3 clamd', 'waybilld admin doctor --json');
}

const statuses = ['ok', 'skipped', 'warning', 'fault'] as const;

function countByStatus(findings: readonly Finding[]): Record<(typeof statuses)[number], number> {
  const count = (wanted: Finding['status']) => findings.filter(({ status }) => status === wanted).length;
  return { fault: count('fault'), warning: count('warning'), ok: count('ok'), skipped: count('skipped') };
}

/** Prints findings that need attention last, where a terminal shows them, and from the left, because they are long. */
export function toLines(findings: readonly Finding[]): string[] {
  const width = Math.max(0, ...findings.map(({ check }) => check.length)) + 2;
  const sorted = findings.toSorted((a, b) => statuses.indexOf(a.status) - statuses.indexOf(b.status));
  return sorted.flatMap(({ check, status, says, remedy }) => {
    const start = `${status.padEnd(9)}${check}`;
    return remedy === undefined
      ? [start.padEnd(9 + width) + says]
      : ['', start, `  ${says}`, `  What to do: ${remedy}`];
  });
}

export function summarize(findings: readonly Finding[]): string {
  const { fault, warning, ok, skipped } = countByStatus(findings);
  const pluralize = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
  return `${pluralize(fault, 'fault')}, ${pluralize(warning, 'warning')}, ${ok} ok, ${skipped} skipped.`;
}
