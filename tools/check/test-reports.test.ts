import { expect, test } from 'vitest';
import { failedFiles, type Report, total } from './test-reports.ts';

function reportOf(files: Record<string, ('passed' | 'failed')[]>): Report {
  const testResults = Object.entries(files).map(([name, tests]) => ({
    name,
    status: tests.includes('failed') || tests.length === 0 ? 'failed' : 'passed',
    message: tests.length === 0 ? 'it does not compile' : '',
    assertionResults: tests.map((status, index) => ({
      status,
      fullName: `test ${index}`,
      failureMessages: status === 'failed' ? ['expected 200, got 503'] : [],
    })),
  }));
  const count = (wanted: string) =>
    Object.values(files)
      .flat()
      .filter((status) => status === wanted).length;
  return { numPassedTests: count('passed'), numFailedTests: count('failed'), testResults };
}

test('everything passed', () => {
  expect(total([reportOf({ a: ['passed', 'passed'] }), reportOf({ b: ['passed'] })], [], 0)).toEqual([
    '3 passed, 0 failed',
  ]);
});

test('a failed test is named, with its message', () => {
  const reports = [reportOf({ a: ['passed', 'failed'], b: ['passed'] })];
  expect(failedFiles(reports)).toEqual(['a']);
  expect(total(reports, [], 1)).toEqual(['FAILED a: test 1\n  expected 200, got 503', '2 passed, 1 failed']);
});

test('a file that passed when it was run again is named as unstable, and counts as passed', () => {
  const first = [reportOf({ a: ['passed', 'failed'], b: ['failed'] })];
  const again = [reportOf({ a: ['passed', 'passed'], b: ['failed'] })];
  expect(total(first, again, 1)).toEqual([
    'UNSTABLE a: test 1\n  expected 200, got 503',
    'FAILED b: test 0\n  expected 200, got 503',
    '2 passed, 1 failed',
  ]);
});

test('a file that fails outside its tests, and a step that fails without one, count as a failure', () => {
  const broken = reportOf({ a: [], b: ['passed'] });
  expect(failedFiles([broken])).toEqual(['a']);
  expect(total([broken], [], 1)).toEqual(['FAILED a: it does not compile', '1 passed, 1 failed']);
  expect(total([reportOf({ b: ['passed'] })], [], 1)).toEqual(['1 passed, 1 failed']);
});
