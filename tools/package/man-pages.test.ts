import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { flattenCommands } from '../../client/src/command/program.ts';
import { runInstalled } from '../shared/installed-program.ts';
import { makePrograms, renderManPages } from './man-pages.ts';

let folder: string;
let shown: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-man-'));
  const path = join(folder, 'waybill.1');
  writeFileSync(path, renderManPages()['man1/waybill.1'] ?? '');
  const env = { ...process.env, MANWIDTH: '80', LANG: 'C.UTF-8' };
  const { stdout, stderr } = await runInstalled('man', ['--warnings', '--local-file', path], { env });
  expect(stderr).toBe('');
  shown = stdout;
});
afterAll(() => rmSync(folder, { recursive: true }));

test('waybill(1) has the usual headings, in the usual order', () => {
  expect(shown.match(/^[A-Z][A-Z ]+$/gm)).toEqual([
    'NAME',
    'SYNOPSIS',
    'DESCRIPTION',
    'OPTIONS',
    'COMMANDS',
    'EXAMPLES',
    'ENVIRONMENT',
    'EXIT STATUS',
    'FILES',
    'SEE ALSO',
  ]);
});

test('it describes every command with its options, within the width of a terminal', () => {
  const text = shown.replaceAll(/\s+/g, ' ');
  const [, ...commands] = flattenCommands(makePrograms().client);
  expect(commands.length).toBeGreaterThan(30);
  for (const command of commands) {
    expect(text).toContain(command.createHelp().commandUsage(command));
    for (const { flags } of command.options) expect(text).toContain(flags);
  }
  // The key of a log and a link cannot be broken.
  const unbreakable = /files\.example\.org\/(?:log|d|u)\//;
  expect(shown.split('\n').filter((line) => line.length > 80 && !unbreakable.test(line))).toEqual([]);
});

test('an example that is too long is broken where a shell allows it', () => {
  expect(shown).toContain(
    '           waybill send report.pdf --to anna@example.com \\\n' +
      '               --to archive@example.org -m "The report." --days 7\n',
  );
});
