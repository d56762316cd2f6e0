import { pino } from 'pino';
import { expect, test } from 'vitest';
import { silentLog } from '../../test/silent-log.ts';
import { readServiceEnvironment } from '../config/service-environment.ts';
import { connectServiceManager } from './service-manager.ts';

const log = silentLog;

function connect(environment: NodeJS.ProcessEnv) {
  const sent: { words: string; socket: string | undefined }[] = [];
  const manager = connectServiceManager(readServiceEnvironment(environment), log, async (words, env) => {
    sent.push({ words: words.join(' '), socket: env['NOTIFY_SOCKET'] });
  });
  return { manager, sent };
}

test('systemd hears that this process is ready, that it is alive, and that it stops', async () => {
  const { manager, sent } = connect({ NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '30000' });
  await manager.ready();
  await expect.poll(() => sent.filter(({ words }) => words === 'WATCHDOG=1').length).toBeGreaterThan(1);
  manager.endWatch();
  await manager.stopping();
  expect(sent[0]).toEqual({ words: `--ready --pid=${process.pid}`, socket: '/run/systemd/notify' });
  expect(sent.at(-1)?.words).toBe('STOPPING=1');
});

test('without systemd, nothing is sent', async () => {
  const { manager, sent } = connect({});
  await manager.ready();
  await manager.stopping();
  expect(sent).toEqual([]);
});

test('a message that cannot be sent does not end the process', async () => {
  const manager = connectServiceManager(readServiceEnvironment({ NOTIFY_SOCKET: '/x' }), log, async () => {
    throw new Error('not found');
  });
  await manager.ready();
});

test('a message that systemd ends, because it stops the unit, is not a failure', async () => {
  const lines: string[] = [];
  const written = pino({}, { write: (line: string) => lines.push(line) });
  const ended = Object.assign(new Error('Command failed'), { killed: false, signal: 'SIGTERM' });
  const manager = connectServiceManager(readServiceEnvironment({ NOTIFY_SOCKET: '/x' }), written, () =>
    Promise.reject(ended),
  );
  await manager.stopping();
  expect(lines).toEqual([]);
});
