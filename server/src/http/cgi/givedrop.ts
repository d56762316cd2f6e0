import { DispatchParameters, Status } from '@waybill/protocol';
import { createFileRequest } from '../../domain/drops/create-drop.ts';
import { readIdempotencyKey } from '../shared/idempotency-key.ts';
import { type Endpoint, requireActor } from './endpoint.ts';
import { readDraftName } from './request-headers.ts';

/** docs/api.md#9-allow-contacts-to-send-files. */
export const givedrop: Endpoint = (app, engines) => {
  app.post(
    '/:user/cgi/givedrop.cgi',
    {
      config: { authentication: 'account+csrf' },
      schema: { body: DispatchParameters, response: { 200: Status } },
    },
    async (request) => {
      request.dropId = await createFileRequest(engines, requireActor(request), {
        draft: readDraftName(request),
        parameters: request.body,
        idempotencyKey: readIdempotencyKey(request),
      });
      return { status: 'ok' as const };
    },
  );
};
