// `npm run dev`: waybilld from this clone, on the engines of compose.yaml.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { closedPort } from '../../tools/shared/tcp.ts';
import { eventually } from '../lib/wait.ts';

const run = promisify(execFile);
const engines = ['compose', '-f', 'compose.yaml', '-f', 'deploy/compose/dev.yaml'];

afterAll(async () => {
  await run('docker', [...engines, 'down', '--volumes']);
});

test('starts the engines and serves from the clone', { timeout: 600_000 }, async () => {
  const port = await closedPort();
  const url = `http://localhost:${port}`;
  const env = {
    ...process.env,
    MAIL_PORT: String(await closedPort()),
    WAYBILL_LISTEN: `127.0.0.1:${port}`,
    WAYBILL_PUBLIC_URL: url,
  };
  const words = ['admin', 'accounts', 'create', '--email', 'me@example.org', '--phone', '46700000001'];
  const { stdout } = await run(process.execPath, ['tools/dev/dev.ts', ...words], { env });
  expect(stdout).toMatch(/API key {2}wb_/);

  const dev = spawn(process.execPath, ['tools/dev/dev.ts'], { env, stdio: 'ignore' });
  const ended = once(dev, 'exit');
  await eventually('a response', async () => (await fetch(url).catch(() => undefined))?.ok || undefined, {
    withinMs: 300_000,
  });
  dev.kill();
  await ended;
});
