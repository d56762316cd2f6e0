import { expect, test } from 'vitest';
import { silentLog } from '../../../test/silent-log.ts';
import { buildProbes } from './server.ts';

const app = buildProbes({
  log: silentLog,
  status: () => 'ok',
  engines: () => ({}),
  allowedHosts: ['files.example.org', 'admin.example.org:8081'],
  metrics: { contentType: 'text/plain', metrics: async () => 'waybill_up 1' },
});

test.each([
  '10.0.0.11:8081',
  '127.0.0.1',
  '[::1]:8081',
  'localhost:8081',
  'waybill',
  'files.example.org:8081',
  'admin.example.org:8081',
])('the probes are served as %s', async (host) => {
  const { statusCode } = await app.inject({ url: '/metrics', headers: { host } });
  expect(statusCode).toBe(200);
});

test.each(['attacker.example', 'attacker.example:8081', '10.0.0.11.attacker.example', 'admin.example.org:80'])(
  'the probes are not served as %s, a name that a stranger could point here',
  async (host) => {
    for (const url of ['/metrics', '/healthz', '/readyz']) {
      const response = await app.inject({ url, headers: { host } });
      expect([response.statusCode, response.json()]).toEqual([421, expect.objectContaining({ code: 'wrong_host' })]);
    }
  },
);
