import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type S3ObjectStore, s3ObjectStore } from '../src/engines/s3/object-store.ts';
import { engineAddresses } from './engine-addresses.ts';

/** A proxy to the real store, which responds with 500 to every request that names one of the keys. */
export async function startFailingObjects(
  keys: ReadonlySet<string>,
): Promise<{ endpoint: string; isAway: boolean } & AsyncDisposable> {
  const target = new URL(engineAddresses.s3.endpoint);
  const isNamed = (key: string, { url, headers }: IncomingMessage, body: string) =>
    body.includes(`>${key}<`) ||
    [url, headers['x-amz-copy-source']].some((text) => decodeURIComponent(String(text)).split('?')[0]?.endsWith(key));
  const server = createServer();
  const treat = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Only a request that deletes objects names them in its body.
    const body = incoming.method === 'POST' ? await buffer(incoming) : undefined;
    if (proxy.isAway || [...keys].some((key) => isNamed(key, incoming, body?.toString() ?? ''))) {
      incoming.resume();
      outgoing.writeHead(500, { 'content-type': 'application/xml' });
      outgoing.end('<Error><Code>InternalError</Code><Message>An object store that fails.</Message></Error>');
      return;
    }
    const { hostname: host, port } = target;
    const { method, url: path, headers } = incoming;
    // The host too is passed on: the signature covers it.
    const onward = request({ host, port, method, path, headers, agent: false });
    if (body) onward.end(body);
    else incoming.pipe(onward);
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    onward.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
  };
  server.on('request', (incoming, outgoing) => void treat(incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Set by a test: then no request is passed on. */
    isAway: false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

/**
 * The store behind such a proxy. Only calls that are bound to fail have a short deadline: the others have as much time as in
 * production, because the machine may be busy.
 */
export function openFailingStore(
  proxy: { readonly endpoint: string; readonly isAway: boolean },
  keys: ReadonlySet<string>,
  bucket: string,
): S3ObjectStore {
  const options = { ...engineAddresses.s3, endpoint: proxy.endpoint, bucket };
  const patient = s3ObjectStore(options);
  const whileAway = s3ObjectStore({ ...options, deadlineMs: 600, silenceMs: 300 });
  // After the calls that fail it makes others, which succeed.
  const forFailing = s3ObjectStore({ ...options, deadlineMs: 600 });
  const choose = (named: readonly string[]) => {
    if (proxy.isAway) return whileAway;
    return [...keys].some((key) => named.some((name) => `${bucket}/${name}`.endsWith(key))) ? forFailing : patient;
  };
  return {
    ...patient,
    get firstByteMs() {
      return patient.firstByteMs;
    },
    put: (key, pieces, signal) => choose([key]).put(key, pieces, signal),
    read: (key, part, signal) => choose([key]).read(key, part, signal),
    delete: (named) => choose(named).delete(named),
    ping: () => choose([]).ping(),
    close() {
      for (const store of [patient, whileAway, forFailing]) store.close();
    },
  };
}
