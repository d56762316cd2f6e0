import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const project = fileURLToPath(new URL('../../', import.meta.url));
const readNodeVersions = (path: string) =>
  (JSON.parse(readFileSync(join(project, path), 'utf8')) as { engines: { node: string } }).engines.node;

describe('with-node', () => {
  let clone: string;

  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'with-node-'));
    mkdirSync(join(clone, 'tools'));
    for (const path of ['tools/with-node', 'package.json']) cpSync(join(project, path), join(clone, path));
    mkdirSync(join(clone, 'node_modules'));
    writeFileSync(join(clone, 'node_modules/.package-lock.json'), '{}');
  });
  afterEach(() => rmSync(clone, { recursive: true }));

  /** A folder with the programs that the script itself runs, and this file as `node`. */
  function pathWith(node: string | undefined): string {
    const bin = join(clone, 'bin');
    mkdirSync(bin);
    for (const name of ['bash', 'env', 'dirname', 'readlink', 'sed', 'cat']) {
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name));
    }
    if (node !== undefined) writeFileSync(join(bin, 'node'), `#!${join(bin, 'bash')}\n${node}\n`, { mode: 0o755 });
    return bin;
  }

  const run = (PATH: string) =>
    spawnSync(join(clone, 'tools/with-node'), ['node', '--version'], { env: { PATH }, encoding: 'utf8' });

  test('takes the Node on the PATH where it is recent enough', () => {
    expect(run(pathWith(`exec ${process.execPath} "$@"`))).toMatchObject({ status: 0, stdout: `${process.version}\n` });
  });

  test.each([
    ['an old one', 'if [ "$1" = --version ]; then echo v20.20.2; else exit 1; fi', 'v20.20.2'],
    ['none', undefined, 'none'],
  ])('says what is missing where there is %s', (_name, node, found) => {
    const { status, stderr } = run(pathWith(node));
    expect(status).toBe(1);
    expect(stderr).toContain(`needs Node ${readNodeVersions('package.json')}. Found on the PATH: ${found}.`);
    expect(stderr).toContain('tools/setup');
  });

  test('installs the dependencies where there are none', () => {
    rmSync(join(clone, 'node_modules'), { recursive: true });
    const bin = pathWith(`exec ${process.execPath} "$@"`);
    writeFileSync(join(bin, 'npm'), `#!${join(bin, 'bash')}\necho "npm $*, in $PWD"\n`, { mode: 0o755 });
    expect(run(bin)).toMatchObject({
      status: 0,
      stdout: `${process.version}\n`,
      stderr: expect.stringContaining(`npm ci --ignore-scripts --no-audit --no-fund, in ${clone}\n`),
    });
  });

  test('prefers the Node of tools/setup', () => {
    mkdirSync(join(clone, '.tools/bin'), { recursive: true });
    writeFileSync(join(clone, '.tools/bin/node'), '#!/bin/sh\necho ours\n');
    chmodSync(join(clone, '.tools/bin/node'), 0o755);
    expect(run(`${dirname(process.execPath)}:/usr/bin:/bin`).stdout).toBe('ours\n');
  });
});

test('every package says which versions of Node start it, and so do the documents', () => {
  // These versions have crypto.randomUUIDv7, which the server requires.
  const versions = '^24.16.0 || >=26.1.0';
  for (const path of ['package.json', 'protocol/package.json', 'server/package.json']) {
    expect(readNodeVersions(path), path).toBe(versions);
  }
  expect(readFileSync(join(project, 'docs/requirements.md'), 'utf8')).toContain('| Node | 24.16+ or 26.1+ |');
  const [, min = ''] = /^>=(.*)$/.exec(readNodeVersions('client/package.json')) ?? [];
  expect(readFileSync(join(project, 'docs/client.md'), 'utf8')).toContain(`Node (${min} or newer)`);
});
