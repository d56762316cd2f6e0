import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { runInstalled } from '../shared/installed-program.ts';

const path = (name: string) => new URL(`../../deploy/postgres/${name}`, import.meta.url).pathname;
const text = (name: string) => readFileSync(path(name), 'utf8');
const patroni = parse(text('patroni.yml'));

test('HAProxy accepts its example', async () => {
  const haproxy = existsSync('/usr/sbin/haproxy') ? '/usr/sbin/haproxy' : 'haproxy';
  await runInstalled(haproxy, ['-c', '-f', path('haproxy.cfg')]);
});

test('PgBouncer leads to HAProxy, and HAProxy to the servers and their Patroni', () => {
  const [, bound] = /bind (\S+)/.exec(text('haproxy.cfg')) ?? [];
  expect(text('pgbouncer.ini')).toContain(`host=${bound?.replace(':', ' port=')}\n`);
  const restPort = patroni.restapi.listen.split(':')[1];
  expect(text('haproxy.cfg')).toContain(`server ${patroni.name} ${patroni.postgresql.listen} port ${restPort}\n`);
});

test('Patroni does not replace a primary that could still renew its key', () => {
  const { ttl, loop_wait: wait, retry_timeout: retry } = patroni.bootstrap.dcs;
  expect(wait + 2 * retry).toBeLessThanOrEqual(ttl);
});
