import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedPort } from '../../../tools/shared/tcp.ts';
import { startDaemon } from './own-daemon.ts';

/** A Redis for one test, with these settings as on its command line. */
export async function startRedis(...settings: readonly string[]) {
  const port = await closedPort();
  const folder = mkdtempSync(join(tmpdir(), 'waybill-redis-'));
  const usual = ['--port', `${port}`, '--dir', folder, '--save', ''];
  const daemon = await startDaemon(port, 'redis-server', ...usual, ...settings);
  return {
    url: `redis://127.0.0.1:${port}`,
    folder,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
