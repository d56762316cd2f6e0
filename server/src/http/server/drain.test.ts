import { Agent, get, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, get as tlsGet } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type FastifyInstance, fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import { transports } from '../../../test/transports.ts';
import { drain } from './drain.ts';

describe.each(transports)('over $name', ({ certificate }) => {
  /** Starts a server whose responses the test delays, and a client that keeps its connections open. */
  async function started() {
    const held: PromiseWithResolvers<string>[] = [];
    const app = fastify({
      return503OnClosing: false,
      ...(certificate && { https: certificate }),
    }) as unknown as FastifyInstance;
    app.get('/quick', async () => 'quick');
    app.get('/held', () => {
      held.push(Promise.withResolvers());
      return held.at(-1)?.promise;
    });
    await app.listen({ port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const agent = certificate
      ? new TlsAgent({ keepAlive: true, rejectUnauthorized: false })
      : new Agent({ keepAlive: true });
    const ask = async (path: string) => {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        (certificate ? tlsGet : get)({ port, path, agent }, resolve).on('error', reject);
      });
      return { body: await text(response), connection: response.headers.connection };
    };
    return {
      app,
      ask,
      held,
      connections: () => Object.values(agent.freeSockets).flat().length,
      end: () => agent.destroy(),
    };
  }

  test('continues to serve during the delay, and each response is the last of its connection', async () => {
    const { app, ask, connections, end } = await started();
    expect(await ask('/quick')).toEqual({ body: 'quick', connection: 'keep-alive' });
    expect(connections()).toBe(1);
    const drained = drain(app, { delayMs: 500, graceMs: 10_000 });
    expect(await ask('/quick')).toEqual({ body: 'quick', connection: 'close' });
    expect(await ask('/quick')).toEqual({ body: 'quick', connection: 'close' });
    expect(await drained).toBe(0);
    await expect(ask('/quick')).rejects.toThrow('ECONNREFUSED');
    end();
  });

  test('finishes a request in progress, closes idle connections and accepts no new ones', async () => {
    const { app, ask, held, end } = await started();
    const slow = ask('/held');
    await ask('/quick');
    await expect.poll(() => held.length).toBe(1);
    const drained = drain(app, { delayMs: 0, graceMs: 60_000 });
    await expect
      .poll(() =>
        ask('/quick').then(
          () => 'taken',
          (error: Error) => error.message,
        ),
      )
      .toContain('ECONNREFUSED');
    held[0]?.resolve('late');
    expect((await slow).body).toBe('late');
    expect(await drained).toBe(0);
    end();
  });

  test('cuts the remaining requests when the time is up', async () => {
    const { app, ask, held, end } = await started();
    const cut = expect(ask('/held')).rejects.toThrow();
    await expect.poll(() => held.length).toBe(1);
    expect(await drain(app, { delayMs: 0, graceMs: 100 })).toBe(1);
    await cut;
    end();
  });
});
