import type { FastifyInstance } from 'fastify';
import type { FailureLimit } from '../src/domain/ports/limits.ts';
import { buildServer, type ServerOptions } from '../src/services/build-server.ts';
import { plenty, type TestExchange } from './exchange.ts';
import { MemoryLimits } from './memory/memory-limits.ts';
import { testPages } from './pages.ts';
import { silentLog } from './silent-log.ts';
import { watchRequests } from './watch-operations.ts';

export const testHost = 'files.example.org';

export const testServerOptions: ServerOptions = {
  log: silentLog,
  makeRequestId: () => 'test-1',
  publicUrl: `https://${testHost}`,
  allowedHosts: [],
  trustedProxies: [],
  paceLimits: { minBodyBytesPerSecond: 1024 },
  pages: testPages,
};

/** Counts nothing: a failure is within the limit, or has exceeded it for so many seconds. */
export function makeFailureLimit(waitSeconds = 0): FailureLimit {
  const isExceeded = waitSeconds > 0;
  const remaining = isExceeded ? 0 : 9;
  const resetSeconds = isExceeded ? waitSeconds : 60;
  return {
    record: async () => ({ name: 'failures', quota: 10, windowSeconds: 60, remaining, resetSeconds, isExceeded }),
  };
}

/** A server on a test's exchange, which never limits failed attempts unless an engine is given that does. */
export function buildTestServer(
  { engines }: TestExchange,
  changes: Partial<Parameters<typeof buildServer>[0]> = {},
  options: Partial<ServerOptions> = {},
): FastifyInstance {
  const limits = new MemoryLimits();
  const csrfTokens = limits.csrfTokens({ lifetimeSeconds: 900 });
  const failureLimit = limits.failureLimit({ failures: plenty, seconds: 60 });
  const app = buildServer({ ...engines, csrfTokens, failureLimit, ...changes }, { ...testServerOptions, ...options });
  watchRequests(app);
  return app;
}

/** Posts a form, as a page's button does. */
export function postForm(app: FastifyInstance, url: string, payload: string, headers: Record<string, string> = {}) {
  const contentType = 'application/x-www-form-urlencoded';
  return app.inject({
    method: 'POST',
    url,
    payload,
    headers: { host: testHost, 'content-type': contentType, ...headers },
  });
}
