// The client as it is published: packed, and used by programs that have nothing else from this project.
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../', import.meta.url));
const tsc = join(project, 'node_modules/@typescript/native/bin/tsc');
/** The packages of others that npm would install with it. */
const dependencies = ['commander'];

let consumer: string;
let installed: string;

beforeAll(async () => {
  consumer = mkdtempSync(join(tmpdir(), 'client-package-'));
  const clone = freshClone();
  for (const name of ['evidence', 'client']) await pack(join(clone, name), name);
  installed = join(consumer, 'node_modules/@waybill/client');
  for (const name of dependencies) symlinkSync(findInstalled(name), join(consumer, 'node_modules', name));
  mkdirSync(join(consumer, 'types/@types'), { recursive: true });
  for (const name of ['@types/node', 'undici-types']) symlinkSync(findInstalled(name), join(consumer, 'types', name));
});

/** The project's client and its library without anything that was built. */
function freshClone(): string {
  const clone = join(consumer, 'clone');
  for (const name of ['evidence', 'client'])
    cpSync(join(project, name), join(clone, name), {
      recursive: true,
      filter: (path) => !/\/(?:node_modules|dist)$|\.tsbuildinfo$/.test(path),
    });
  cpSync(join(project, 'tsconfig.base.json'), join(clone, 'tsconfig.base.json'));
  for (const path of ['node_modules', 'client/node_modules']) symlinkSync(join(project, path), join(clone, path));
  return clone;
}

/** Packs a package, and installs it for the consumer. */
async function pack(folder: string, name: string): Promise<void> {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', consumer], { cwd: folder });
  const target = join(consumer, 'node_modules/@waybill', name);
  mkdirSync(target, { recursive: true });
  await run('tar', ['-xzf', stdout.trim(), '--strip-components=1', '-C', target], { cwd: consumer });
}

function findInstalled(name: string): string {
  const folders = ['client/node_modules', 'node_modules'].map((path) => join(project, path, name));
  return folders.find(existsSync) ?? '';
}

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test('it is small, and holds no test and no source', () => {
  const files = filesIn(installed);
  const sizeBytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  expect(sizeBytes).toBeLessThan(1_050_000);
  expect(files.filter((path) => /\.test\.|testing|src\//.test(path))).toEqual([]);
  for (const name of ['README.md', 'LICENSE']) expect(existsSync(join(installed, name)), name).toBe(true);
});

test('it holds every module that another one imports', () => {
  for (const path of filesIn(installed).filter((name) => /\.(?:js|d\.ts)$/.test(name))) {
    for (const [, imported = ''] of readFileSync(path, 'utf8').matchAll(
      /(?:from |import\(|require\()['"](\.[^'"]*)['"]/g,
    )) {
      const target = join(dirname(path), imported);
      const file = path.endsWith('.d.ts') ? target.replace(/\.[jt]s$/, '.d.ts') : target;
      expect(existsSync(file), `${path} imports ${imported}`).toBe(true);
    }
  }
  expect(existsSync(join(installed, 'dist/command/main.js'))).toBe(true);
});

test('editors can show what its types say', () => {
  for (const folder of ['dist', 'cjs/dist']) {
    const types = ['waybill', 'generated/wire'].map((name) =>
      readFileSync(join(installed, folder, `${name}.d.ts`), 'utf8'),
    );
    for (const text of types) expect(text.match(/\/\*\*/g)?.length).toBeGreaterThan(10);
  }
});

test('it depends on what it imports, and on nothing else', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const imported = filesIn(installed)
    .filter((path) => path.endsWith('.js') || path.endsWith('.d.ts'))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/(?:from |import\(|require\()['"]([^'"./][^'"]*)['"]/g)])
    .map(([, name]) => name ?? '')
    .filter((name) => !name.startsWith('node:'));
  expect([...new Set(imported)].toSorted()).toEqual(Object.keys(manifest.dependencies).toSorted());
});

test('its command verifies a receipt without any other library', async () => {
  const example = (name: string) => join(project, 'docs/examples', name);
  const { stdout } = await run(
    process.execPath,
    [
      join(installed, 'dist/command/main.js'),
      'verify',
      example('receipt.json'),
      '--policy',
      example('receipt-policy.txt'),
    ],
    { cwd: consumer },
  );
  expect(stdout).toContain('The receipt is valid.');
});

const program = (load: string) => `${load}
const client = new Waybill({ baseUrl: 'https://files.example.org', user: 'a@example.org', apiKey: 'k' });
async function all(): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of client.inbox.list()) names.push(entry.sender);
  try {
    await client.send({ files: ['a.txt', { name: 'b', content: 'b' }], to: ['b@example.org'], days: 1 });
  } catch (error) {
    if (isWaybillError(error, 'infected')) names.push(error.code satisfies 'infected');
  }
  // @ts-expect-error there is no such code
  isWaybillError(new Error(), 'no_such_code');
  return names;
}
console.log(typeof all, client instanceof Waybill);
`;

test.each([
  ['a module, node16', 'module.mts', 'node16', 'node16', "import { isWaybillError, Waybill } from '@waybill/client';"],
  [
    'a CommonJS file, node16',
    'common.cts',
    'node16',
    'node16',
    "import { isWaybillError, Waybill } from '@waybill/client';",
  ],
  [
    'a CommonJS file that requires, node16',
    'required.cts',
    'node16',
    'node16',
    "import client_ = require('@waybill/client');\nconst { isWaybillError, Waybill } = client_;",
  ],
  [
    'a module, bundler',
    'bundled.mts',
    'esnext',
    'bundler',
    "import { isWaybillError, Waybill } from '@waybill/client';",
  ],
])('a strict program can use it: %s', async (_name, file, module, resolution, load) => {
  writeFileSync(join(consumer, file), program(load));
  const language = ['--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--skipLibCheck', 'false'];
  const modules = ['--module', module, '--moduleResolution', resolution];
  // With the types that TypeScript itself includes, and with Node's types instead.
  for (const types of [
    ['--types', ''],
    ['--typeRoots', 'types/@types', '--types', 'node', '--lib', 'es2022'],
  ]) {
    await run(process.execPath, [tsc, ...language, ...modules, ...types, file], { cwd: consumer }).catch(
      (error: { stdout: string }) => {
        throw new Error(error.stdout);
      },
    );
  }
  const { stdout, stderr } = await run(process.execPath, [file.replace('ts', 'js')], { cwd: consumer });
  expect({ stdout, stderr }).toEqual({ stdout: 'function true\n', stderr: '' });
});
