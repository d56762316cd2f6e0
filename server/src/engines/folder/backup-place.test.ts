import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { backupPlaceContract } from '../../testing/backup-place-contract.ts';
import { memoryObjectStore } from '../../testing/memory-object-store.ts';
import { folderBackupPlace } from './backup-place.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-place-'));
afterAll(() => rmSync(folder, { recursive: true }));

backupPlaceContract('a directory', async () => {
  const bucket = memoryObjectStore();
  return { place: folderBackupPlace(folder, bucket), bucket };
});
