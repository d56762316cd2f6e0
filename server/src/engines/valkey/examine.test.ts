import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { carryOutRemedy, collectFindings, expectTrouble, readRemedy } from '../../../test/findings.ts';
import { startRedis } from '../../../test/servers/own-redis.ts';
import { makeCertificate } from '../../../test/transports.ts';
import { examineValkey } from './examine.ts';

test('nothing is wrong with a server that is set up well', async () => {
  const findings = await collectFindings(examineValkey({ url: engineAddresses.valkey }));
  expect(new Set(findings.map(({ status }) => status))).toEqual(new Set(['ok']));
});

test('stopped', async () => {
  await expectTrouble(examineValkey({ url: `redis://127.0.0.1:${await closedPort()}` }), 'fault valkey.reachable');
});

test('a certificate of a private authority is named as the cause', async () => {
  const server = createServer(makeCertificate('127.0.0.1'));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [refused] = await collectFindings(examineValkey({ url: `rediss://127.0.0.1:${port}` }));
  expect(refused?.remedy).toContain('NODE_EXTRA_CA_CERTS');
});

test('silent', async () => {
  await using peer = await startPeer(() => undefined);
  await expectTrouble(examineValkey({ url: `redis://127.0.0.1:${peer.port}` }), 'fault valkey.reachable');
});

test.each([
  ['a password is needed', ['--requirepass', 'secret'], '', 'fault valkey.login'],
  ['the password is wrong', ['--requirepass', 'secret'], ':wrong@', 'fault valkey.login'],
  ['a node of a cluster', ['--cluster-enabled', 'yes'], '', 'fault valkey.mode'],
  ['a replica', ['--replicaof', '127.0.0.1 9'], '', 'fault valkey.mode'],
])('%s', async (_what, settings, credentials, expected) => {
  await using redis = await startRedis(...settings);
  await expectTrouble(examineValkey({ url: redis.url.replace('//', `//${credentials}`) }), expected);
});

test('a password, and the address of the primary, help as the remedies say', async () => {
  await using redis = await startRedis('--requirepass', 'secret');
  const { host } = new URL(redis.url);
  let { url } = redis;
  const writeUrl = (remedy: string) => {
    const form = readRemedy(remedy, /into WAYBILL_REDIS_URL: (redis:\S+)\.$/);
    url = form.replace('USER', 'default').replace('PASSWORD', 'secret').replace('HOST:PORT', host);
  };
  await carryOutRemedy('valkey.login', () => examineValkey({ url }), writeUrl);
  await using replica = await startRedis('--replicaof', '127.0.0.1 9');
  const primary = url;
  url = replica.url;
  await carryOutRemedy(
    'valkey.mode',
    () => examineValkey({ url }),
    (remedy) => {
      readRemedy(remedy, /(Put the address of the primary into WAYBILL_REDIS_URL)/);
      url = primary;
    },
  );
  url = `redis://127.0.0.1:${await closedPort()}`;
  await carryOutRemedy(
    'valkey.reachable',
    () => examineValkey({ url }),
    (remedy) => {
      readRemedy(remedy, /(or correct WAYBILL_REDIS_URL)/);
      url = primary;
    },
  );
});

test('a user that may not write', async () => {
  await using redis = await startRedis();
  const client = new Redis(redis.url);
  await client.acl('SETUSER', 'reader', 'on', '>secret', '~*', '+@all', '-set');
  client.disconnect();
  await expectTrouble(examineValkey({ url: redis.url.replace('//', '//reader:secret@') }), 'fault valkey.write');
});

test('a disk on which it cannot save', async () => {
  await using redis = await startRedis('--save', '3600 1');
  const client = new Redis(redis.url);
  rmSync(redis.folder, { recursive: true });
  await client.bgsave();
  await expect.poll(() => client.info('persistence')).toContain('rdb_last_bgsave_status:err');
  await carryOutRemedy(
    'valkey.write',
    () => examineValkey({ url: redis.url }),
    async (remedy) => {
      expect(remedy).toContain('Free space on its disk');
      await client.config('SET', 'save', readRemedy(remedy, /set save "(.*)" in its configuration/));
    },
  );
  client.disconnect();
});

test('older than what is maintained', async () => {
  const examination = { url: engineAddresses.valkey, oldestMaintained: 99 };
  await expectTrouble(examineValkey(examination), 'warning valkey.version');
});

test.each([
  ['nearly full', 1.05, ['warning valkey.memory']],
  ['full', 0.5, ['fault valkey.memory', 'warning valkey.memory']],
])('%s', async (_what, share, expected) => {
  await using redis = await startRedis();
  const client = new Redis(redis.url);
  // Much more than a connection needs.
  await client.setrange('ballast', 16 * 1024 ** 2, '.');
  const [, used] = /used_memory:(\d+)/.exec(await client.info('memory')) ?? [];
  await client.config('SET', 'maxmemory', Math.round(Number(used) * share));
  await expectTrouble(examineValkey({ url: redis.url }), ...expected);
  await carryOutRemedy(
    'valkey.memory',
    () => examineValkey({ url: redis.url }),
    (remedy) => client.config('SET', readRemedy(remedy, /Raise (\w+)/), Number(used) * 2),
  );
  client.disconnect();
});

test.each([
  ['a little wrong', 10_000, 'warning valkey.clock'],
  ['wrong', 3_600_000, 'fault valkey.clock'],
])('a clock that is %s', async (_what, ms, expected) => {
  const now = () => Date.now() + ms;
  await expectTrouble(examineValkey({ url: engineAddresses.valkey, now }), expected);
});
