import { expect } from 'vitest';
import type { Finding } from '../src/domain/doctor/finding.ts';

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

/**
 * Does what the remedy of a check says, and expects the doctor to be content afterwards, with all that it examined but
 * for these. doctor-remedies.test.ts looks for the name of each check in calls of this.
 */
export async function carryOutRemedy(
  check: string,
  examine: () => AsyncIterable<Finding> | Promise<readonly Finding[]>,
  carryOut: (remedy: string) => unknown,
  ...except: readonly string[]
): Promise<void> {
  const findTrouble = async () => {
    const examined = await examine();
    const all = Symbol.asyncIterator in examined ? await collectFindings(examined) : examined;
    return all.filter(({ status }) => status === 'fault' || status === 'warning');
  };
  const found = (await findTrouble()).find((finding) => finding.check === check);
  expect(found, check).toBeDefined();
  await carryOut(found?.remedy ?? '');
  expect((await findTrouble()).filter((finding) => !except.includes(finding.check))).toEqual([]);
}

/** The part of a remedy that the pattern finds. */
export function readRemedy(remedy: string, pattern: RegExp): string {
  const found = pattern.exec(remedy)?.[1];
  if (found === undefined) throw new Error(`“${remedy}” has nothing like ${pattern}.`);
  return found;
}
