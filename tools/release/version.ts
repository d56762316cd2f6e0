/**
 * Gives everything that names Waybill's version another one.
 *
 *   node tools/release/version.ts VERSION
 */
import { readFileSync, writeFileSync } from 'node:fs';

const packages = ['', 'protocol', 'evidence', 'server', 'client'];
/** Files whose text contains the version. */
const texts = [
  'README.md',
  'client/README.md',
  'docs/client.md',
  'docs/install.md',
  'docs/python.md',
  'python/README.md',
  'python/pyproject.toml',
  'Dockerfile',
  'deploy/helm/waybill/Chart.yaml',
];

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
}

/** The content of each file that names a version, with the new one. */
export function withVersion(version: string, read: (path: string) => string): Map<string, string> {
  const files = new Map<string, string>();
  const json = <Content>(path: string, change: (content: Content) => void) => {
    const content = JSON.parse(read(path)) as Content;
    change(content);
    files.set(path, `${JSON.stringify(content, undefined, 2)}\n`);
  };
  const old = (JSON.parse(read('package.json')) as Manifest).version;
  const change = (manifest: Manifest) => {
    manifest.version = version;
    for (const name of ['@waybill/protocol', '@waybill/evidence']) {
      if (manifest.dependencies?.[name]) manifest.dependencies[name] = version;
    }
  };
  for (const folder of packages) json<Manifest>(`${folder && `${folder}/`}package.json`, change);
  json<Manifest & { packages: Record<string, Manifest> }>('package-lock.json', (lock) => {
    lock.version = version;
    for (const folder of packages) change(lock.packages[folder] as Manifest);
  });
  for (const path of texts) {
    const text = read(path);
    if (!text.includes(old)) throw new Error(`${path} does not name the version ${old}.`);
    files.set(path, text.replaceAll(old, version));
  }
  return files;
}

if (import.meta.main) {
  const root = new URL('../../', import.meta.url);
  const files = withVersion(process.argv[2] ?? '', (path) => readFileSync(new URL(path, root), 'utf8'));
  for (const [path, content] of files) writeFileSync(new URL(path, root), content);
}
