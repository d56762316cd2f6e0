import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { FailureLimit } from '../domain/ports/limits.ts';
import { buildServer, type ServerOptions } from '../http/server.ts';
import type { TestExchange } from './exchange.ts';
import { testPages } from './pages.ts';

export const testHost = 'files.example.org';

export const testServerOptions: ServerOptions = {
  log: pino({ level: 'silent' }),
  makeRequestId: () => 'test-1',
  publicUrl: `https://${testHost}`,
  allowedHosts: [],
  trustedProxies: [],
  paceLimits: { minBodyBytesPerSecond: 1024 },
  pages: testPages,
};

/** Counts nothing: a failure is within the limit, or has exceeded it for so many seconds. */
export function failureLimitOf(waitSeconds = 0): FailureLimit {
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
  const minted = new Set<string>();
  const csrfTokens = {
    async mint() {
      const token = randomBytes(32).toString('base64url');
      minted.add(token);
      return token;
    },
    accept: async (_account: string, token: string) => minted.has(token),
  };
  return buildServer(
    { ...engines, csrfTokens, failureLimit: failureLimitOf(), ...changes },
    { ...testServerOptions, ...options },
  );
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
