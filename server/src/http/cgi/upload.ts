import { Readable } from 'node:stream';
import type { Status } from '@waybill/protocol';
import { receiveUpload } from '../shared/receive-upload.ts';
import { actorOf, type Endpoint } from './endpoint.ts';
import { draftOf } from './request-headers.ts';

const done: Status = { status: 'done' };

/** spec 4, operation 7. */
export const upload: Endpoint = (root, engines) => {
  // In a scope of its own, where a body is a form and stays a stream.
  root.register(async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('multipart/form-data', (_request, payload, parsed) => parsed(null, payload));
    app.post('/:user/cgi/upload.cgi', { config: { authentication: 'account+csrf' } }, async (request, reply) => {
      const contentType = request.headers['content-type'] ?? '';
      await receiveUpload(engines, actorOf(request), draftOf(request), contentType, request.raw);
      // Rule 7: "sent with chunked transfer encoding", which is what a stream of unknown length gets.
      return reply.type('application/json; charset=utf-8').send(Readable.from([JSON.stringify(done)]));
    });
  });
};
