import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Finding } from '../../domain/ports/index.ts';
import { expectTrouble, findingsOf } from '../../testing/findings.ts';
import { runOnOwnDisk } from '../../testing/own-disk.ts';
import { examineMachine } from './examine.ts';

const mebibyte = 1024 ** 2;

test('a machine with enough of everything', async () => {
  const folders = ['/dev/shm'];
  const findings = await findingsOf(examineMachine({ transferBytes: mebibyte, load: 0.5, folders }));
  expect(findings.map(({ status, check }) => `${status} ${check}`)).toEqual([
    'ok machine.memory',
    'ok machine.load',
    'ok machine.disk',
  ]);
});

test('less memory than transfers may use', async () => {
  const machine = { transferBytes: 256 * mebibyte, memoryBytes: 500 * mebibyte, load: 0.5, folders: [] };
  await expectTrouble(examineMachine(machine), 'warning machine.memory');
});

test('more to do than it can', async () => {
  await expectTrouble(examineMachine({ transferBytes: 1, load: 9, folders: [] }), 'warning machine.load');
});

test('a disk that is nearly full', async () => {
  const module = `
    const { examineMachine } = await import('${new URL('examine.ts', import.meta.url)}');
    const findings = await Array.fromAsync(examineMachine({ transferBytes: 1, load: 0, folders: ['/mnt'] }));
    console.log(JSON.stringify(findings));`;
  const on = (usedBytes: number) => JSON.parse(runOnOwnDisk(module, mebibyte, usedBytes)) as Finding[];
  await expectTrouble(Readable.from(on(1_020_000)), 'warning machine.disk');
  await expectTrouble(Readable.from(on(900_000)));
});
