import { expect, test } from 'vitest';
import { diagnose } from './diagnose.ts';
import type { Finding } from './finding.ts';
import { ok } from './finding.ts';

async function* healthy(): AsyncGenerator<Finding> {
  yield ok('healthy', 'It responds.');
}
async function* silent(): AsyncGenerator<Finding> {
  yield ok('silent.reachable', 'It responds.');
  await new Promise(() => undefined);
}
async function* broken(): AsyncGenerator<Finding> {
  yield ok('broken.reachable', 'It responds.');
  throw new Error('a bug');
}

test('an examination that fails or never ends is a finding, and hides no other', async () => {
  const findings = await diagnose({ silent, broken, healthy }, { deadlineMs: 50 });
  expect(findings).toMatchObject([
    { status: 'ok', check: 'silent.reachable' },
    { status: 'fault', check: 'silent.responds', says: 'There was no response within 0.05 seconds.' },
    { status: 'ok', check: 'broken.reachable' },
    { status: 'fault', check: 'broken.responds', says: 'The examination failed: a bug.' },
    { status: 'ok', check: 'healthy' },
  ]);
});
