import { connect } from 'node:net';
import { assertDescribed } from './contract.ts';
import { foldHeaders, type HttpResponse } from './response.ts';

const responseWithinMs = 30_000;

/**
 * Sends these bytes, whatever they are, on a separate connection, reads until the server closes it, and parses the
 * first response. A string is sent as Latin-1, one byte per character.
 */
export async function sendRaw(baseUrl: string, bytes: Buffer | string): Promise<HttpResponse> {
  const response = parseResponse(await exchange(baseUrl, bytes));
  const [, method, path] = /^(GET|HEAD|POST) (\/\S*) HTTP\/1\.1\r\n/.exec(bytes.toString('latin1')) ?? [];
  if (method !== undefined && path !== undefined) await assertDescribed(method, path, response);
  return response;
}

/** The bytes that the server sent until it closed the connection; empty if it sent nothing. */
export function exchange(baseUrl: string, bytes: Buffer | string): Promise<Buffer> {
  const url = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    socket.setTimeout(responseWithinMs, () => {
      socket.destroy();
      reject(new Error(`no close within ${responseWithinMs} ms; received ${JSON.stringify(text())}`));
    });
    const text = () => Buffer.concat(received).toString('latin1');
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    // A refused request may end in a reset after its response; what counts is what had arrived.
    socket.on('error', (error) => (received.length > 0 ? resolve(Buffer.concat(received)) : reject(error)));
    socket.on('close', () => resolve(Buffer.concat(received)));
    socket.on('connect', () => socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes));
  });
}

/** Opens a connection, sends these bytes, waits until they have been sent, and disconnects without reading. */
export function sendAndVanish(baseUrl: string, bytes: Buffer): Promise<void> {
  const url = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.on('connect', () => socket.write(bytes, () => socket.resetAndDestroy()));
  });
}

export function parseResponse(received: Buffer): HttpResponse {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) throw new Error(`not an HTTP response: ${JSON.stringify(received.toString('latin1'))}`);
  const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1]);
  if (!Number.isInteger(status)) throw new Error(`not a status line: ${JSON.stringify(statusLine)}`);
  const afterHead = received.subarray(headEnd + 4);
  if (status >= 100 && status < 200 && status !== 101) return parseResponse(afterHead);
  const headerLines = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const headers = foldHeaders(headerLines);
  return { status, headers, headerLines, ...splitBody(headers, afterHead) };
}

function splitBody(headers: Record<string, string>, bytes: Buffer): { body: Buffer; rest: Buffer } {
  if (headers['transfer-encoding']?.toLowerCase() === 'chunked') return splitChunked(bytes);
  const length = headers['content-length'];
  if (length === undefined) return { body: bytes, rest: Buffer.alloc(0) };
  if (bytes.length < Number(length)) throw new Error(`the body ends at ${bytes.length} of ${length} bytes`);
  return { body: bytes.subarray(0, Number(length)), rest: bytes.subarray(Number(length)) };
}

function splitChunked(bytes: Buffer): { body: Buffer; rest: Buffer } {
  const chunks: Buffer[] = [];
  let offset = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', offset);
    const size = Number.parseInt(bytes.subarray(offset, lineEnd).toString('latin1'), 16);
    if (lineEnd === -1 || !Number.isInteger(size)) throw new Error('the chunked body is cut off');
    const start = lineEnd + 2;
    const end = start + size;
    if (bytes.subarray(end, end + 2).toString('latin1') !== '\r\n') throw new Error('the chunked body is cut off');
    if (size === 0) return { body: Buffer.concat(chunks), rest: bytes.subarray(end + 2) };
    chunks.push(bytes.subarray(start, end));
    offset = end + 2;
  }
}
