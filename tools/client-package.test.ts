// The client as it is published: packed, and used by programs that have nothing else of this project.
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
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../', import.meta.url));
const tsc = join(project, 'node_modules/@typescript/native/bin/tsc');
/** What npm would install beside it: its dependencies, and theirs. */
const dependencies = [
  'commander',
  'htmlparser2',
  'domelementtype',
  'domhandler',
  'domutils',
  'dom-serializer',
  'entities',
];

let consumer: string;
let installed: string;

beforeAll(async () => {
  await run(process.execPath, [tsc, '-b'], { cwd: project });
  consumer = mkdtempSync(join(tmpdir(), 'client-package-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', consumer], {
    cwd: join(project, 'client'),
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run('tar', ['-xzf', filename], { cwd: consumer });
  installed = join(consumer, 'node_modules/@waybill/client');
  mkdirSync(join(consumer, 'node_modules/@waybill'), { recursive: true });
  cpSync(join(consumer, 'package'), installed, { recursive: true });
  mkdirSync(join(consumer, 'node_modules/@types'));
  for (const name of [...dependencies, '@types/node', 'undici-types']) {
    const folder = ['client/node_modules', 'node_modules'].map((path) => join(project, path, name)).find(existsSync);
    symlinkSync(folder ?? '', join(consumer, 'node_modules', name));
  }
});

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test('it is small, and holds no test and no source', () => {
  const files = filesIn(installed);
  const sizeBytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  expect(sizeBytes).toBeLessThan(300_000);
  expect(files.filter((path) => /\.test\.|testing|src\//.test(path))).toEqual([]);
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

const program = (load: string) => `${load}
const client = new Waybill({ baseUrl: 'https://files.example.org', user: 'a@example.org', apiKey: 'k' });
async function all(): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of client.inbox()) for (const file of entry.files) names.push(file.name);
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
  const options = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--target',
    'es2022',
    '--types',
    'node',
    '--skipLibCheck',
    'false',
  ];
  await run(process.execPath, [tsc, ...options, '--module', module, '--moduleResolution', resolution, file], {
    cwd: consumer,
  }).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
  const { stdout, stderr } = await run(process.execPath, [file.replace('ts', 'js')], { cwd: consumer });
  expect({ stdout, stderr }).toEqual({ stdout: 'function true\n', stderr: '' });
});
