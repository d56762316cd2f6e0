import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { backupPlaceContract } from '../../../test/contracts/backup-place-contract.ts';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { runOnOwnDisk } from '../../../test/servers/own-disk.ts';
import { folderBackupPlace } from './backup-place.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-place-'));
afterAll(() => rmSync(folder, { recursive: true }));

backupPlaceContract('a directory', async () => {
  const bucket = memoryObjectStore();
  return { place: folderBackupPlace(folder, bucket), bucket };
});

test('a file of which the disk takes only a part is not there, and the failure is reported', () => {
  const printed = runOnOwnDisk(
    `import { readdirSync } from 'node:fs';
     import { folderBackupPlace } from '${new URL('backup-place.ts', import.meta.url).href}';
     const place = folderBackupPlace('/mnt', {});
     const content = async function* () { yield Buffer.alloc(1_000_000); };
     const failure = await place.write('part', content()).catch(({ code, path }) => [code, path]);
     console.log(JSON.stringify({ failure, files: readdirSync('/mnt') }));`,
    2_000_000,
    1_500_000,
  );
  expect(JSON.parse(printed)).toEqual({ failure: ['ENOSPC', '/mnt/part'], files: ['ballast'] });
});
