import { DispatchParameters, Status } from '@waybill/protocol';
import { createDrop } from '../../domain/drops/create-drop.ts';
import { idempotencyKeyOf } from '../shared/idempotency-key.ts';
import { actorOf, type Endpoint } from './endpoint.ts';
import { draftOf } from './request-headers.ts';

/** docs/api.md#8-create-a-dispatch. */
export const createdrop: Endpoint = (app, engines) => {
  app.post(
    '/:user/cgi/createdrop.cgi',
    {
      config: { authentication: 'account+csrf' },
      schema: { body: DispatchParameters, response: { 200: Status } },
    },
    async (request) => {
      request.dropId = await createDrop(engines, actorOf(request), {
        draft: draftOf(request),
        parameters: request.body,
        idempotencyKey: idempotencyKeyOf(request),
      });
      return { status: 'ok' as const };
    },
  );
};
