import { expect, test } from 'vitest';
import { findFailedFiles, listSlowestFiles, type Report, summarize } from './test-reports.ts';

function toReport(files: Record<string, ('passed' | 'failed')[]>): Report {
  const testResults = Object.entries(files).map(([name, tests]) => ({
    name,
    startTime: 1_000,
    endTime: 1_000 + 2_000 * tests.length,
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
  expect(summarize([toReport({ a: ['passed', 'passed'] }), toReport({ b: ['passed'] })], [], 0)).toEqual([
    '3 passed, 0 failed',
  ]);
});

test('a failed test is named, with its message', () => {
  const reports = [toReport({ a: ['passed', 'failed'], b: ['passed'] })];
  expect(findFailedFiles(reports)).toEqual(['a']);
  expect(summarize(reports, [], 1)).toEqual(['FAILED a: test 1\n  expected 200, got 503', '2 passed, 1 failed']);
});

test('a file that passed when it was run again is named as unstable, and counts as passed', () => {
  const first = [toReport({ a: ['passed', 'failed'], b: ['failed'] })];
  const again = [toReport({ a: ['passed', 'passed'], b: ['failed'] })];
  expect(summarize(first, again, 1)).toEqual([
    'UNSTABLE a: test 1\n  expected 200, got 503',
    'FAILED b: test 0\n  expected 200, got 503',
    '2 passed, 1 failed',
  ]);
});

test('a file that fails outside its tests, and a step that fails without one, count as a failure', () => {
  const broken = toReport({ a: [], b: ['passed'] });
  expect(findFailedFiles([broken])).toEqual(['a']);
  expect(summarize([broken], [], 1)).toEqual(['FAILED a: it does not compile', '1 passed, 1 failed']);
  expect(summarize([toReport({ b: ['passed'] })], [], 1)).toEqual(['1 passed, 1 failed']);
});

test('the slowest files come first', () => {
  const reports = [
    toReport({ a: ['passed'], b: ['passed', 'passed', 'passed'] }),
    toReport({ c: ['passed', 'passed'] }),
  ];
  expect(listSlowestFiles(reports, 2)).toEqual(['6 s b', '4 s c']);
});
