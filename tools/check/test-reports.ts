// Reads the JSON reports of vitest for .ci/run:
//   node tools/check/test-reports.ts failed REPORT...      prints the test files with a failure
//   node tools/check/test-reports.ts total FAILED FOLDER   prints the slowest files, every failed test, and `N passed, N failed`
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** How many of the slowest files are printed. */
const slowest = 25;

export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  /** The path of the test file. */
  readonly name: string;
  readonly status: string;
  /** In milliseconds. */
  readonly startTime: number;
  readonly endTime: number;
  /** Set if the file failed outside its tests. */
  readonly message: string;
  readonly assertionResults: readonly { status: string; fullName: string; failureMessages: readonly string[] }[];
}

export function findFailedFiles(reports: readonly Report[]): string[] {
  return results(reports)
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => name);
}

/**
 * A test file that failed and passed when it was run again counts as passed, and is named as unstable. `brokenSteps` is
 * the number of steps that failed: one that failed without a failed test still counts as a failure.
 */
export function summarize(first: readonly Report[], again: readonly Report[], brokenSteps: number): string[] {
  const settled = new Set(
    results(again)
      .filter(({ status }) => status === 'passed')
      .map(({ name }) => name),
  );
  const failures = results(first).filter(({ status }) => status === 'failed');
  const lines = failures.flatMap((file) =>
    describeFailures(file).map(
      (complaint) => `${settled.has(file.name) ? 'UNSTABLE' : 'FAILED'} ${file.name}: ${complaint}`,
    ),
  );
  const failedTests = (files: readonly FileResult[]) =>
    files.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status === 'failed')).length;
  const passedLater = failedTests(failures.filter(({ name }) => settled.has(name)));
  const sum = (key: 'numPassedTests' | 'numFailedTests') => first.reduce((count, report) => count + report[key], 0);
  const failed = Math.max(sum('numFailedTests') - passedLater, brokenSteps);
  return [...lines, `${sum('numPassedTests') + passedLater} passed, ${failed} failed`];
}

/** Names the files that took longest, so that whoever shortens a run knows where to begin. */
export function listSlowestFiles(reports: readonly Report[], count: number): string[] {
  return results(reports)
    .map(({ name, startTime, endTime }) => ({ name, seconds: Math.round((endTime - startTime) / 1000) }))
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, count)
    .map(({ name, seconds }) => `${seconds} s ${name}`);
}

function results(reports: readonly Report[]): FileResult[] {
  return reports.flatMap(({ testResults }) => testResults);
}

function describeFailures({ assertionResults, message }: FileResult): string[] {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  const texts = failed.map(({ fullName, failureMessages }) => `${fullName}\n  ${failureMessages.join('\n')}`);
  return (texts.length > 0 ? texts : [message]).map((text) => text.slice(0, 2000));
}

if (import.meta.main) {
  const [command, ...words] = process.argv.slice(2);
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Report;
  if (command === 'failed') {
    for (const file of findFailedFiles(words.map(read))) process.stdout.write(`${file}\n`);
  } else {
    const [brokenSteps, folder = ''] = words;
    const paths = readdirSync(folder).map((name) => join(folder, name));
    const { again = [], first = [] } = Object.groupBy(paths, (path) =>
      basename(path).startsWith('again-') ? 'again' : 'first',
    );
    for (const line of listSlowestFiles(first.map(read), slowest)) process.stdout.write(`${line}\n`);
    const lines = summarize(first.map(read), again.map(read), Number(brokenSteps));
    for (const line of lines) process.stdout.write(`${line}\n`);
    process.exitCode = /^[1-9]\d* passed, 0 failed$/.test(lines.at(-1) ?? '') ? 0 : 1;
  }
}
