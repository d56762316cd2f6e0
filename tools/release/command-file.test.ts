// The command as one file runs where nothing is but Node: no packages, and no network from which to get them.
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { completionScript } from '../../client/src/command/commands/completion.ts';
import { succeed, WireServer } from '../../client/src/testing/wire-server.ts';
import { makePrograms } from '../package/man-pages.ts';

const toPath = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const { version } = JSON.parse(readFileSync(toPath('client/package.json'), 'utf8')) as { version: string };
const examples = toPath('docs/examples');
let root: string;
/** As it is installed, under a name without an extension. */
let command: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'waybill-command-file-'));
  execFileSync(toPath('tools/build-command'), [join(root, 'built')]);
  expect(readdirSync(join(root, 'built'))).toEqual([`waybill-${version}.mjs`]);
  mkdirSync(join(root, 'bin'));
  command = join(root, 'bin/waybill');
  copyFileSync(join(root, 'built', `waybill-${version}.mjs`), command);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const run = promisify(execFile);
const environment = () => ({ PATH: join(process.execPath, '..'), HOME: root });

test.each([
  [['--version'], `${version}\n`],
  [['--help'], 'Usage: waybill [options] [command]'],
  [
    ['verify', join(examples, 'receipt.json'), '--policy', join(examples, 'receipt-policy.txt')],
    'The receipt is valid.',
  ],
])('waybill %j needs no network', async (words, expected) => {
  const options = { cwd: join(root, 'bin'), env: environment() };
  const { stdout, stderr } = await run('/usr/bin/unshare', ['-r', '-n', command, ...words], options);
  expect(stdout).toContain(expected);
  expect(stderr).toBe('');
});

test('it talks to a server', async () => {
  const entry = { id: 'e', sender: 'anna@example.com', state: 'available', file_count: 1 };
  await using server = await WireServer.start((_seen, response) =>
    succeed(response, { data: [{ ...entry, received_at: '2030-01-31T12:00:00Z' }], next_cursor: null }),
  );
  const account = { WAYBILL_URL: server.baseUrl, WAYBILL_USER: 'alpha@machines.test', WAYBILL_API_KEY: 'wb_key' };
  const env = { ...environment(), ...account };
  const { stdout } = await run(command, ['--json', 'inbox'], { cwd: join(root, 'bin'), env });
  expect(JSON.parse(stdout)).toMatchObject(entry);
  expect(server.requests[0]?.headers.authorization).toBe('Bearer wb_key');
});

test('it prints the same completion scripts as the packages have', async () => {
  const { stdout } = await run(command, ['completion', 'zsh'], { env: environment() });
  expect(stdout).toBe(completionScript(makePrograms().client, 'zsh'));
});

test('it imports nothing that Node does not have, and contains the licences', () => {
  const text = readFileSync(command, 'utf8');
  // Comments of libraries name their types.
  const code = text.replace(/^\s*(?:\*|\/\/).*$/gm, '');
  const imported = [...code.matchAll(/^(?:import|export)\b.* from "([^"]+)";|\b(?:import|require)\("([^"]+)"\)/gm)];
  const names = imported.map(([, from, called]) => from ?? called ?? '');
  expect(names).toContain('node:sqlite');
  expect(names.filter((name) => !name.startsWith('node:'))).toEqual([]);
  const { packages } = JSON.parse(readFileSync(toPath('package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dependencies?: object; devDependencies?: object }>;
  };
  const libraries = Object.keys({ ...packages['client']?.dependencies, ...packages['evidence']?.devDependencies });
  for (const library of libraries.filter((name) => !name.startsWith('@waybill/'))) {
    const locked = packages[`client/node_modules/${library}`] ?? packages[`node_modules/${library}`];
    expect(text).toContain(`\n## ${library} - ${locked?.version} (MIT)\n`);
  }
  expect(text).toContain(readFileSync(toPath('LICENSE'), 'utf8').trim());
});
