import type { FastifyInstance } from 'fastify';
import { afterAll } from 'vitest';
import { type TestExchange, useTestExchange } from './exchange.ts';
import type { MemoryObjectStore } from './memory/memory-object-store.ts';
import { buildTestServer } from './server.ts';

/** An exchange and a server on it for a whole test file, both closed after its last test. */
export async function useTestServer(
  changes: Parameters<typeof buildTestServer>[1] = {},
): Promise<{ exchange: TestExchange<MemoryObjectStore>; app: FastifyInstance }> {
  const exchange = await useTestExchange();
  const app = buildTestServer(exchange, changes);
  afterAll(() => app.close());
  return { exchange, app };
}
