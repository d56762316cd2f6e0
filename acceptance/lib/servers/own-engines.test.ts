// A test's own engines: each can be frozen, killed and restarted, and leaves nothing behind.
import { existsSync } from 'node:fs';
import pg from 'pg';
import { expect, test } from 'vitest';
import { isReachable, OwnClamd, type OwnEngine, OwnGateway, OwnPostgres, OwnRedis } from './own-engines.ts';

const kinds: Record<string, () => Promise<OwnEngine>> = {
  PostgreSQL: () => OwnPostgres.start(),
  Redis: () => OwnRedis.start(),
  'S3 gateway': () => OwnGateway.start(),
  clamd: () => OwnClamd.start(),
};
const question: Record<string, string> = {
  // PostgreSQL's SSLRequest, to which the reply is one letter.
  PostgreSQL: '\x00\x00\x00\x08\x04\xd2\x16\x2f',
  Redis: 'PING\r\n',
  'S3 gateway': 'GET / HTTP/1.0\r\n\r\n',
  clamd: 'nPING\n',
};

for (const [name, start] of Object.entries(kinds)) {
  test(`${name} of one's own`, async () => {
    const engine = await start();
    const ask = (withinMs: number) => isReachable(engine.port, question[name] ?? '', /^[NSPH+]/, withinMs);
    try {
      expect(await ask(5000)).toBe(true);
      await engine.freeze();
      expect(await ask(200)).toBe(false);
      engine.thaw();
      expect(await ask(5000)).toBe(true);
      await engine.kill();
      expect(engine.runs).toBe(false);
      await engine.start();
      expect(await ask(5000)).toBe(true);
    } finally {
      await engine[Symbol.asyncDispose]();
    }
    expect(existsSync(engine.folder)).toBe(false);
    expect(await ask(200)).toBe(false);
  });
}

test('an immediate restart of PostgreSQL keeps committed data, and no connection', async () => {
  await using postgres = await OwnPostgres.start();
  const before = new pg.Client(postgres.url);
  const lost = new Promise((resolve) => before.once('error', resolve));
  await before.connect();
  await before.query('create table kept as select 1 as one');
  await postgres.restartImmediately();
  await lost;
  const after = new pg.Client(postgres.url);
  await after.connect();
  expect((await after.query('select one from kept')).rows).toEqual([{ one: 1 }]);
  await after.end();
});
