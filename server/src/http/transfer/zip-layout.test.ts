import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInstalled } from '../../../../tools/shared/installed-program.ts';
import { type ZipEntry, type ZipPiece, zipLayout } from './zip-layout.ts';

const env = { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'UTC' };
const time = new Date('2026-11-15T13:37:42Z');
const gib = 1024 ** 3;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-zip-layout-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const contents: Record<string, string> = { 'reports/2026/q1.txt': 'first', empty: '', 'smörgås.txt': 'ö'.repeat(1000) };
const smallFiles = Object.entries(contents).map(([path, content]) => ({
  path,
  sizeBytes: Buffer.byteLength(content),
  crc32: crc32(content),
}));

function makeHeader(piece: ZipPiece): Buffer | undefined {
  return 'header' in piece ? piece.header() : undefined;
}

function written(files: readonly ZipEntry[], name: string): string {
  const { pieces, sizeBytes } = zipLayout(files, time);
  const parts = pieces.map(
    (piece) => makeHeader(piece) ?? Buffer.from(Object.values(contents)['entry' in piece ? piece.entry : -1] ?? ''),
  );
  for (const [index, { start, end }] of pieces.entries()) expect(parts[index]).toHaveLength(end - start);
  const zip = Buffer.concat(parts);
  expect(zip).toHaveLength(sizeBytes);
  const path = join(folder, name);
  writeFileSync(path, zip);
  return path;
}

test('unzip finds every file', async () => {
  const zip = written(smallFiles, 'small.zip');
  expect((await runInstalled('unzip', ['-t', zip], { env })).stdout).toContain('No errors detected');
  expect((await runInstalled('unzip', ['-Z1', zip], { env })).stdout.trimEnd().split('\n')).toEqual(
    Object.keys(contents),
  );
  expect((await runInstalled('unzip', ['-p', zip, 'smörgås.txt'], { env })).stdout).toBe(contents['smörgås.txt']);
  expect((await runInstalled('unzip', ['-Z', '-T', zip], { env })).stdout).toContain('20261115.133742');
});

test('the same files and time give the same bytes', () => {
  const makeBytes = (files: readonly ZipEntry[], at: Date) =>
    Buffer.concat(zipLayout(files, at).pieces.flatMap((piece) => makeHeader(piece) ?? []));
  expect(makeBytes(smallFiles, time)).toEqual(makeBytes(smallFiles, new Date(time)));
  expect(makeBytes(smallFiles, time)).not.toEqual(makeBytes(smallFiles, new Date(time.getTime() + 2000)));
});

/** The large files are sparse, so that they take no space; the last file is read from behind them. */
test.each([
  ['one file beyond 4 GiB', [5 * gib, 3]],
  ['files that together are beyond 4 GiB', [3 * gib, 3 * gib, 3]],
  ['a file of 4 GiB', [4 * gib, 3]],
  ['a file of 4 GiB less two bytes', [4 * gib - 2, 3]],
])('unzip finds %s', async (_which, sizes) => {
  const last = crc32(Buffer.alloc(3));
  const entries = sizes.map((sizeBytes, index) => ({ path: `folder/${index}`, sizeBytes, crc32: last }));
  const { pieces, sizeBytes } = zipLayout(entries, time);
  const path = join(folder, 'large.zip');
  const file = openSync(path, 'w');
  ftruncateSync(file, sizeBytes);
  for (const piece of pieces) {
    if ('entry' in piece) continue;
    const header = piece.header();
    expect(header).toHaveLength(piece.end - piece.start);
    writeSync(file, header, 0, header.length, piece.start);
  }
  closeSync(file);
  const { stdout } = await runInstalled('unzip', ['-Zs', path], { env });
  const listed = [...stdout.matchAll(/(\d+) \S+ stor .* folder\/(\d)$/gm)];
  expect(listed.map(([, size]) => Number(size))).toEqual(sizes);
  expect((await runInstalled('unzip', ['-p', path, `folder/${sizes.length - 1}`], { env })).stdout).toBe('\0\0\0');
});
