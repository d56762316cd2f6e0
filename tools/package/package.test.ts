// The files that the Debian package installs, without building it: npm run lab -- package-test installs it in a clean Debian.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configTable } from '../../server/src/config/config.ts';
import { makeSbom } from '../release/sbom.ts';
import { runInstalled } from '../shared/installed-program.ts';

const services = ['waybill-serve.service', 'waybill-work.service', 'waybill-backup.service', 'waybill-doctor.service'];
const timers = ['waybill-backup.timer', 'waybill-doctor.timer'];
/** A template, with an instance of it. */
const template = ['waybill-serve@.service', 'waybill-serve@8090.service'] as const;
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
  expect(ours.toSorted()).toEqual(
    [
      ...[...services, ...timers, template[0]].map((unit) => `/lib/systemd/system/${unit}`),
      '/usr/bin/waybill',
      '/usr/bin/waybilld',
      '/usr/lib/sysctl.d/50-waybill.conf',
      '/usr/lib/sysusers.d/waybill.conf',
      '/usr/lib/tmpfiles.d/waybill.conf',
      '/usr/lib/waybill/node',
      ...['waybill', 'waybilld'].flatMap((program) => [
        `/usr/share/bash-completion/completions/${program}`,
        `/usr/share/fish/vendor_completions.d/${program}.fish`,
        `/usr/share/zsh/vendor-completions/_${program}`,
      ]),
      '/usr/share/man/man1/waybill.1.gz',
      '/usr/share/man/man8/waybilld.8.gz',
    ].toSorted(),
  );
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

test.each([
  ['admin out', 'outbox'],
  ['admin drops revoke --acc', '--account'],
  ['admin outbox list --state wait', 'waiting'],
])('bash completes waybilld %s', async (line, expected) => {
  const script = `source usr/share/bash-completion/completions/waybilld; COMP_WORDS=(waybilld ${line})
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _waybilld; echo "\${COMPREPLY[*]}"`;
  const { stdout } = await runInstalled('bash', ['-c', script], { cwd: root });
  expect(stdout.trim()).toBe(expected);
});

describe.each([...services, template[0]])('%s', (unit) => {
  test('is correct', async () => {
    const folder = join(root, 'verified');
    mkdirSync(folder, { recursive: true });
    const paths = [unit, ...timers.filter((timer) => timer === unit.replace('.service', '.timer'))].map((name) => {
      const text = readFileSync(toInstalledPath(`lib/systemd/system/${name}`), 'utf8');
      const copy = join(folder, name === template[0] ? template[1] : name);
      writeFileSync(copy, text.replaceAll('/usr/lib/waybill', toInstalledPath('usr/lib/waybill')));
      return copy;
    });
    const { stderr } = await runInstalled('systemd-analyze', ['verify', '--man=no', ...paths]);
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

test('the template for more processes is the unit of one, with names and ports of its own', () => {
  const readUnit = (name: string) => readFileSync(toInstalledPath(`lib/systemd/system/${name}`), 'utf8').split('\n');
  const [one, several] = [readUnit('waybill-serve.service'), readUnit(template[0])];
  const own = several.filter((line) => !one.includes(line) && !line.startsWith('#'));
  expect(own).toEqual([
    'Description=Waybill HTTP server on port %i',
    'Environment=WAYBILL_LISTEN=127.0.0.1:%i',
    'Environment=WAYBILL_PROBES_LISTEN=127.0.0.1:1%i',
    'SyslogIdentifier=waybill-serve-%i',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: systemd replaces it.
    'ExecReload=/usr/lib/waybill/node server/dist/request-hand-over.js /run/waybill-serve-%i/${MAINPID}',
    'RuntimeDirectory=waybill-serve-%i',
  ]);
  expect(one.filter((line) => !several.includes(line))).toHaveLength(4);
});
