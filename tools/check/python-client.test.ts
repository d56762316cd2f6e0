// The client for Python: its own tests, its types, its agreement with the protocol, and the package that is published.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { safeLocalName, safeLocalPaths } from '../../protocol/src/safe-name.ts';
import { components, paths } from '../generate/client-types.ts';
import { renderPythonErrors, renderPythonTypes } from '../generate/python-types.ts';
import { python, pythonEnvironment, pythonFolder } from '../shared/python.ts';
import { readPythonExamples } from '../shared/python-examples.ts';
import { requireKind } from '../test/require-kind.ts';

requireKind('engines');

const execute = promisify(execFile);
const project = fileURLToPath(new URL('../../', import.meta.url));
const options = { cwd: pythonFolder, env: pythonEnvironment };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'python-client-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs code with the client, and returns the JSON that it prints. */
function evaluate(code: string, input: unknown = null): unknown {
  const program = `import json, sys\nvalue = json.load(sys.stdin)\n${code}`;
  const { stdout, stderr } = spawnSync(python, ['-c', program], {
    ...options,
    input: JSON.stringify(input),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('its own tests pass', async () => {
  const { stderr } = await execute(python, ['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests'], options);
  const [, count = ''] = /^Ran (\d+) tests/m.exec(stderr) ?? [];
  expect(Number(count)).toBeGreaterThan(60);
});

test('its types are complete, and the examples use them correctly', async () => {
  const examples = readPythonExamples().map(({ code }, index) => {
    writeFileSync(join(folder, `example_${index}.py`), code);
    return join(folder, `example_${index}.py`);
  });
  const checked = ['src', 'tests', join(project, 'docs/examples/exchange.py'), ...examples];
  const check = execute('/usr/bin/mypy', ['--cache-dir', join(folder, 'cache'), ...checked], options);
  const { stdout } = await check.catch((error: { stdout: string }) => error);
  expect(stdout).toMatch(/^Success: no issues found in \d+ source files\n$/);
});

describe('it agrees with the protocol in', () => {
  const read = (name: string) => readFileSync(join(pythonFolder, 'src/waybill', name), 'utf8');

  test('the shapes, and the errors to retry', () => {
    expect(read('wire.py'), 'run npm run generate').toBe(renderPythonTypes());
    expect(read('_retryable_errors.py'), 'run npm run generate').toBe(renderPythonErrors());
  });

  test('the paths', () => {
    const used = evaluate(`
from waybill import _paths
found = [getattr(_paths, name) for name in dir(_paths) if name.isupper() and name != "API"]
for name in dir(_paths):
    if name.endswith("_path"):
        found.append(getattr(_paths, name)(*["ID"] * getattr(_paths, name).__code__.co_argcount))
print(json.dumps(found))`) as string[];
    const known = new Set(
      Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, 'ID').replace(/^\/(?:api\/v1\/)?/, '')),
    );
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((path) => !known.has(path.replace(/\?.*/, '')))).toEqual([]);
  });

  test('the rules for names', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'a',
        'A',
        'é',
        'e\u0301',
        'ß',
        'SS',
        'Σ',
        'ς',
        'ı',
        'K',
        '.',
        '..',
        ' ',
        '/',
        '//',
        '\\',
        ':',
        '*',
      ),
      fc.constantFrom(
        'con',
        'NUL',
        'Com1',
        'lpt¹',
        'CONOUT$',
        '.txt',
        '.tar.gz',
        ' (2)',
        '\u0000',
        '\n',
        '\u0085',
        '\u001c',
      ),
      fc.constantFrom('\u200b', '\u3164', '\u00ad', '\ufe0f', '\u{e0041}', '\u00a0', '\u2800', '\u202e', '\ufeff'),
      fc.constantFrom('😀', '\ud800', 'x'.repeat(300), ' '.repeat(300), 'ä'.repeat(130), '/d'.repeat(40)),
      fc.string({ unit: 'binary-ascii', maxLength: 4 }),
    );
    const path = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    const lists = fc.sample(fc.array(path, { maxLength: 12 }), 2_000);
    const found = evaluate(
      'from waybill import safe_local_name, safe_local_paths\n' +
        'print(json.dumps([[safe_local_paths(paths), [safe_local_name(path) for path in paths]] for paths in value]))',
      lists,
    );
    expect(found).toEqual(lists.map((list) => [safeLocalPaths(list), list.map(safeLocalName)]));
  });

  test('the characters that nobody can see', () => {
    const found = evaluate(`
from waybill._safe_name import _BLANK, _INVISIBLE
points = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]
print(json.dumps([[p for p in points if _INVISIBLE.fullmatch(chr(p))], [p for p in points if _BLANK.fullmatch(chr(p))]]))`);
    const points = Array.from({ length: 0x110000 }, (_, point) => point).filter((p) => p < 0xd800 || p >= 0xe000);
    const matching = (pattern: RegExp) => points.filter((point) => pattern.test(String.fromCodePoint(point)));
    expect(found).toEqual([matching(/^\p{Default_Ignorable_Code_Point}$/u), matching(/^[\s\u2800]$/u)]);
  });

  test('the codes of errors', () => {
    const local = evaluate(
      'from waybill.errors import LOCAL_ERRORS\nprint(json.dumps(list(LOCAL_ERRORS)))',
    ) as string[];
    const codes = (components.schemas['ErrorCode']?.enum ?? []) as string[];
    expect(local.filter((code) => codes.includes(code))).toEqual([]);
    const used = readdirSync(join(pythonFolder, 'src/waybill'))
      .filter((name) => name.endsWith('.py'))
      .flatMap((name) => [
        ...read(name).matchAll(/\b(?:WaybillError\(\s*|\.code (?:!=|==) |is_waybill_error\(error, )"(\w+)"/g),
      ])
      .map(([, code = '']) => code);
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((code) => !codes.includes(code) && !local.includes(code))).toEqual([]);
  });
});

describe('its package', () => {
  let installed: string;
  let built: string;
  beforeAll(async () => {
    built = mkdtempSync(join(folder, 'built-'));
    await execute(join(project, 'tools/package/build-python'), [built], options);
    installed = mkdtempSync(join(folder, 'installed-'));
    // No network: nothing else has to be installed.
    await execute(python, ['-m', 'venv', '--without-pip', installed]);
    const wheel = readdirSync(built).find((name) => name.endsWith('.whl')) ?? '';
    const pip = ['-m', 'pip', '--python', join(installed, 'bin/python'), 'install', '--no-index', join(built, wheel)];
    await execute(python, pip);
  });
  const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string };

  test('can be imported from a wheel that is installed without a network', async () => {
    const program =
      'import importlib.metadata, waybill; print(waybill.__file__, importlib.metadata.version("waybill-client"))';
    const { stdout } = await execute(join(installed, 'bin/python'), ['-I', '-c', program], { cwd: folder });
    expect(stdout).toContain(installed);
    expect(stdout.trim().endsWith(` ${version}`)).toBe(true);
  });

  test('has its types, its licence and no tests', async () => {
    const listed = await Promise.all([
      execute('unzip', ['-Z1', join(built, `waybill_client-${version}-py3-none-any.whl`)]),
      execute('tar', ['-tzf', join(built, `waybill_client-${version}.tar.gz`)]),
    ]);
    for (const { stdout } of listed) {
      expect(stdout).toMatch(/waybill\/py\.typed$/m);
      expect(stdout).toMatch(/LICENSE$/m);
      expect(stdout).not.toMatch(/tests?[/_]/);
    }
  });

  test('is built to the same bytes again', async () => {
    const again = mkdtempSync(join(folder, 'again-'));
    await execute(join(project, 'tools/package/build-python'), [again], options);
    for (const name of readdirSync(built))
      expect(readFileSync(join(again, name))).toEqual(readFileSync(join(built, name)));
  });
});

test('its licence is the project’s', () => {
  expect(readFileSync(join(pythonFolder, 'LICENSE'), 'utf8')).toBe(readFileSync(join(project, 'LICENSE'), 'utf8'));
});
