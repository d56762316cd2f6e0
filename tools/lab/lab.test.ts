import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const lab = (...words: string[]) =>
  spawnSync(fileURLToPath(new URL('lab', import.meta.url)), words, { encoding: 'utf8' });
const runs = readdirSync(new URL('runs', import.meta.url));

test('lists every run in one line, with how long it takes and what it needs', () => {
  const { status, stdout } = lab();
  const listed = stdout.split('\n').filter((line) => / Takes .*\. Needs .*\.$/.test(line));
  expect(status).toBe(0);
  expect(listed.map((line) => line.split(' ')[0])).toEqual(runs);
  expect(lab('--help').stdout).toBe(stdout);
});

test.each(runs)('shows the usage of %s', (run) => {
  const { status, stdout } = lab(run, '--help');
  expect(status).toBe(0);
  expect(stdout).toContain(`Usage: npm run lab -- ${run}`);
});

test('exits with the code of the run, and with 2 if there is no such run', () => {
  expect(lab('grow')).toMatchObject({ status: 64, stderr: expect.stringContaining('needs --database') });
  expect(lab('storm', '--faults', 'many').status).toBe(2);
  expect(lab('calm')).toMatchObject({ status: 2, stderr: expect.stringContaining('there is no run calm') });
  expect(lab('../lab').status).toBe(2);
});
