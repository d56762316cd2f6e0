// The systemd units of the client, which its package contains.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runInstalled } from '../shared/installed-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-units-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(['waybill-watch@.service', 'waybill-pull@.service'])('%s', (unit) => {
  const text = readFileSync(new URL(`../../client/systemd/${unit}`, import.meta.url), 'utf8');
  const instance = join(folder, unit.replace('@', '@reports'));
  // The command need not be installed here.
  writeFileSync(instance, text.replace('ExecStart=waybill', 'ExecStart=/bin/true'));

  test('is correct', async () => {
    const { stderr } = await runInstalled('systemd-analyze', ['verify', '--man=no', instance]);
    expect(stderr).toBe('');
  });

  test('is exposed at most 2.0 of 10', async () => {
    await runInstalled('systemd-analyze', ['security', '--offline=true', '--threshold=20', instance]);
  });
});
