import { expect } from 'vitest';
import type { Finding } from '../domain/doctor/finding.ts';

/** All findings of an examination. */
export async function collectFindings(examination: AsyncIterable<Finding>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of examination) findings.push(finding);
  return findings;
}

/** Expects exactly these checks to be faults or warnings, as `status check`, each with a remedy. */
export async function expectTrouble(
  examination: AsyncIterable<Finding>,
  ...expected: readonly string[]
): Promise<void> {
  const all = await collectFindings(examination);
  const trouble = all.filter(({ status }) => status === 'fault' || status === 'warning');
  expect(trouble.map(({ status, check }) => `${status} ${check}`)).toEqual(expected);
  for (const { says, remedy } of trouble) {
    expect(says).toMatch(/^.{10,}[.?]$/s);
    expect(remedy).toMatch(/^.{15,}$/s);
  }
}
