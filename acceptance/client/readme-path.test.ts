// A new user's first steps: the commands of README.md, typed into a shell in an empty folder.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createAccount } from '../lib/accounts.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { ownRegistry } from './own-registry.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../', import.meta.url));
const separator = '-- next --';

interface Step {
  command: string;
  output: string;
}

/** The commands of the walkthrough, each with the output that is printed below it. */
function walk(): Step[] {
  const [, block, ...more] = readFileSync(join(project, 'README.md'), 'utf8').split(
    '<!-- client walk -->\n```console\n',
  );
  const text = block?.split('\n```')[0];
  if (text === undefined || more.length > 0) throw new Error('README.md must have exactly one walk of the client');
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...output] = step.trimEnd().split('\n');
      return { command, output: output.join('\n') };
    });
}

/** The README shows a terminal, where lists have headers and columns; here they have tabs. */
function content(output: string): string[] {
  const lines = output.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
  return lines.filter((line) => line !== '' && !/^[A-Z ]+$/.test(line));
}

test('the walkthrough of the README prints the same with the packed client', { timeout: 120_000 }, async () => {
  const [sender, receiver] = await Promise.all([createAccount('path-a'), createAccount('path-b')]);
  const folder = mkdtempSync(join(tmpdir(), 'readme-path-'));
  const [home, empty] = [join(folder, 'home'), join(folder, 'empty')];
  for (const path of [home, empty]) mkdirSync(path);
  await using registry = await ownRegistry(['client/node_modules', 'node_modules'].map((path) => join(project, path)));
  const workspaces = ['--workspace', 'client', '--workspace', 'evidence'];
  await run('npm', ['pack', '--silent', ...workspaces, '--pack-destination', folder], { cwd: project });

  const steps = walk();
  const script = steps.map(({ command }) => `${command}\necho '${separator}'`).join('\n');
  const { stdout, stderr } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    cwd: empty,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      npm_config_registry: registry.url,
      npm_config_cache: join(folder, 'cache'),
      CLONE: folder,
      BASE_URL: demo().base_url,
      USER_A: sender.user,
      KEY_A: sender.apiKey,
      USER_B: receiver.user,
      KEY_B: receiver.apiKey,
    },
  });
  expect(stderr).toBe('');
  const asInReadme = stdout
    .replaceAll(sender.user, 'alpha@machines.test')
    .replaceAll(receiver.user, 'beta@machines.test')
    .replaceAll(empty, '.')
    .replaceAll(home, '~')
    .replace(/\b\d+ B\b/g, '32 B')
    .replace(/WB-\w{4}-\w{4}/g, 'WB-7F3K-29QD')
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '0190b2c8-1f7a-7c3e-9d61-5a1b2c3d4e5f')
    .replace(/until [\d-]+ [\d:]+/g, 'until 2026-11-18 03:22')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-15 03:22');
  const printed = asInReadme.split(`${separator}\n`).slice(0, -1);
  expect(steps.map(({ command }, index) => ({ command, output: content(printed[index] ?? '') }))).toEqual(
    steps.map(({ command, output }) => ({ command, output: content(output) })),
  );
  rmSync(folder, { recursive: true });
});
