// A `serve` process is replaced by a new one on the same socket, as `systemctl reload waybill-serve` does it.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { closedPort } from '../../tools/shared/tcp.ts';
import { freshClient } from '../lib/accounts.ts';
import { succeeded } from '../lib/http/client.ts';
import { programEnvironment, programPath } from '../lib/servers/admin.ts';
import { ownServe } from '../lib/servers/own-serve.ts';
import { eventually } from '../lib/wait.ts';
import { Keystream } from '../sizes/keystream.ts';
import { uploadStream } from '../sizes/upload-stream.ts';

const directory = mkdtempSync(join(tmpdir(), 'waybill-hand-over-'));
const masterKeys = join(directory, 'master-keys');
const started: number[] = [];
afterAll(() => {
  for (const pid of started) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  rmSync(directory, { recursive: true });
});

async function startServing() {
  copyFileSync(programEnvironment()['WAYBILL_MASTER_KEY_FILE'] as string, masterKeys);
  const probesPort = await closedPort();
  const serve = await ownServe({
    RUNTIME_DIRECTORY: directory,
    WAYBILL_LISTEN: `127.0.0.1:${await closedPort()}`,
    WAYBILL_PROBES_LISTEN: `127.0.0.1:${probesPort}`,
    WAYBILL_MASTER_KEY_FILE: masterKeys,
    WAYBILL_STOP_DELAY_SECONDS: '1',
    WAYBILL_STOP_SECONDS: '60',
  });
  started.push(serve.pid);
  return { ...serve, readiness: async () => (await fetch(`http://127.0.0.1:${probesPort}/readyz`)).status };
}

/** The exit code and output of the command that `systemctl reload` runs. */
async function handOver(pid: number): Promise<{ code: number; stdout: string }> {
  const command = programPath.replace(/main\.([jt]s)$/, 'request-hand-over.$1');
  return promisify(execFile)(process.execPath, [command, join(directory, String(pid))]).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
}

/** A request on a connection of its own. */
function ask(baseUrl: string): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest(`${baseUrl}/openapi.json`, { agent: new Agent({ keepAlive: false }) }, (response) => {
      text(response).then(() => resolve(response.statusCode ?? 0), reject);
    })
      .on('error', reject)
      .end();
  });
}

test('no connection is refused, and an upload in progress ends in the old process', { timeout: 120_000 }, async () => {
  const sender = await freshClient('hand-over');
  const serve = await startServing();
  const client = sender.through(serve.baseUrl);
  succeeded(await client.files());
  const halfway = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const sizeBytes = 8 * 1024 ** 2;
  const uploading = uploadStream(client, 'slow.bin', new Keystream('hand-over'), sizeBytes, async (doneBytes) => {
    if (doneBytes < sizeBytes / 2) return;
    halfway.resolve();
    await goOn.promise;
  });
  await halfway.promise;

  const statuses: (number | string)[] = [];
  const over = new AbortController();
  const asking = (async () => {
    while (!over.signal.aborted) statuses.push(await ask(serve.baseUrl).catch((error: Error) => error.message));
  })();
  expect(await handOver(serve.pid)).toMatchObject({ code: 0, stdout: 'ready\n' });
  const pids = () =>
    serve.said.flatMap((line) => /^\{.*"pid":(\d+),.*"msg":"serving"/.exec(line)?.[1] ?? []).map(Number);
  const [, successor = 0] = await eventually('two processes', async () => (pids().length === 2 ? pids() : undefined));
  started.push(successor);
  expect(successor).not.toBe(serve.pid);
  expect(await serve.readiness()).toBe(200);
  // The old process no longer accepts connections, so the new one gets each of these.
  const before = statuses.length;
  await eventually('requests to the new process', async () => (statuses.length > before + 20 ? true : undefined));
  over.abort();
  await asking;
  expect(new Set(statuses)).toEqual(new Set([200]));

  // A signal to both, as `systemctl stop` sends it, lets the upload end too.
  process.kill(serve.pid, 'SIGTERM');
  goOn.resolve();
  await uploading;
  expect(await serve.ended).toBe(0);
  expect(await ask(serve.baseUrl)).toBe(200);
  process.kill(successor, 'SIGTERM');
  await eventually('the new process to end', async () =>
    ask(serve.baseUrl).then(
      () => undefined,
      () => true as const,
    ),
  );
});

test('a process continues if the new one cannot start', { timeout: 120_000 }, async () => {
  const serve = await startServing();
  rmSync(masterKeys);
  const { code, stdout } = await handOver(serve.pid);
  expect(stdout).toContain('The running process continues to serve');
  expect(code).toBe(1);
  expect(await serve.readiness()).toBe(200);
  expect(await ask(serve.baseUrl)).toBe(200);
  await serve.stop();
  expect((await handOver(serve.pid)).code).toBe(3);
});
