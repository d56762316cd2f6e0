/**
 * Adds to package-lock.json the optional packages for other platforms that a registry mirror did not offer when a
 * dependency was added. Without them `npm ci` refuses the lockfile everywhere. Run it after `npm install`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface Package {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const systems = new Set([
  'darwin',
  'win32',
  'android',
  'freebsd',
  'linux',
  'openharmony',
  'netbsd',
  'openbsd',
  'sunos',
  'aix',
]);
const processors = new Set(['x64', 'arm64', 'ia32', 'arm', 'ppc64', 'riscv64', 's390x', 'loong64', 'wasm32']);

const path = new URL('../../package-lock.json', import.meta.url);
const lockfile = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Package> };
const { packages } = lockfile;
let added = 0;
for (const parent of Object.values(packages)) {
  for (const [name, range] of Object.entries(parent.optionalDependencies ?? {})) {
    if (Object.keys(packages).some((key) => key.endsWith(`node_modules/${name}`))) continue;
    packages[`node_modules/${name}`] = {
      ...findPlatform(name),
      version: range.replace(/^[~^]/, ''),
      optional: true,
      ...(parent.dev ? { dev: true } : {}),
    };
    added += 1;
  }
}
lockfile.packages = Object.fromEntries(Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lockfile, null, 2)}\n`);
process.stdout.write(`${added} packages added\n`);

/** By convention such a package is named after its platform. */
function findPlatform(name: string): Package {
  const words = name.split(/[-/]/);
  const os = name === 'fsevents' ? 'darwin' : words.findLast((word) => systems.has(word));
  const cpu = words.findLast((word) => processors.has(word));
  const libc = os === 'linux' ? [words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc'] : undefined;
  return { ...(os ? { os: [os] } : {}), ...(cpu ? { cpu: [cpu] } : {}), ...(libc ? { libc } : {}) };
}
