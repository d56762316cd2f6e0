import { expect, test } from 'vitest';
import { carryOutRemedy, collectFindings, expectTrouble, readRemedy } from '../../../test/findings.ts';
import { runOnOwnDisk } from '../../../test/servers/own-disk.ts';
import type { Finding } from '../../domain/doctor/finding.ts';
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
  await carryOutRemedy(
    'machine.memory',
    () => examineMachine(machine),
    (remedy) => {
      expect(remedy).toBe('Lower WAYBILL_UPLOAD_MEMORY_BYTES and WAYBILL_DOWNLOAD_MEMORY_BYTES.');
      machine.transferBytes /= 2;
    },
  );
});

test('more to do than it can', async () => {
  await expectTrouble(
    examineMachine({ transferBytes: 1, load: 9, unsentBytes: 0, folders: [] }),
    'warning machine.load',
  );
});

test('buffers of the kernel without a limit', async () => {
  const machine = { transferBytes: 1, load: 0, folders: [] };
  let unsentBytes = 2 ** 32 - 1;
  await carryOutRemedy(
    'machine.buffers',
    () => examineMachine({ ...machine, unsentBytes }),
    (remedy) => (unsentBytes = Number(readRemedy(remedy, /tcp_notsent_lowat = (\d+) into/))),
  );
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
  let usedBytes = 1_020_000;
  await carryOutRemedy(
    'machine.disk',
    async () => on(usedBytes),
    (remedy) => {
      expect(remedy).toMatch(/^Free some space/);
      usedBytes = 900_000;
    },
  );
});
