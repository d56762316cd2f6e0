import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '@waybill/protocol';
import type { FastifyRequest } from 'fastify';
import type { App } from '../shared/app.ts';
import { refuseLargeBody, refuseWholeFile } from '../shared/whole-file.ts';

/** The bytes that a form adds to each of its files: a boundary and a few headers. */
const formBytesPerFile = 16 * 1024;

/**
 * Asks for a body only if it can be accepted. The hooks before this one have checked the caller; this one rejects a
 * declared length that could never be accepted, and then sends the `100 Continue` that a client with `Expect:
 * 100-continue` waits for. A client that is rejected has sent nothing of its body.
 */
export function askForBodies(app: App, maxFileBytes: () => number, onAsked: (socket: Socket) => void): void {
  const waiting = new WeakMap<IncomingMessage, () => void>();
  app.server.on('checkContinue', (request, response) => {
    // A rejected client may or may not still send its body, so this connection cannot carry another request.
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    waiting.set(request, () => {
      response.shouldKeepAlive = shouldKeepAlive;
      response.writeContinue();
      onAsked(request.socket);
    });
    app.server.emit('request', request, response);
  });
  app.addHook('preParsing', async (request) => {
    if (request.is404) return;
    const mediaType = request.headers['content-type'];
    const { anyBody = false } = request.routeOptions.config;
    const isKnown = (type: string) => anyBody || request.server.hasContentTypeParser(type.split(';', 1)[0] as string);
    if (mediaType !== undefined && !isKnown(mediaType)) return;
    const maxBytes = largestBody(request, maxFileBytes());
    if (Number(request.headers['content-length'] ?? 0) > maxBytes)
      throw anyBody && !isPartOfUpload(request) ? refuseWholeFile() : refuseLargeBody(maxBytes);
    waiting.get(request.raw)?.();
  });
}

function largestBody(request: FastifyRequest, maxFileBytes: number): number {
  const mediaType = request.headers['content-type'] ?? '';
  if (/^multipart\/form-data\b/i.test(mediaType)) return limits.filesPerUpload * (maxFileBytes + formBytesPerFile);
  return isPartOfUpload(request) ? maxFileBytes : request.routeOptions.bodyLimit;
}

const isPartOfUpload = ({ headers }: FastifyRequest) => headers['content-type'] === 'application/offset+octet-stream';
