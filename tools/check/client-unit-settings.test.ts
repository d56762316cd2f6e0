// Restarts and permissions in the client's systemd units, for which no systemd has to be installed.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (side: 'watch' | 'pull') =>
  readFileSync(new URL(`../../client/systemd/waybill-${side}@.service`, import.meta.url), 'utf8');

test.each(['watch', 'pull'] as const)(
  'a %s is not restarted after a wrong command line or key, or a refusal',
  (side) => {
    expect(read(side)).toMatch(/^RestartPreventExitStatus=2 3 4$/m);
  },
);

test('the group of a watch can move files back from its folders, which nobody else can read', () => {
  expect(read('watch')).toMatch(/^UMask=0007$/m);
});
