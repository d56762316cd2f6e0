import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type ProbeResponse, ProbeTokens, probeHeader, probeMediaType, probePath } from '../../domain/doctor/probe.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { App } from '../shared/app.ts';
import { noSuchPath } from './no-such-path.ts';

/** The longest body of a request of the doctor: more than its own has. */
const maxBodyBytes = 4 * 1024 ** 2;
/** Enough for a proxy that does not buffer to forward it at once. */
const paddingBytes = 256 * 1024;
/** The pause between the two parts of the response, long enough to be measured. */
const pauseMs = 1_000;

/** Tells `waybilld admin doctor` how its request arrived through the proxies in front of this process. */
export function doctorProbe(app: App, engines: { readonly pepper: Buffer }): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(probeMediaType, (_request, body, done) => done(null, body));
    scope.route({
      method: 'POST',
      url: probePath,
      config: { authentication: 'operator' },
      onRequest: async (request) => {
        // Responds before it asks for the body: the doctor declares the largest possible one to learn who refuses it.
        const isGenuine = new ProbeTokens(engines.pepper).isGenuine(request.headers[probeHeader], Date.now());
        if (!isGenuine) throw noSuchPath();
      },
      handler: async (request, reply) => {
        const response: ProbeResponse = {
          connection: request.socket.remoteAddress ?? '',
          forwarded: request.headers['x-forwarded-for']?.toString(),
          trusted: (request.ips?.length ?? 0) > 1,
          client: request.peer,
          bodyMs: await measureDuration(request.body as Readable),
        };
        return reply.type(probeMediaType).send(Readable.from(inTwoParts(response)));
      },
    });
  });
}

async function measureDuration(body: Readable): Promise<number> {
  let bytes = 0;
  let first: number | undefined;
  let last = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    last = performance.now();
    first ??= last;
    bytes += piece.length;
    if (bytes > maxBodyBytes) throw new ExchangeError('too_large');
  }
  return Math.round(last - (first ?? last));
}

async function* inTwoParts(response: ProbeResponse): AsyncGenerator<string> {
  yield `${JSON.stringify(response)}${' '.repeat(paddingBytes)}\n`;
  await pause(pauseMs);
  yield 'end\n';
}
