import { expect, test } from 'vitest';
import { fault, ok, skipped, warning } from '../domain/doctor/finding.ts';
import { summarize, toLines } from './doctor.ts';

const findings = [
  fault('s3.lifecycle', 'A rule deletes objects.', 'Remove the rule.'),
  ok('s3.lock', 'No lock.'),
  warning('clamd.signatures', 'They are old.', 'Run freshclam.'),
  skipped('sms', 'WAYBILL_SMS_URL is not set.'),
  ok('machine.disk', 'Half is free.'),
];

test('what needs attention is at the end, the worst last, with what to do', () => {
  expect(toLines(findings).join('\n')).toBe(`ok       s3.lock           No lock.
ok       machine.disk      Half is free.
skipped  sms               WAYBILL_SMS_URL is not set.

warning  clamd.signatures
  They are old.
  What to do: Run freshclam.

fault    s3.lifecycle
  A rule deletes objects.
  What to do: Remove the rule.`);
});

test('the summary counts one and many', () => {
  expect(summarize(findings)).toBe('1 fault, 1 warning, 2 ok, 1 skipped.');
  expect(summarize([])).toBe('0 faults, 0 warnings, 0 ok, 0 skipped.');
});
