// The files that the Debian package installs, without building it: npm run lab -- package-test installs it in a clean Debian.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configTable } from '../../server/src/config/config.ts';
import { makeSbom } from '../release/sbom.ts';
import { runInstalled } from '../shared/installed-program.ts';

const units = ['waybill-serve.service', 'waybill-work.service'];
let root: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'waybill-package-'));
  await runInstalled(fileURLToPath(new URL('package', import.meta.url)), ['--root', root]);
}, 120_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const toInstalledPath = (path: string) => join(root, path);

test('it holds the program, its services and its documentation, and nothing for developers', () => {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
  const ours = files.filter((path) => !/node_modules|\/(?:server|client|protocol|evidence)\/|\/doc\//.test(path));
  expect(ours.toSorted()).toEqual([
    '/lib/systemd/system/waybill-serve.service',
    '/lib/systemd/system/waybill-work.service',
    '/usr/bin/waybill',
    '/usr/bin/waybilld',
    '/usr/lib/sysctl.d/50-waybill.conf',
    '/usr/lib/sysusers.d/waybill.conf',
    '/usr/lib/tmpfiles.d/waybill.conf',
    '/usr/lib/waybill/node',
    '/usr/share/man/man1/waybill.1.gz',
    '/usr/share/man/man8/waybilld.8.gz',
  ]);
  expect(files.filter((path) => /\.ts$|\.map$|\/(?:typescript|vitest|playwright-core)\//.test(path))).toEqual([]);
});

test('the list of components of a release names every package in it, and Node', async () => {
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, { version: string; dev?: true; link?: true; optional?: true }>;
  };
  const locked = Object.entries(packages)
    .filter(([path, { dev, link, optional }]) => path.includes('node_modules/') && !dev && !link && !optional)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
    // For compilers, and not in the package.
    .filter((name) => !/^(?:@types\/|undici-types@|@?typescript[@/])/.test(name));
  const components = makeSbom().components.map(({ name, version }) => `${name}@${version}`);
  expect(locked.length).toBeGreaterThan(100);
  expect(locked.filter((name) => !components.includes(name))).toEqual([]);

  const inPackage = readdirSync(toInstalledPath('usr/lib/waybill'), { recursive: true, encoding: 'utf8' })
    .filter(
      (path) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(path) && !path.includes('@waybill/'),
    )
    .map(
      (path) =>
        JSON.parse(readFileSync(toInstalledPath(`usr/lib/waybill/${path}`), 'utf8')) as {
          name: string;
          version: string;
        },
    )
    .map(({ name, version }) => `${name}@${version}`);
  const { stdout } = await runInstalled(toInstalledPath('usr/lib/waybill/node'), ['--version']);
  expect(components.toSorted()).toEqual([...new Set([...inPackage, `node@${stdout.trim().slice(1)}`])].toSorted());
});

test.each([
  ['server/dist/main.js', 'waybilld'],
  ['client/dist/command/main.js', 'waybill'],
])('%s runs with what is in the package', async (program, name) => {
  const folder = toInstalledPath('usr/lib/waybill');
  const { stdout } = await runInstalled(join(folder, 'node'), [join(folder, program), '--help'], {
    env: {},
    cwd: root,
  });
  expect(stdout).toContain(`Usage: ${name} `);
});

test('every link in the installed documents leads somewhere', () => {
  const folder = toInstalledPath('usr/share/doc/waybill');
  const links = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [...readFileSync(join(folder, path), 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g)].map(
        ([, target = '']) => join(folder, path, '..', target),
      ),
    );
  expect(links).toContain(join(folder, 'examples/haproxy.cfg'));
  expect(links.filter((path) => !existsSync(path))).toEqual([]);
});

test('the man page describes every command and every setting, and can be shown', async () => {
  const page = toInstalledPath('usr/share/man/man8/waybilld.8.gz');
  const { stdout, stderr } = await runInstalled('man', ['--warnings', '--local-file', page], {
    env: { ...process.env, MANWIDTH: '100', LANG: 'C.UTF-8' },
  });
  expect(stderr).toBe('');
  for (const text of ['waybilld serve', 'waybilld admin accounts create', ...Object.keys(configTable)])
    expect(stdout).toContain(text);
});

describe.each(units)('%s', (unit) => {
  test('is correct', async () => {
    const text = readFileSync(toInstalledPath(`lib/systemd/system/${unit}`), 'utf8');
    const copy = join(root, unit);
    writeFileSync(copy, text.replaceAll('/usr/lib/waybill', toInstalledPath('usr/lib/waybill')));
    const { stderr } = await runInstalled('systemd-analyze', ['verify', '--man=no', copy]);
    expect(stderr).toBe('');
  });

  test('is exposed at most 2.0 of 10', async () => {
    await runInstalled('systemd-analyze', [
      'security',
      '--offline=true',
      '--threshold=20',
      toInstalledPath(`lib/systemd/system/${unit}`),
    ]);
  });
});
