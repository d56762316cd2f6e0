import { DispatchParameters, Status } from '@waybill/protocol';
import { createDrop } from '../../domain/drops/create-drop.ts';
import { readIdempotencyKey } from '../shared/idempotency-key.ts';
import { type Endpoint, requireActor } from './endpoint.ts';
import { readDraftName } from './request-headers.ts';

/** docs/api.md#8-create-a-dispatch. */
export const createdrop: Endpoint = (app, engines) => {
  app.post(
    '/:user/cgi/createdrop.cgi',
    {
      config: { authentication: 'account+csrf' },
      schema: { body: DispatchParameters, response: { 200: Status } },
    },
    async (request) => {
      request.dropId = await createDrop(engines, requireActor(request), {
        draft: readDraftName(request),
        parameters: request.body,
        idempotencyKey: readIdempotencyKey(request),
      });
      return { status: 'ok' as const };
    },
  );
};
