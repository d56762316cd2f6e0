import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Finding } from '../../domain/doctor/finding.ts';
import { collectFindings, expectTrouble } from '../../testing/findings.ts';
import { runOnOwnDisk } from '../../testing/servers/own-disk.ts';
import { examineMachine } from './examine.ts';

const mebibyte = 1024 ** 2;

test('a machine with enough of everything', async () => {
  const folders = ['/dev/shm'];
  const findings = await collectFindings(
    examineMachine({ transferBytes: mebibyte, load: 0.5, unsentBytes: 32_768, folders }),
  );
  expect(findings.map(({ status, check }) => `${status} ${check}`)).toEqual([
    'ok machine.memory',
    'ok machine.load',
    'ok machine.buffers',
    'ok machine.disk',
  ]);
});

test('less memory than transfers may use', async () => {
  const machine = {
    transferBytes: 256 * mebibyte,
    memoryBytes: 500 * mebibyte,
    load: 0.5,
    unsentBytes: 0,
    folders: [],
  };
  await expectTrouble(examineMachine(machine), 'warning machine.memory');
});

test('more to do than it can', async () => {
  await expectTrouble(
    examineMachine({ transferBytes: 1, load: 9, unsentBytes: 0, folders: [] }),
    'warning machine.load',
  );
});

test('buffers of the kernel without a limit', async () => {
  const machine = { transferBytes: 1, load: 0, folders: [] };
  await expectTrouble(examineMachine({ ...machine, unsentBytes: 2 ** 32 - 1 }), 'warning machine.buffers');
  await expectTrouble(examineMachine({ ...machine, unsentBytes: 131_072 }));
});

test('the buffers of this kernel', async () => {
  const findings = await collectFindings(examineMachine({ transferBytes: 1, load: 0, folders: [] }));
  expect(findings.map(({ check }) => check)).toContain('machine.buffers');
});

test('a disk that is nearly full', async () => {
  const module = `
    const { examineMachine } = await import('${new URL('examine.ts', import.meta.url)}');
    const findings = await Array.fromAsync(examineMachine({ transferBytes: 1, load: 0, unsentBytes: 0, folders: ['/mnt'] }));
    console.log(JSON.stringify(findings));`;
  const on = (usedBytes: number) => JSON.parse(runOnOwnDisk(module, mebibyte, usedBytes)) as Finding[];
  await expectTrouble(Readable.from(on(1_020_000)), 'warning machine.disk');
  await expectTrouble(Readable.from(on(900_000)));
});
