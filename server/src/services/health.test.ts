import { expect, test } from 'vitest';
import { closedPort } from '../../../tools/shared/tcp.ts';
import { silentLog } from '../../test/silent-log.ts';
import { buildProbes, type ProcessStatus } from '../http/probes/server.ts';
import { askHealth } from './health.ts';

async function startProbes(host: string, status: ProcessStatus = 'ok') {
  const app = buildProbes({
    allowedHosts: [],
    log: silentLog,
    status: () => status,
    engines: () => ({}),
    metrics: { contentType: 'text/plain', metrics: async () => '' },
  });
  await app.listen({ host, port: 0 });
  const { port } = app.server.address() as { port: number };
  return { host, port, [Symbol.asyncDispose]: () => app.close() };
}

const health = (serve?: { host: string; port: number }, work?: { host: string; port: number }) =>
  askHealth({ WAYBILL_PROBES_LISTEN: serve, WAYBILL_WORK_PROBES_LISTEN: work });

test('a process that listens on every address of the machine is asked on the loopback address', async () => {
  await using running = await startProbes('0.0.0.0');
  const lines = [`http://127.0.0.1:${running.port}/readyz  ready`];
  expect(await health(running)).toEqual({ ready: true, lines });
});

test('a process that has both addresses from its image is asked once', async () => {
  await using running = await startProbes('127.0.0.1');
  const { ready, lines } = await health(running, { host: '0.0.0.0', port: running.port });
  expect([ready, lines.length]).toEqual([true, 1]);
});

test.each(['starting', 'stopping'] as const)(
  'a machine is not ready while one of its processes is %s',
  async (status) => {
    await using running = await startProbes('127.0.0.1');
    await using other = await startProbes('127.0.0.1', status);
    const { ready, lines } = await health(running, other);
    expect([ready, lines[1]]).toEqual([false, `http://127.0.0.1:${other.port}/readyz  ${status}`]);
  },
);

test('a machine is not ready without a process', async () => {
  const { ready, lines } = await health({ host: '::', port: await closedPort() });
  expect([ready, lines[0]]).toEqual([
    false,
    expect.stringMatching(/^http:\/\/\[::1\]:\d+\/readyz {2}does not respond$/),
  ]);
});

test('without an address it names the settings', async () => {
  expect(await health()).toEqual({ ready: false, lines: [expect.stringContaining('WAYBILL_PROBES_LISTEN')] });
});
