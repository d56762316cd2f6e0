// The program as a process of its own: the libraries that it loads decide how long a command takes to start.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
/** Lists every package that was loaded, on standard error. */
const listPackages = `
import { registerHooks } from 'node:module';
const packages = new Set();
registerHooks({
  load(url, context, next) {
    const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    return next(url, context);
  },
});
process.on('exit', () => process.stderr.write(JSON.stringify([...packages].sort())));
`;

function run(preload: string, ...words: string[]) {
  const hooks = `--import=data:text/javascript,${encodeURIComponent(preload)}`;
  return promisify(execFile)(process.execPath, ['--conditions=source', hooks, main, ...words]);
}

test('the version is printed without loading a library', async () => {
  const { stdout, stderr } = await run(listPackages, '--version');
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(JSON.parse(stderr)).toEqual([]);
});

test('help is printed without loading a server, a driver or a client of an engine', async () => {
  const { stdout, stderr } = await run(listPackages, 'admin', 'drops', '--help');
  expect(stdout).toContain('Usage: waybilld admin drops');
  expect(JSON.parse(stderr)).toEqual([
    '@noble/curves',
    '@noble/hashes',
    '@noble/post-quantum',
    'commander',
    'ipaddr.js',
    'typebox',
    'validator',
  ]);
});

test('a user without a name, as containers can have, can run commands', async () => {
  const unsetUser = `
import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
os.userInfo = () => { throw new Error('uv_os_get_passwd returned ENOENT'); };
syncBuiltinESMExports();
const { userName } = await import('${new URL('./host/user-name.ts', import.meta.url).href}');
process.stderr.write(userName());
`;
  const { stdout, stderr } = await run(unsetUser, 'admin', 'holds', 'place', '--help');
  expect(stdout).toContain('--by <name>');
  expect(stderr).toMatch(/^user \d+$/);
});
