import { createHash } from 'node:crypto';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { demo } from '../servers/running-demo.ts';
import type { Client } from './client.ts';

/**
 * A request from this account whose body the caller writes, and whose response the caller reads, piece by piece: for
 * what is larger than memory, slower than usual, or interrupted.
 */
export async function openRequest(
  client: Client,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ outgoing: ClientRequest; pendingResponse: Promise<IncomingMessage> }> {
  const url = new URL(client.baseUrl);
  const outgoing = httpRequest({
    host: url.hostname,
    port: url.port,
    method,
    path: `/${client.user}/${path}`,
    headers: {
      Host: new URL(demo().base_url).host,
      Authorization: client.authorization,
      'CSRF-Token': await client.token(),
      Connection: 'close',
      ...headers,
    },
    agent: false,
  });
  const pendingResponse = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
  });
  pendingResponse.catch(() => undefined); // the caller that waits for the response sees it
  return { outgoing, pendingResponse };
}

/** A request without a body, once its response has begun. */
export async function openResponse(
  client: Client,
  path: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const { outgoing, pendingResponse } = await openRequest(client, 'GET', path, headers);
  outgoing.end();
  return await pendingResponse;
}

/** Reads a response to its end; returns the SHA-256 of its body in hexadecimal. */
export async function hashResponse(client: Client, path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of await openResponse(client, path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}
