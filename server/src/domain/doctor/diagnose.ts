import type { Examine, Finding } from './finding.ts';
import { fault, reason } from './finding.ts';

/** Longer than any examination takes that ends by itself. */
const defaultDeadlineMs = 60_000;

/** Examines everything at once. An examination that fails or does not end is a finding too, and hides no other. */
export async function diagnose(
  examinations: Readonly<Record<string, Examine>>,
  { deadlineMs = defaultDeadlineMs }: { readonly deadlineMs?: number } = {},
): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(examinations).map(([name, examine]) => collectFindings(name, examine, deadlineMs)),
  );
  return found.flat();
}

async function collectFindings(name: string, examine: Examine, deadlineMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(resolve, deadlineMs, 'late');
  try {
    const all = (async () => {
      for await (const finding of examine()) findings.push(finding);
    })();
    if ((await Promise.race([all, late])) !== 'late') return findings;
    return [
      ...findings,
      fault(`${name}.responds`, `There was no response within ${deadlineMs / 1000} seconds.`, restart(name)),
    ];
  } catch (error) {
    return [...findings, fault(`${name}.responds`, `The examination failed: ${reason(error)}.`, restart(name))];
  } finally {
    clearTimeout(timer);
  }
}

const restart = (name: string) => `Look at the log of ${name}, restart it, and run the doctor again.`;
